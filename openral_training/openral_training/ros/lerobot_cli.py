"""Command `openral export lerobot`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

export = typer.Typer(no_args_is_help=True)
commands = typer.Typer()
commands.add_typer(export, name="export")


@export.command()
def lerobot(
    runs: Annotated[list[Path], typer.Argument(help="run folders, or MCAP files")],
    *,
    out: Annotated[Path, typer.Option(help="folder of the data set; must not exist")],
    name: Annotated[str, typer.Option(help="id of the data set; default openral/<folder>")] = "",
    fps: Annotated[int, typer.Option(min=1, max=100, help="frames per second")] = 10,
    camera: Annotated[list[str] | None, typer.Option(help="camera to take (repeatable); default all")] = None,
    task: Annotated[str, typer.Option(help="task text instead of the goals")] = "",
    all_outcomes: Annotated[
        bool, typer.Option("--all-outcomes", help="take missions that did not succeed, too")
    ] = False,
    robot: Annotated[str, typer.Option(help="type of the robot")] = "openral",
    python: Annotated[Path | None, typer.Option(help="interpreter that has lerobot")] = None,
) -> None:
    """Write recorded missions as a LeRobot data set, one episode each.

    Exit code: 0 written; 2 nothing to export, runs that do not fit together, or no lerobot.
    """
    from openral_training.ros.lerobot_export import DataSet, ExportSelection, NotWritten, interpreter, write

    interpreter_path = interpreter(python)
    if out.exists():
        raise NotWritten(f"{out} exists already: name another folder with --out")
    made = DataSet(
        name or f"openral/{out.name}", ExportSelection(fps, tuple(camera or ()), task, all_outcomes)
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as temporary:
        folder = Path(temporary)
        for index, run in enumerate(runs):
            typer.echo(f"{run}: {made.add(run, folder / str(index))} episodes")
        write(made.document(robot), folder, out.absolute(), interpreter_path)
    actions = "recorded commands" if made.from_commands else "the state one frame later: no commands recorded"
    typer.echo(f"{out}: {len(made.episodes)} episodes, {made.frames} frames; actions: {actions}")
