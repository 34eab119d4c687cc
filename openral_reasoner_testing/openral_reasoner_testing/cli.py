"""`openral bench search`."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from openral_reasoner_testing.search_benchmark import SEARCHERS, score_search, search_table

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
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a table")] = False,
) -> None:
    """Search generated homes for hidden things: scripted planner and baselines."""
    names = searcher or list(SEARCHERS)
    unknown = [name for name in names if name not in SEARCHERS]
    if unknown:
        raise typer.BadParameter(f"unknown {unknown}: valid are {list(SEARCHERS)}")
    scores = [score_search(name, range(seed, seed + homes)) for name in names]
    typer.echo(json.dumps([asdict(score) for score in scores]) if as_json else search_table(scores))


commands = typer.Typer()
commands.add_typer(bench, name="bench")
