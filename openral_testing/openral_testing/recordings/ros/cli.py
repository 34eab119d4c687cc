"""Commands `openral recover`, `replay`, `explain`, `compare`, `waterfall` and `export html`."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from openral_testing.recordings.lives import Life

commands = typer.Typer(no_args_is_help=True, add_completion=False, help="Read recordings.")
export = typer.Typer(no_args_is_help=True, help="write recordings in formats of other programs")
commands.add_typer(export, name="export")
FOREVER = 1e12
"""Longest recording that is read [s]: all of it."""


class UnreadableRecording(OpenRALError):
    """An MCAP file that is damaged, or whose recorder was killed."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(f"{path} cannot be read ({type(error).__name__}); run: openral recover {path}")


def mcap_lines(path: Path) -> Iterator[str]:
    """Yield the recorded lines of events in order; a damaged message is an empty one.

    Raises:
        UnreadableRecording: If the file is torn or damaged.
    """
    from mcap.exceptions import McapError
    from mcap.reader import make_reader
    from zstandard import ZstdError

    from openral_testing.recordings.recovery import EVENTS

    try:
        with path.open("rb") as file:
            for _, _, message in make_reader(file).iter_messages(topics=[EVENTS]):
                yield _line(message.data)
    except (McapError, EOFError, ValueError, struct.error, ZstdError, MemoryError) as error:
        raise UnreadableRecording(path, error) from error


def _line(data: bytes) -> str:
    """Return a recorded line; "", which is no line, for bytes that are no message."""
    from std_msgs.msg import String

    from openral_ros.message_types import DamagedMessage, decoded

    try:
        return str(decoded(data, String).data)
    except DamagedMessage:
        return ""


DEPLOYMENT_SUBFOLDER = "recording"
"""Folder of the recording inside the folder of a deployment."""
Folder = Annotated[Path, typer.Argument(help="run folder, or a recording file (.jsonl, .gz, .mcap)")]


class NoRecording(OpenRALError):
    """Folder without a recording."""

    def __init__(self, folder: Path) -> None:
        from openral_reasoner_ros.telemetry import RECORDING_FILE

        super().__init__(
            f"no {RECORDING_FILE} in {folder}: start the reasoner with --record or the parameter 'record'"
        )


@commands.command()
def replay(
    folder: Folder,
    ignore_text: Annotated[
        bool, typer.Option("--ignore-text", help="ignore differences in texts for people and models")
    ] = False,
) -> None:
    """Run the mission core on a recording; print the first different command and exit with exit code 1."""
    from openral_testing.recordings import replay as replay_module

    events, lives = 0, 0
    for life in _read(folder):
        lives += 1
        replay_module.require_replayable(life)
        difference = replay_module.replay(life.settings, life.steps, ignore_text=ignore_text, idle=life.idle)
        if difference is not None:
            typer.echo(f"start {lives} of the reasoner: {difference.words()}")
            raise typer.Exit(1)
        events += len(life.steps)
        if life.damaged:
            typer.echo(f"start {lives} of the reasoner: {replay_module.damaged_words(life)}")
        if life.torn:
            typer.echo(f"start {lives} of the reasoner: incomplete last line ignored")
    starts = "" if lives == 1 else f" of {lives} starts of the reasoner"
    ignored = ", texts ignored" if ignore_text else ""
    typer.echo(f"replayed {events} events{starts}: same commands{ignored}")


@commands.command()
def explain(folder: Folder) -> None:
    """Explain a recording step by step."""
    from openral_testing.recordings.replay import stories

    for line in stories(_read(folder)):
        typer.echo(line)


@commands.command()
def compare(
    folder: Folder,
    other: Annotated[Path, typer.Argument(help="run to compare with, one that went well for instance")],
) -> None:
    """Tell where the decisions and outcomes of two runs part, and how each ended.

    Exit code: 0 the same decisions with the same outcomes; 1 a difference; 2 no recording.
    """
    from openral_testing.recordings.run_comparison import compare_runs, comparison_lines, story_of

    compared = compare_runs(story_of(_read(folder)), story_of(_read(other)))
    for line in comparison_lines(compared, *_names(folder, other)):
        typer.echo(line)
    if compared.divergences:
        raise typer.Exit(1)


