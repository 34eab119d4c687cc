"""Talk to a running reasoner and read its recordings."""

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from mcap.exceptions import McapError
from mcap.reader import make_reader
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from openral_core.errors import OpenRALError
from openral_reasoner import replay as replay_module
from openral_reasoner.recording import Life, read_lives
from openral_reasoner.replay import stories
from openral_reasoner_ros.cli.mission import mission, palette, prompt
from openral_reasoner_ros.telemetry import RECORDING_FILE

MCAP_FILE = "run.mcap"
EVENTS = "/openral/recording/reasoner"
"""Topic on which the recorder stores the lines of `reasoner.jsonl`."""


class UnreadableRecording(OpenRALError):
    """An MCAP file that is damaged, or whose recorder was killed."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(f"{path} cannot be read ({type(error).__name__}); run: openral recover {path}")


def mcap_lines(path: Path) -> Iterator[str]:
    """Yield the recorded lines of events in order.

    Raises:
        UnreadableRecording: If the file is torn or damaged.
    """
    try:
        with path.open("rb") as file:
            for _, _, message in make_reader(file).iter_messages(topics=[EVENTS]):
                yield deserialize_message(message.data, String).data
    except (McapError, EOFError, ValueError) as error:
        raise UnreadableRecording(path, error) from error


DEPLOYMENT_SUBFOLDER = "recording"
"""Folder of the recording inside the folder of a deployment."""
Folder = Annotated[Path, typer.Argument(help="run folder, or a recording file (.jsonl, .gz, .mcap)")]


class NoRecording(OpenRALError):
    """Folder without a recording."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"no {RECORDING_FILE} in {folder}: start the reasoner with --record or the parameter 'record'"
        )


def replay(
    folder: Folder,
    ignore_text: Annotated[
        bool, typer.Option("--ignore-text", help="ignore differences in texts for people and models")
    ] = False,
) -> None:
    """Run the mission core on a recording; print the first different command and exit with exit code 1."""
    events, lives = 0, 0
    for life in _read(folder):
        lives += 1
        difference = replay_module.replay(life.settings, life.steps, ignore_text=ignore_text, idle=life.idle)
        if difference is not None:
            typer.echo(f"start {lives} of the reasoner: {difference.words()}")
            raise typer.Exit(1)
        events += len(life.steps)
        if life.torn:
            typer.echo(f"start {lives} of the reasoner: incomplete last line ignored")
    starts = "" if lives == 1 else f" of {lives} starts of the reasoner"
    ignored = ", texts ignored" if ignore_text else ""
    typer.echo(f"replayed {events} events{starts}: same commands{ignored}")


def explain(folder: Folder) -> None:
    """Explain a recording step by step."""
    for line in stories(_read(folder)):
        typer.echo(line)


def _read(folder: Path) -> Iterator[Life]:
    candidates = (
        folder,
        folder / RECORDING_FILE,
        folder / DEPLOYMENT_SUBFOLDER / RECORDING_FILE,
        folder / MCAP_FILE,
    )
    path = next((candidate for candidate in candidates if candidate.is_file()), None)
    if path is None:
        raise NoRecording(folder)
    if path.suffix == ".mcap":
        yield from read_lives(mcap_lines(path))
        return
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as lines:
        yield from read_lives(lines)


app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
app.command()(prompt)
app.command()(palette)
app.command()(replay)
app.command()(explain)
app.add_typer(mission, name="mission")


def main() -> None:
    """Run the command line; an `OpenRALError` becomes one line on standard error and its exit code, or 2."""
    try:
        app()
    except OpenRALError as error:
        typer.echo(str(error), err=True)
        sys.exit(getattr(error, "exit_code", 2))
