"""`openral bench search`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

SEARCHERS = ("scripted", "random", "nearest_first")
"""Names in `search_benchmark`."""
bench = typer.Typer(no_args_is_help=True, help="measure without a robot")


@bench.callback()
def benches() -> None:
    """Measure without a robot."""


@bench.command()
def search(
    homes: Annotated[int, typer.Option(min=1, help="how many homes are drawn")] = 2000,
    seed: Annotated[int, typer.Option(help="of the first home")] = 0,
    searcher: Annotated[
        list[str] | None, typer.Option(help=f"of {', '.join(SEARCHERS)}; default all")
    ] = None,
    table: Annotated[
        list[Path] | None,
        typer.Option(exists=True, dir_okay=False, help="YAML or JSON of where objects are kept, instead"),
    ] = None,
    odd: Annotated[float, typer.Option(min=0.0, max=1.0, help="fraction of objects that are anywhere")] = 0.2,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a table")] = False,
) -> None:
    """Search generated homes for hidden things: scripted planner and baselines.

    With --table, homes are furnished and objects hidden as a table says, and the order of places alone is
    compared with visiting the nearest first.
    """
    from openral_testing.reasoner.search_benchmark import score_search, score_table

    if table:
        typer.echo(search_homes_of(table, homes, seed, odd, as_json))
        return
    names = searcher or list(SEARCHERS)
    unknown = [name for name in names if name not in SEARCHERS]
    if unknown:
        raise typer.BadParameter(f"unknown {unknown}: valid are {list(SEARCHERS)}")
    scores = [score_search(name, range(seed, seed + homes)) for name in names]
    typer.echo(json.dumps([asdict(score) for score in scores]) if as_json else score_table(scores))


def search_homes_of(paths: list[Path], homes: int, seed: int, odd: float, as_json: bool) -> str:
    """Search homes drawn from tables; return the report.

    Raises:
        typer.BadParameter: If a file is not a table.
    """
    from openral_core.documents import InvalidDocument
    from openral_testing.reasoner.placement_search import result_rows, search_table, table_text
    from openral_testing.reasoner.placement_table import PlacementTable

    try:
        tables = [PlacementTable.read(path) for path in paths]
    except InvalidDocument as error:
        raise typer.BadParameter(str(error)) from error
    rows = [row for each in tables for row in result_rows(search_table(each, homes, seed, odd))]
    return json.dumps(rows) if as_json else table_text(rows)


commands = typer.Typer()
commands.add_typer(bench, name="bench")
