"""Obstacles and bids of robots."""

import pytest

from openral_core.skills import Verb
from openral_fleet.errands import Errand
from openral_fleet.goal_traits import traits_of
from openral_fleet.robots import SEARCH_COST, RememberedObject, RobotState, bid, obstacle

MUG = RememberedObject("red mug", 3.0, 4.0, ("counter_1", "kitchen counter", "kitchen"))
ALL = frozenset(Verb)


def errand(goal: str, **rules: object) -> Errand:
    return Errand.model_validate({"id": "e1", "goal": goal, **rules})


@pytest.mark.parametrize(
    ("given", "robot", "reason"),
    [
        (errand("bring me the mug"), RobotState("/r1", verbs=ALL), ""),
        (errand("bring me the mug"), RobotState("/r1", verbs=frozenset({Verb.NAVIGATE})), "/r1 lacks GRASP"),
        (errand("bring me the mug"), RobotState("/r1", verbs=ALL, holding="bowl"), "/r1 holds bowl"),
        (errand("bring me the mug"), RobotState("/r1", verbs=ALL, holding="red mug"), ""),
        (errand("find the mug"), RobotState("/r1", verbs=ALL, holding="bowl"), ""),
        (errand("find it", requires=["OPEN"]), RobotState("/r1"), "/r1 lacks OPEN"),
        (errand("find the mug", robot="r2"), RobotState("/r1", verbs=ALL), "/r1 is not r2"),
        (errand("find the mug", robot="r1"), RobotState("/r1", verbs=ALL), ""),
    ],
)
def test_a_robot_says_why_it_cannot_do_an_errand(given: Errand, robot: RobotState, reason: str) -> None:
    assert obstacle(given, traits_of(given.goal), robot) == reason


@pytest.mark.parametrize(
    ("robot", "cost"),
    [
        (RobotState("/r1", position=(0.0, 0.0), objects=(MUG,)), 5.0),
        (RobotState("/r1", position=(0.0, 0.0)), SEARCH_COST),
        (RobotState("/r1", objects=(MUG,)), SEARCH_COST),
        (RobotState("/r1", position=(0.0, 0.0), holding="mug"), 0.0),
    ],
)
def test_a_bid_is_the_way_to_the_object_or_the_search_for_it(robot: RobotState, cost: float) -> None:
    assert bid(traits_of("bring me the mug"), robot) == cost


@pytest.mark.parametrize(
    ("place", "there"), [("counter", True), ("counter_1", True), ("kitchen", True), ("table", False)]
)
def test_a_place_is_named_by_id_label_or_room(place: str, there: bool) -> None:
    assert MUG.is_at(place) is there
