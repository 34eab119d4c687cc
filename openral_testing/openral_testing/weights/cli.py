"""``openral weights list | fetch | verify | prepare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import get_console

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from openral_core.rskills import DetectorManifest
    from openral_perception_ros.weights.fetch import WeightsStatus


app = typer.Typer(help="OpenRAL.", no_args_is_help=True)
WEIGHTS_HELP = "Manage detector weights; nothing else downloads them."
weights = typer.Typer(help=WEIGHTS_HELP, no_args_is_help=True)
app.add_typer(weights, name="weights")

Id = Annotated[str, typer.Argument(help="id, alias or slug of a detector")]
Rskills = Annotated[list[Path], typer.Option("--rskills", help="folder of rSkills; may be repeated")]
WeightsDir = Annotated[str, typer.Option("--weights-dir", help="folder of weights; '' = the user's cache")]
Environments = Annotated[Path, typer.Option(help="folder of Python environments")]
Mirror = Annotated[
    str, typer.Option("--mirror", envvar="OPENRAL_MIRROR", help="has https://host/path as <mirror>/host/path")
]
Accept = Annotated[list[str], typer.Option("--accept-licence", help="licence to accept, as named by `fetch`")]
DEFAULT_RSKILLS = [Path("rskills")]
LIST_WIDTH = 125
"""Minimum width of the table [characters]: narrower terminals would cut off the ids."""
NO_LICENCES: list[str] = []
DEFAULT_ENVIRONMENTS = Path(".environments")


def find(name: str, rskills: list[Path]) -> tuple[DetectorManifest, Path]:
    """Return the manifest of a detector and its folder."""
    from openral_core.rskills import Registry

    registry = Registry.load(rskills)
    manifest = registry.detector(name)
    return manifest, registry.folder(manifest.id)


@weights.command("list")
def list_(rskills: Rskills = DEFAULT_RSKILLS, weights_dir: WeightsDir = "") -> None:
    """List detectors with their licences and the state of their weights."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    from openral_core.rskills import Registry
    from openral_perception_ros.weights.fetch import weights_status
    from openral_testing.weights.proofs import WeightsProof

    registry = Registry.load(rskills)
    problems: list[str] = []
    table = Table(
        Column("detector", no_wrap=True),
        "weights",
        "MB",
        "licence",
        "commercial use",
        "revision",
        "AP50 on photographs",
    )
    for manifest in registry.detectors:
        row = weights_status(manifest, registry.folder(manifest.id), weights_dir)
        use = "yes" if row.commercial_use else "no"
        proof = WeightsProof.of(manifest, registry.folder(manifest.id), weights_dir)
        cells = (row.rskill, row.state, _size(row), row.licence, use, row.revision[:12])
        proved = f"proved on {proof.date}, by {proof.by}" if proof else "never proved"
        table.add_row(*map(escape, (*cells, _precision(manifest), proved)))
        problems += [f"{row.rskill}: {row.problem}"] if row.problem else []
    Console(width=max(get_console().width, LIST_WIDTH)).print(table, *map(escape, problems), sep="\n")


def _precision(manifest: DetectorManifest) -> str:
    return "" if manifest.photographs_ap50 is None else f"{manifest.photographs_ap50:.2f}"


def _size(row: WeightsStatus) -> str:
    from openral_perception_ros.weights.fetch import MISSING, NOT_NEEDED

    if row.state == NOT_NEEDED:
        return "-"
    if row.state != MISSING:
        return f"{row.size:.1f}"
    return f"{row.declared:.1f} declared" if row.declared else "unknown until fetched"


@weights.command()
def fetch(
    name: Id,
    rskills: Rskills = DEFAULT_RSKILLS,
    weights_dir: WeightsDir = "",
    accept: Accept = NO_LICENCES,
    mirror: Mirror = "",
) -> None:
    """Download a detector's weights, resuming if interrupted; shows and records the licence."""
    from functools import partial

    from rich.markup import escape

    from openral_perception_ros.weights.fetch import fetch as fetch_weights
    from openral_perception_ros.weights.hub import download

    manifest, _ = find(name, rskills)
    get_console().print(escape(f"{manifest.id}: licence {manifest.licence.name} {manifest.licence.url}"))
    record = fetch_weights(manifest, weights_dir, tuple(accept), partial(download, mirror=mirror))
    origin = f"revision {record.revision}" if record.revision else "digests as pinned"
    get_console().print(f"{manifest.id}: {origin}, {len(record.files)} files")
    if record.revision and manifest.weights and not manifest.weights.revision:
        get_console().print(
            f"{manifest.id}: the manifest pins no revision; the fetched one is recorded beside the files"
        )


@weights.command()
def verify(name: Id, rskills: Rskills = DEFAULT_RSKILLS, weights_dir: WeightsDir = "") -> None:
    """Hash every file again and compare it with the manifest's pins and the record."""
    from rich.markup import escape

    from openral_perception_ros.engines.checkpoints import candidate_folders
    from openral_perception_ros.engines.provenance import verify as verify_weights
    from openral_perception_ros.engines.weights_record import WeightsRecord, check

    manifest, folder = find(name, rskills)
    for candidate in candidate_folders(manifest, folder, weights_dir):
        if candidate.is_dir():
            record = WeightsRecord.read(candidate)
            compared = check(candidate, record.files if record else {})
            verify_weights(manifest, candidate)
            pinned = len(manifest.weights.files) if manifest.weights else 0
            get_console().print(
                escape(f"{manifest.id}: {compared} files in {candidate} are unchanged ({pinned} pinned)")
            )
            return
    get_console().print(f"{manifest.id}: no weights found; run `openral weights fetch {manifest.id}`")
    raise typer.Exit(1)


@weights.command()
def prepare(
    name: Id, rskills: Rskills = DEFAULT_RSKILLS, environments: Environments = DEFAULT_ENVIRONMENTS
) -> None:
    """Create the Python environment of a detector's engine."""
    from rich.markup import escape

    from openral_perception_ros.weights.environments import prepare as prepare_environment

    manifest, folder = find(name, rskills)
    get_console().print(escape(f"ready: {prepare_environment(manifest, folder, environments)}"))


def main() -> None:
    """Run a command; `OpenRALError` prints one line and exits with 1."""
    from rich.console import Console
    from rich.markup import escape

    try:
        app()
    except OpenRALError as error:
        Console(stderr=True).print(f"[red]error:[/red] {escape(str(error))}")
        raise SystemExit(1) from error
