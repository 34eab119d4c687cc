"""Command `openral waterfall`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, add_completion=False)
FOREVER = 1e12
"""Longest recording that is read [s]: all of it."""


@commands.command()
def waterfall(
    spans: Annotated[list[Path], typer.Argument(exists=True, help="run folder, or files of spans (.jsonl)")],
    *,
    out: Annotated[Path, typer.Option(help="picture to write")] = Path("waterfall.png"),
    service: Annotated[str, typer.Option(help="process, such as reasoner; default: all")] = "",
) -> None:
    """Draw the recorded spans of a run over time. Ends with 2 if there are none."""
    from openral_console.spans import read_spans
    from openral_console.waterfall import draw_waterfall

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
