"""Games of TextWorldExpress: descriptions, the survey of a home, and missions in the engine."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
from typer.testing import CliRunner

from openral_bringup.graph.resources import rskill_folders
from openral_core.rskills import Registry
from openral_household_benchmark.engine_process import EngineProcess, EngineUnavailable, games_python
from openral_household_benchmark.games_cli import commands
from openral_household_benchmark.text_episode import play
from openral_household_benchmark.textworld_express import SERVER, Thing, read_description
from openral_household_benchmark.textworld_express_games import LEVELS, Recipe, generate
from openral_reasoner.scripted.planner import ScriptedModel

PYTHON = Path(__file__).parents[3] / ".environments" / "games" / "bin" / "python"
LOOK = (
    "You are in the kitchen. In one part of the room you see a stove. "
    "There is also a fridge that is closed. You also see a counter, that has nothing on it. "
    "In another part of the room you see an open cutlery drawer, that is empty. "
    "There is also An open kitchen cupboard, that contains a raw potato, and a teapot. "
    "You also see a dining chair that has a knife, a red apple, and a cookbook on it. You also see a flour. "
    "\nTo the South you see a closed wood door. "
    "Through an open patio door, to the North you see the backyard. To the West you see the corridor. "
)
FAKE = """
import json, sys
home = "You are in the hall. There is also a hat rack, that has nothing on it. You also see a "
for line in sys.stdin:
    request = json.loads(line)
    command = request.get("command", "")
    held = command.startswith("take")
    done = command.startswith("put")
    look = home + ("." if held or done else "beret. ")
    print(json.dumps({
        "observation": "ok", "look": look, "score": float(done), "task": "", "gold": [],
        "valid": [] if held or done else ["take beret"], "belongs": {"beret": ["hat rack"]},
    }), flush=True)
"""


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.load(rskill_folders())


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    script = tmp_path / "fake_server.py"
    script.write_text(FAKE, encoding="utf-8")
    return script


def test_reads_furniture_with_its_contents_and_the_ways_of_a_description() -> None:
    seen = read_description(LOOK)
    assert seen.room == "kitchen"
    assert seen.things == (
        Thing("stove"),
        Thing("fridge", holds=True, container=True, closed=True),
        Thing("counter", holds=True),
        Thing("cutlery drawer", holds=True, container=True),
        Thing("kitchen cupboard", holds=True, container=True, held=("raw potato", "teapot")),
        Thing("dining chair", holds=True, held=("knife", "red apple", "cookbook")),
        Thing("flour"),
    )
    assert seen.ways == ("south", "north", "west")
    assert seen.doors == {"south"}


def test_tidies_a_home_of_any_engine_that_speaks_the_protocol(fake: Path, registry: Registry) -> None:

    with EngineProcess(Path(sys.executable), fake) as engine:
        (game,) = generate(engine, "twc-easy", "train", 1)
        result = play(game, registry, ScriptedModel())
    assert (result.score, result.steps, result.best) == (1.0, 2, 2)


@pytest.mark.parametrize(
    ("source", "why"),
    [("raise SystemExit(3)", "ended with 3"), ("input(); print('hello', flush=True)", "it answered 'hello")],
)
def test_an_engine_that_fails_is_named_with_the_ways_out(tmp_path: Path, source: str, why: str) -> None:

    script = tmp_path / "broken_server.py"
    script.write_text(source, encoding="utf-8")
    with (
        EngineProcess(Path(sys.executable), script) as engine,
        pytest.raises(EngineUnavailable, match=f"broken is unavailable: .*{why}.*make games"),
    ):
        list(generate(engine, "twc-easy", "train", 1))


def test_the_command_names_what_is_missing_and_what_is_valid(tmp_path: Path) -> None:
    run = CliRunner().invoke(commands, ["bench", "textworld-express", "--python", str(tmp_path / "none")])
    assert run.exit_code == 2
    assert "make games" in " ".join(run.output.replace("│", " ").split())
    run = CliRunner().invoke(commands, ["bench", "textworld-express", "--fold", "exam"])
    assert run.exit_code == 2
    assert "train, dev, test" in " ".join(run.output.replace("│", " ").split())


def test_the_interpreter_is_chosen_named_or_that_of_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENRAL_GAMES_PYTHON", raising=False)
    assert games_python(None) == Path(".environments/games/bin/python")
    monkeypatch.setenv("OPENRAL_GAMES_PYTHON", "/opt/games/python")
    assert games_python(None) == Path("/opt/games/python")
    assert games_python(Path("/own")) == Path("/own")


def test_a_recipe_is_an_errand_of_the_robot() -> None:
    page = (
        "Gather.\n\nIngredients:\n  olive oil\n  potato\n\nDirections:\n  dice the potato\n  fry the potato\n"
    )
    recipe = Recipe.read(page, {})
    assert recipe.steps == (("dice", "potato"), ("fry", "potato"))
    assert recipe.goal == "put the olive oil, the potato and the knife on the counter"


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    with EngineProcess(PYTHON, SERVER) as running:
        yield running


@pytest.mark.skipif(not PYTHON.exists(), reason="TextWorldExpress is not installed: make games")
def test_plays_the_engine_itself(engine: EngineProcess, registry: Registry) -> None:
    games = [next(generate(engine, level, "train", 1)) for level in LEVELS]
    results = [play(next(generate(engine, level, "train", 1)), registry, ScriptedModel()) for level in LEVELS]
    assert [each.score for each in results] == [1.0] * len(LEVELS)
    assert all(game.best <= each.steps <= game.max_steps for game, each in zip(games, results, strict=True))
