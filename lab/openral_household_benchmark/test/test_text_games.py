"""Readers of text adventures, and missions in them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
from typer.testing import CliRunner

from openral_bringup.graph.resources import rskill_folders
from openral_core.documents import InvalidDocument
from openral_core.rskills import Registry
from openral_household_benchmark.games_cli import commands
from openral_household_benchmark.text_episode import TWC_PUBLISHED, play, summary
from openral_household_benchmark.text_games import read_adventures, read_twc
from openral_reasoner.scripted.planner import ScriptedModel


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.load(rskill_folders())


@pytest.fixture
def games(tmp_path: Path, twc_file: dict[str, Any]) -> Path:
    folder = tmp_path / "easy" / "train"
    folder.mkdir(parents=True)
    (folder / "a_game.json").write_text(json.dumps(twc_file), encoding="utf-8")
    return tmp_path


@pytest.fixture
def instances(tmp_path: Path, adventure_file: dict[str, Any], entities_file: list[dict[str, str]]) -> Path:
    (tmp_path / "in").mkdir()
    definitions = tmp_path / "resources" / "definitions"
    definitions.mkdir(parents=True)
    (definitions / "home_entities.json").write_text(json.dumps(entities_file), encoding="utf-8")
    file = tmp_path / "in" / "instances.json"
    file.write_text(json.dumps(adventure_file), encoding="utf-8")
    return file


def test_tidies_a_game_of_textworld_commonsense(games: Path, registry: Registry) -> None:
    (game,) = read_twc(games, ("easy",), ("train",))
    result = play(game, registry, ScriptedModel())
    assert (result.score, result.state, result.handoffs) == (1.0, "SUCCEEDED", 0)
    assert game.best == 8
    assert game.best <= result.steps <= 1.5 * game.best


def test_makes_a_home_delivery_of_adventure_game(instances: Path, registry: Registry) -> None:
    (game,) = read_adventures(instances)
    assert game.goal == "Put the pillow on the counter"
    result = play(game, registry, ScriptedModel())
    assert (result.score, result.state) == (1.0, "SUCCEEDED")
    # The wardrobe is left open: the hand is full there, and the robot does not go back.
    assert (result.steps, result.best) == (5, 5)


def test_a_game_ends_with_its_last_step(games: Path, registry: Registry) -> None:
    (game,) = read_twc(games, ("easy",), ("train",))
    short = type(game)(**{**vars(game), "max_steps": 3})
    result = play(short, registry, ScriptedModel())
    assert result.steps == 3
    assert result.score < 1.0
    assert result.state != "SUCCEEDED"


def test_the_table_has_the_published_figures_below_ours(games: Path, registry: Registry) -> None:
    (game,) = read_twc(games, ("easy",), ("train",))
    rows = summary([play(game, registry, ScriptedModel())], TWC_PUBLISHED)
    assert [row["player"] for row in rows][:2] == ["OpenRAL", "published: human"]
    assert rows[0]["complete"] == 1


def test_a_folder_without_games_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="no game"):
        list(read_twc(tmp_path, ("easy",), ("train",)))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda file: file["experiments"].pop(0), "no experiment of home deliveries"),
        (lambda file: file["experiments"][0]["game_instances"][0].pop("goal_state"), "goal_state"),
        (
            lambda file: file["experiments"][0]["game_instances"][0].update(prompt="nothing"),
            "the prompt states no goal",
        ),
    ],
)
def test_a_file_that_is_no_home_delivery_is_refused(
    instances: Path, change: Callable[[dict[str, list[object]]], object], problem: str
) -> None:
    content = json.loads(instances.read_text(encoding="utf-8"))
    change(content)
    instances.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InvalidDocument, match=problem):
        list(read_adventures(instances))


def test_the_command_prints_a_table_and_ends_with_one_if_a_game_is_not_complete(games: Path) -> None:
    run = CliRunner().invoke(commands, ["bench", "twc", str(games), "--level", "easy", "--split", "train"])
    assert run.exit_code == 0, run.output
    assert "| easy train | OpenRAL | 1 | 1 | 1.0 |" in run.output
    missing = CliRunner().invoke(commands, ["bench", "twc", str(games), "--split", "test"])
    assert missing.exit_code == 2