def _names(folder: Path, other: Path) -> tuple[str, str]:
    """Return the names of two runs, their paths if those are the same."""
    names = [path.absolute().name.removesuffix(".mcap") for path in (folder, other)]
    return (names[0], names[1]) if names[0] != names[1] else (str(folder), str(other))


def _read(folder: Path) -> Iterator[Life]:
    from openral_reasoner_ros.telemetry import RECORDING_FILE
    from openral_testing.recordings.lives import read_lives
    from openral_testing.recordings.recovery import RECORDING

    candidates = (
        folder,
        folder / RECORDING_FILE,
        folder / DEPLOYMENT_SUBFOLDER / RECORDING_FILE,
        folder / RECORDING,
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


@commands.command()
def waterfall(
    spans: Annotated[list[Path], typer.Argument(exists=True, help="run folder, or files of spans (.jsonl)")],
    *,
    out: Annotated[Path, typer.Option(help="picture to write")] = Path("waterfall.png"),
    service: Annotated[str, typer.Option(help="process, such as reasoner; default: all")] = "",
) -> None:
    """Draw the recorded spans of a run over time. Ends with 2 if there are none."""
    from openral_testing.recordings.spans import read_spans
    from openral_testing.recordings.waterfall import draw_waterfall

    lines = (line for file in files_of(spans) for line in file.read_text(encoding="utf-8").splitlines())
    rows = [row for row in read_spans(lines, 0.0, FOREVER) if service in ("", row["service"])]
    if not rows:
        raise typer.BadParameter(
            f"no span{f' of {service!r}' if service else ''} is in {', '.join(map(str, spans))}; "
            "runs with --record have them in recording/spans"
        )
    draw_waterfall(rows).save(out)
    typer.echo(f"{out}: {len(rows)} spans")


def files_of(paths: list[Path]) -> Iterator[Path]:
    """Yield files, and the files of spans below folders."""
    for path in paths:
        yield from sorted(path.rglob("spans/*.jsonl")) if path.is_dir() else [path]


@commands.command()
def recover(path: Annotated[Path, typer.Argument(help="MCAP file, or the folder of a run")]) -> None:
    """Make a recording whose recorder was killed readable: keep every complete message, write the index.

    Exit code: 0 readable now; 2 not a recording, or no space to rewrite it.
    """
    from openral_recorder.errors import NotWritable
    from openral_testing.recordings.recovery import recording_file
    from openral_testing.recordings.recovery import recover as recover_file

    file = recording_file(path)
    try:
        result = recover_file(file)
    except OSError as error:
        raise NotWritable(file, error) from error
    state = "was complete" if result.complete else "recovered"
    lost = f"; {result.damaged} damaged parts are left out" if result.damaged else ""
    typer.echo(f"{result.path}: {state}, {result.messages} messages{lost}")


@export.command()
def html(
    run: Annotated[Path, typer.Argument(help="run folder, or MCAP file")],
    out: Annotated[
        Path | None, typer.Option(help="file to write; default run.html beside the recording")
    ] = None,
    beside: Annotated[Path | None, typer.Option(help="another run, whose differences are marked")] = None,
    max_size_mb: Annotated[float, typer.Option(min=0.5, help="largest file [MB]")] = 40.0,
) -> None:
    """Write a recorded run as one HTML file that any browser opens from disk."""
    from openral_core.files import replace_file
    from openral_testing.recordings.ros.html_export import MEGABYTE, NotExported, export_run
    from openral_testing.recordings.ros.source import RecordingSource

    source = RecordingSource(run, beside)
    exported = export_run(source, int(max_size_mb * MEGABYTE))
    path = out or source.path.with_suffix(".html")
    try:
        replace_file(path, exported.html)
    except OSError as error:
        raise NotExported(path, error) from error
    size = len(exported.html.encode()) / MEGABYTE
    typer.echo(
        f"{path}: {size:.1f} MB, {exported.images} of {exported.recorded} images, "
        f"a moment every {exported.tick:g} s and at every mark"
    )
    if source.damaged:
        typer.echo(source.damaged)
