"""`openral`: speak to a running reasoner, read its recordings, measure its search."""
# MERGED `openral replay` and `openral explain`.

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from openral_core.errors import OpenRALError
from openral_reasoner.recording import Life, read_lives, stories
from openral_reasoner.recording import replay as play_again
from openral_reasoner_ros.cli.mission import mission, palette, prompt
from openral_reasoner_ros.topics import FILE

BELOW = "recording"
"""Where a deployment's folder has it."""
PACKED = ".gz"
Folder = Annotated[Path, typer.Argument(help="the folder given to --record, or a recording, also gzipped")]


class NoRecording(OpenRALError):
    """A folder without a recording."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"no {FILE} in {folder}: record with the parameter 'record' or --record")


def replay(
    folder: Folder,
    ignore_text: Annotated[
        bool, typer.Option("--ignore-text", help="texts that people and models read may differ")
    ] = False,
) -> None:
    """Run the core on a recording; exit code 1 and the first difference if it decides otherwise now."""
    events, lives = 0, 0
    for life in _read(folder):
        lives += 1
        difference = play_again(life.settings, life.steps, ignore_text=ignore_text)
        if difference is not None:
            typer.echo(f"start {lives} of the reasoner, {difference.words()}")
            raise typer.Exit(1)
        events += len(life.steps)
        if life.torn:
            typer.echo(f"start {lives} of the reasoner: its last line is torn and left out")
    starts = "" if lives == 1 else f" of {lives} starts of the reasoner"
    aside = ", texts aside" if ignore_text else ""
    typer.echo(f"{events} events{starts} replayed: the same commands{aside}")


def explain(folder: Folder) -> None:
    """Tell the story of a recording in plain words."""
    for line in stories(_read(folder)):
        typer.echo(line)


def _read(folder: Path) -> Iterator[Life]:
    path = next((each for each in (folder, folder / FILE, folder / BELOW / FILE) if each.is_file()), None)
    if path is None:
        raise NoRecording(folder)
    opened = gzip.open if path.suffix == PACKED else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as lines:
        yield from read_lives(lines)


app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
app.command()(prompt)
app.command()(palette)
app.command()(replay)
app.command()(explain)
app.add_typer(mission, name="mission")


def main() -> None:
    """The command line; our own errors are one line on standard error and exit code 2, or their own."""
    try:
        app()
    except OpenRALError as error:
        typer.echo(str(error), err=True)
        sys.exit(getattr(error, "exit_code", 2))
