"""Rules of text adventures."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
from openral_core.documents import parse_document
from openral_household_benchmark.text_games import TwcDocument, twc_world
from openral_household_benchmark.text_world import CommandRefused, TextWorld, fewest_steps


@pytest.fixture
def world(twc_file: dict[str, Any]) -> TextWorld:
    return twc_world(parse_document(TwcDocument, twc_file, "a game"))


def test_the_description_of_a_room_tells_what_lies_open(world: TextWorld) -> None:
    assert world.visible() == ("o_0",)
    assert world.held == ("o_1",)


def test_every_command_is_a_step_and_the_goal_is_reached_item_by_item(world: TextWorld) -> None:
    world.take("o_0")
    world.open("c_0")
    world.go("r_1")
    world.put("o_0", "c_1")
    world.put("o_1", "c_1")
    assert world.score == pytest.approx(2 / 3)
    world.take("f_0")
    world.go("r_0")
    world.put("f_0", "c_0")
    assert world.score == 1.0
    assert world.steps == world.steps_to_score == 8


def test_the_fewest_steps_take_put_open_and_walk_the_shortest_way(world: TextWorld) -> None:
    assert fewest_steps(world) == 8


@pytest.mark.parametrize(
    "command",
    [
        lambda world: world.go("r_0"),
        lambda world: world.open("c_1"),
        lambda world: world.close("c_0"),
        lambda world: world.take("f_0"),
        lambda world: world.put("o_0", "s_0"),
        lambda world: world.put("o_1", "c_0"),
        lambda world: world.put("o_1", "c_1"),
    ],
)
def test_a_command_that_does_not_fit_costs_a_step_and_changes_nothing(
    world: TextWorld, command: Callable[[TextWorld], None]
) -> None:
    before = (dict(world.at), world.robot, set(world.closed))
    with pytest.raises(CommandRefused, match="does nothing"):
        command(world)
    assert world.steps == 1
    assert (dict(world.at), world.robot, world.closed) == before


def test_an_item_taken_away_again_still_counts_where_the_game_keeps_score(world: TextWorld) -> None:
    world.go("r_1")
    world.put("o_1", "c_1")
    world.take("o_1")
    assert world.score == pytest.approx(1 / 3)
