"""`openral replay` and `openral explain`."""

from pathlib import Path
from typing import Annotated

import typer

from openral_core.errors import OpenRALError
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings import Step, read_lines, story
from openral_reasoner.recordings import replay as play_again
from openral_reasoner_ros.recorder import FILE

BELOW = "recording"
"""Where a deployment's folder has it."""
Folder = Annotated[Path, typer.Argument(help="the folder given to --record")]


class NoRecording(OpenRALError):
    """A folder without a recording."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"no {FILE} in {folder}: record with the parameter 'record' or --record")


def replay(folder: Folder) -> None:
    """Run the core on a recording; exit code 1 and the first difference if it decides otherwise now."""
    settings, steps = _read(folder)
    difference = play_again(settings, steps)
    if difference is not None:
        typer.echo(difference.words())
        raise typer.Exit(1)
    typer.echo(f"{len(steps)} events replayed: the same commands")


def explain(folder: Folder) -> None:
    """Tell the story of a recording in plain words."""
    for line in story(_read(folder)[1]):
        typer.echo(line)


def _read(folder: Path) -> tuple[MissionSettings, list[Step]]:
    path = next((each for each in (folder / FILE, folder / BELOW / FILE) if each.is_file()), None)
    if path is None:
        raise NoRecording(folder)
    return read_lines(path.read_text(encoding="utf-8").splitlines())
