"""Command line `openral weights prove`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError
from openral_testing.weights.cli import (
    DEFAULT_ENVIRONMENTS,
    DEFAULT_RSKILLS,
    NO_LICENCES,
    WEIGHTS_HELP,
    Accept,
    Environments,
    Mirror,
    Rskills,
    WeightsDir,
    find,
)

if TYPE_CHECKING:
    from openral_testing.detectors.average_precision import Photograph

weights = typer.Typer(help=WEIGHTS_HELP, no_args_is_help=True)
commands = typer.Typer()
commands.add_typer(weights, name="weights")

DESIGN = (
    "rtdetr-v2-r50vd",
    "rtdetr-coco-r18",
    "omdet-turbo-indoor",
    "omdet-turbo-locator",
    "locateanything-3b-nf4",
)
"""The detectors of the design; the environment of the first one exports the second."""


class NoPhotographs(OpenRALError):
    """No annotated photographs to measure on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} has no annotated photographs (annotations.json beside images/): run `make real-data`, "
            "or name a folder with --photos"
        )


@weights.callback()
def group() -> None:
    """Manage detector weights; nothing else downloads them."""


@weights.command()
def prove(  # noqa: PLR0917
    names: Annotated[
        list[str] | None, typer.Argument(help="detectors; none = the five of the design")
    ] = None,
    photos: Annotated[
        Path | None, typer.Option(help="annotations.json of COCO beside images/; default: `make real-data`")
    ] = None,
    looks: Annotated[int, typer.Option(min=1, help="photographs to look at")] = 47,
    out: Annotated[Path, typer.Option(help="report, to be sent in")] = Path("weights-proof.json"),
    by: Annotated[str, typer.Option(help="who proves; default: the GPU or processor")] = "",
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, tensorrt")] = "cpu",
    gpu_budget_mb: Annotated[float, typer.Option(min=1.0, help="memory of all together [MB]")] = 8000.0,
    heavy_mb: Annotated[
        float, typer.Option(min=0.0, help="memory of a heavy skill beside them [MB]")
    ] = 2000.0,
    remote_code: Annotated[bool, typer.Option(help="let a checkpoint's pinned code run")] = False,
    rskills: Rskills = DEFAULT_RSKILLS,
    weights_dir: WeightsDir = "",
    environments: Environments = DEFAULT_ENVIRONMENTS,
    accept: Accept = NO_LICENCES,
    mirror: Mirror = "",
) -> None:
    """Fetch, verify, load and measure detectors on this machine; write one file that can be sent in.

    Exit code: 0 all passed, alone and together; 1 one failed, and the report says at which stage and why.
    """
    from functools import partial

    from openral_core.files import replace_file
    from openral_perception_ros.engines import LoadOptions
    from openral_perception_ros.weights.hub import download
    from openral_testing.machine import machine
    from openral_testing.weights_proof.run import prove_all
    from openral_testing.weights_proof.single import ProofPlan

    facts = machine()
    plan = ProofPlan(
        detectors=[find(name, rskills) for name in names or DESIGN],
        photographs=annotated_photographs(photos)[:looks],
        options=LoadOptions(device=device, weights_folder=weights_dir, remote_code=remote_code),
        environments=environments,
        download=partial(download, mirror=mirror),
        accepted=tuple(accept),
        budget_mb=gpu_budget_mb,
        heavy_mb=heavy_mb,
        by=by or str(facts.get("gpu_0", facts["processor"])),
        log=typer.echo,
    )
    report = prove_all(plan, lambda report: replace_file(out, report.model_dump_json(indent=2) + "\n"))
    typer.echo(f"report: {out}")
    raise typer.Exit(0 if report.passed else 1)


def annotated_photographs(folder: Path | None) -> tuple[Photograph, ...]:
    """Read the photographs of a folder, or of the real data.

    Raises:
        NoPhotographs: If there are none.
    """
    from openral_testing.detectors.average_precision import Photograph
    from openral_testing.real_data import find_real_data
    from openral_testing.real_data.location import cache_folder

    chosen = folder or (find_real_data(Path.cwd()) or cache_folder()) / "photos"
    if not (chosen / "annotations.json").is_file():
        raise NoPhotographs(chosen)
    return Photograph.read(chosen)
