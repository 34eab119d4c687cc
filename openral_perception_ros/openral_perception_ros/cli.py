"""``openral weights list | fetch | verify | export | prepare``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, Registry
from openral_perception_ros.engines.base import BRINGS_CODE
from openral_perception_ros.engines.checkpoints import candidate_folders
from openral_perception_ros.engines.provenance import verify as verify_weights
from openral_perception_ros.engines.weights_record import WeightsRecord, check
from openral_perception_ros.weights.environments import prepare as prepare_environment
from openral_perception_ros.weights.environments import shown
from openral_perception_ros.weights.export import export as export_onnx
from openral_perception_ros.weights.fetch import fetch as fetch_weights
from openral_perception_ros.weights.fetch import weights_status
from openral_perception_ros.weights.hub import download

app = typer.Typer(help="OpenRAL.", no_args_is_help=True)
weights = typer.Typer(help="Weights of detectors; fetched only by these commands.", no_args_is_help=True)
app.add_typer(weights, name="weights")
out = Console()

Id = Annotated[str, typer.Argument(help="id, alias or slug of a detector")]
Rskills = Annotated[list[Path], typer.Option("--rskills", help="folders of rSkills")]
WeightsDir = Annotated[str, typer.Option("--weights-dir", help="where weights lie; '' = the user's cache")]
Environments = Annotated[Path, typer.Option(help="where Python environments lie")]
Accept = Annotated[list[str], typer.Option("--accept-licence", help="the word of a licence you accept")]
DEFAULT_RSKILLS = [Path("rskills")]
LIST_WIDTH = 110
NO_LICENCES: list[str] = []
DEFAULT_ENVIRONMENTS = Path(".environments")


def _find(name: str, rskills: list[Path]) -> tuple[DetectorManifest, Path]:
    registry = Registry.load(rskills)
    manifest = registry.detector(name)
    return manifest, registry.folder(manifest.id)


@weights.command("list")
def list_(rskills: Rskills = DEFAULT_RSKILLS, weights_dir: WeightsDir = "") -> None:
    """Every detector, its licence, and whether its weights are here."""
    registry = Registry.load(rskills)
    problems: list[str] = []
    table = Table(Column("detector", no_wrap=True), "weights", "MB", "licence", "commercial use", "revision")
    for manifest in registry.detectors:
        row = weights_status(manifest, registry.folder(manifest.id), weights_dir)
        use = "yes" if row.commercial_use else "no"
        cells = (row.rskill, row.state, f"{row.size:.0f}", row.licence, use, row.revision[:12])
        table.add_row(*map(escape, cells))
        problems += [f"{row.rskill}: {row.problem}"] if row.problem else []
    Console(width=max(out.width, LIST_WIDTH)).print(table, *map(escape, problems), sep="\n")


@weights.command()
def fetch(
    name: Id, rskills: Rskills = DEFAULT_RSKILLS, weights_dir: WeightsDir = "", accept: Accept = NO_LICENCES
) -> None:
    """Download a detector's weights, resuming; shows and records the licence."""
    manifest, _ = _find(name, rskills)
    out.print(escape(f"{manifest.id}: licence {manifest.licence.name} {manifest.licence.url}"))
    record = fetch_weights(manifest, weights_dir, tuple(accept), download)
    out.print(f"{manifest.id}: revision {record.revision}, {len(record.files)} files")
    if manifest.weights and not manifest.weights.revision:
        out.print(f"{manifest.id}: its manifest pins no revision; what came is recorded beside the files")


@weights.command()
def verify(name: Id, rskills: Rskills = DEFAULT_RSKILLS, weights_dir: WeightsDir = "") -> None:
    """Read every file again and compare it with the manifest's pins and with what was recorded."""
    manifest, folder = _find(name, rskills)
    for each in candidate_folders(manifest, folder, weights_dir):
        if each.is_dir():
            record = WeightsRecord.read(each)
            compared = check(each, record.files if record else {})
            verify_weights(manifest, each, brings_code=manifest.engine in BRINGS_CODE)
            pinned = len(manifest.weights.files) if manifest.weights else 0
            told = f"{manifest.id}: {compared} files in {each} are as fetched ({pinned} pinned)"
            out.print(escape(told))
            return
    out.print(f"{manifest.id}: nothing recorded; run `openral weights fetch {manifest.id}`")
    raise typer.Exit(1)


@weights.command()
def export(
    name: Id,
    rskills: Rskills = DEFAULT_RSKILLS,
    weights_dir: WeightsDir = "",
    environments: Environments = DEFAULT_ENVIRONMENTS,
) -> None:
    """Write the ONNX file of a fetched checkpoint, checked box by box."""
    manifest, folder = _find(name, rskills)
    out.print(escape(f"written to {export_onnx(manifest, folder, weights_dir, environments, shown)}"))


@weights.command()
def prepare(
    name: Id, rskills: Rskills = DEFAULT_RSKILLS, environments: Environments = DEFAULT_ENVIRONMENTS
) -> None:
    """Make the Python environment a detector's engine runs in."""
    manifest, folder = _find(name, rskills)
    out.print(escape(f"ready: {prepare_environment(manifest, folder, environments)}"))


def main() -> None:
    """Run a command; our own errors are one line and exit code 1."""
    try:
        app()
    except OpenRALError as error:
        Console(stderr=True).print(f"[red]error:[/red] {escape(str(error))}")
        raise SystemExit(1) from error
