"""`openral bench twc`, `adventure`, `textworld-express` and `babyai`: missions in games of others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openral_household_benchmark.choices import (
    BABYAI_LEVELS,
    EXPRESS_LEVELS,
    FOLDS,
    TWC_LEVELS,
    TWC_SPLITS,
)
from openral_reasoner_ros.brains import Brain

if TYPE_CHECKING:
    from openral_core.rskills import Registry
    from openral_household_benchmark.engine_process import EngineProcess
    from openral_household_benchmark.text_episode import Published
    from openral_household_benchmark.text_world import TextGame
    from openral_reasoner.llm.base import Model


commands = typer.Typer(no_args_is_help=True)
bench = typer.Typer(no_args_is_help=True)
commands.add_typer(bench, name="bench")

_Brain = Annotated[Brain, typer.Option(help="who decides")]
_Model = Annotated[str, typer.Option(help="of a vendor's brain")]
_Url = Annotated[str, typer.Option(help="of a compatible endpoint")]
_Json = Annotated[bool, typer.Option("--json", help="JSON with a row per game instead of a table")]


@bench.command()
def twc(
    games: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="folder games/twc")],
    *,
    level: Annotated[list[str] | None, typer.Option(help=f"of {', '.join(TWC_LEVELS)}; default: all")] = None,
    split: Annotated[list[str] | None, typer.Option(help=f"of {', '.join(TWC_SPLITS)}; default: all")] = None,
    brain: _Brain = Brain.SCRIPTED,
    model: _Model = "",
    base_url: _Url = "",
    as_json: _Json = False,
) -> None:
    """TextWorld Commonsense: tidy up in the published text games, beside the published figures.

    The files are those of github.com/IBM/commonsense-rl. Ends with 1 when a game was not completed.
    """
    from openral_household_benchmark.cli import brain_of
    from openral_household_benchmark.text_episode import TWC_PUBLISHED
    from openral_household_benchmark.text_games import read_twc

    selection = _read(lambda: list(read_twc(games, level or TWC_LEVELS, split or TWC_SPLITS)))
    _play_all(selection, brain_of(brain, model, base_url), TWC_PUBLISHED, as_json=as_json)


@bench.command()
def adventure(
    instances: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="file of instances")],
    *,
    brain: _Brain = Brain.SCRIPTED,
    model: _Model = "",
    base_url: _Url = "",
    as_json: _Json = False,
) -> None:
    """AdventureGame of clembench: its home deliveries.

    The files are those of github.com/clembench/clembench. Ends with 1 when a delivery was not completed.
    """
    from openral_household_benchmark.cli import brain_of
    from openral_household_benchmark.text_games import read_adventures

    selection = _read(lambda: list(read_adventures(instances)))
    _play_all(selection, brain_of(brain, model, base_url), (), as_json=as_json)


@bench.command("textworld-express")
def textworld_express(
    *,
    level: Annotated[
        list[str] | None, typer.Option(help=f"of {', '.join(EXPRESS_LEVELS)}; default: all")
    ] = None,
    fold: Annotated[str, typer.Option(help=f"of {', '.join(FOLDS)}")] = "train",
    games: Annotated[int, typer.Option(min=1, max=1000, help="of each level")] = 20,
    python: Annotated[Path | None, typer.Option(help="interpreter with textworld-express")] = None,
    brain: _Brain = Brain.SCRIPTED,
    model: _Model = "",
    base_url: _Url = "",
    as_json: _Json = False,
) -> None:
    """TextWorldExpress: generated games of TextWorld Commonsense, Coin Collector and CookingWorld.

    The engine itself plays; objects and recipes of the folds differ. Needs a Java runtime and `make games`.
    Ends with 1 when a game was not completed, with 2 if the engine is not there.
    """
    from openral_household_benchmark.cli import brain_of
    from openral_household_benchmark.text_episode import TWX_PUBLISHED
    from openral_household_benchmark.textworld_express import SERVER
    from openral_household_benchmark.textworld_express_games import generate

    levels = _known(level or list(EXPRESS_LEVELS), EXPRESS_LEVELS, "level")
    (fold,) = _known([fold], FOLDS, "fold")
    with _engine(python, SERVER) as engine:
        generated = (game for each in levels for game in generate(engine, each, fold, games))
        _play_all(generated, brain_of(brain, model, base_url), TWX_PUBLISHED, as_json=as_json)


@bench.command("babyai")
def babyai_levels(
    *,
    level: Annotated[
        list[str] | None, typer.Option(help=f"of {', '.join(BABYAI_LEVELS)}; default: all")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="of each level")] = 20,
    first_seed: Annotated[int, typer.Option(min=0)] = 0,
    out: Annotated[Path | None, typer.Option(help="folder for babyai.jsonl, a line per seed")] = None,
    python: Annotated[Path | None, typer.Option(help="interpreter with minigrid")] = None,
    brain: _Brain = Brain.SCRIPTED,
    model: _Model = "",
    base_url: _Url = "",
    as_json: _Json = False,
) -> None:
    """BabyAI: find, fetch, open and put down in grid worlds that are seen a few cells at a time.

    The engine of minigrid plays, beside its own bot. Needs `make games`. Ends with 1 when a mission was not
    accomplished, with 2 if the engine is not there.
    """
    from openral_household_benchmark import babyai
    from openral_household_benchmark.cli import brain_of
    from openral_testing.reasoner.placement_search import table_text

    levels, chosen = _known(level or BABYAI_LEVELS, BABYAI_LEVELS, "level"), brain_of(brain, model, base_url)
    results = list[babyai.BabyAIResult]()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        lines = None
        if out is not None:
            lines = stack.enter_context((out / "babyai.jsonl").open("w", encoding="utf-8", buffering=1))
        engine = stack.enter_context(_engine(python, babyai.SERVER))
        for each in babyai.play_all(engine, levels, range(first_seed, first_seed + seeds), *chosen):
            results.append(each)
            if lines is not None:
                lines.write(json.dumps(asdict(each)) + "\n")
            note = "" if each.success else f", not accomplished: {each.reason}"
            typer.echo(f"{each.level} {each.seed}: {each.steps} steps{note}", err=True)
    rows = [asdict(each) for each in results]
    typer.echo(json.dumps(rows, indent=1) if as_json else table_text(babyai.summary(results)))
    raise typer.Exit(any(not each.success for each in results))


@contextmanager
def _engine(python: Path | None, server: Path) -> Iterator[EngineProcess]:
    """Run the server of a game engine.

    Raises:
        typer.BadParameter: If the engine is not there.
    """
    from openral_household_benchmark.engine_process import EngineProcess, EngineUnavailable, games_python

    try:
        with EngineProcess(games_python(python), server) as engine:
            yield engine
    except EngineUnavailable as error:
        raise typer.BadParameter(str(error)) from error


def _known(chosen: Sequence[str], valid: Iterable[str], what: str) -> Sequence[str]:
    """Return what was chosen.

    Raises:
        typer.BadParameter: If it is not known.
    """
    names = tuple(valid)
    for each in chosen:
        if each not in names:
            raise typer.BadParameter(f"no {what} is named {each!r}; valid: {', '.join(names)}")
    return chosen


def _read(read: Callable[[], list[TextGame]]) -> list[TextGame]:
    """Read games.

    Raises:
        typer.BadParameter: If a file is none.
    """
    from openral_core.documents import InvalidDocument

    try:
        return read()
    except InvalidDocument as error:
        raise typer.BadParameter(str(error)) from error


def _play_all(
    games: Iterable[TextGame],
    brain: tuple[Registry, Model],
    published: Sequence[Published],
    *,
    as_json: bool,
) -> None:
    """Play every game, tell each result, and end with 1 if one is not complete."""
    from openral_household_benchmark.text_episode import TextResult, play, summary
    from openral_testing.reasoner.placement_search import table_text

    results = list[TextResult]()
    for game in games:
        results.append(play(game, *brain))
        last = results[-1]
        note = "" if last.done else f": {last.reason}"
        typer.echo(f"{game.name}: {last.score:.2f} in {last.steps} steps, {last.state}{note}", err=True)
    rows = [asdict(each) for each in results]
    typer.echo(json.dumps(rows, indent=1) if as_json else table_text(summary(results, published)))
    raise typer.Exit(any(not each.done for each in results))
