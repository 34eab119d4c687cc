"""A small kitchen, looked at again and again."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from openral_core.detectors import Box, Detection
from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import (
    ObserveStatus,
    Opening,
    Presence,
    RecallQuery,
    RecallStatus,
    Relation,
    ResolveQuery,
    ResolveStatus,
)
from openral_core.text import Thesaurus
from openral_testing.synthetic_depth import Block, Cylinder, Plane, Solid, look_at_pose, render_depth
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
THESAURUS = Thesaurus.load()
ROOM: dict[str, Solid] = {
    "_counter": Block((2.0, 4.19, 0.45), (2.6, 0.6, 0.9)),
    "_wall": Plane((0.0, 1.0, 0.0), 4.5),
    "_floor": Plane((0.0, 0.0, 1.0), 0.0),
}
BAGUETTE = Block((2.3, 4.15, 0.93), (0.5, 0.06, 0.06), 0.2)
COUNTER = look_at_pose((2.0, 3.05, 1.35), (2.0, 4.2, 0.9))
GT = "sim-groundtruth"
IMAGES = (0.02, 0.01, 0.0)
"""Images that confirm an object, by their time before the last [s]."""


@pytest.fixture
def world() -> WorldModel:
    made = open_world(MAP, "", WorldModelSettings(), THESAURUS)
    made.vocabularies.set(GT, ("mug", "bread", "bottle"))
    return made


def mug_at(x: float, y: float = 4.1, z: float = 0.95) -> Cylinder:
    return Cylinder((x, y, z), 0.04, 0.1, hollow=True)


def see(
    world: WorldModel, bodies: dict[str, Solid], stamp: float, labels: dict[str, str], T: np.ndarray = COUNTER
) -> None:
    shot = render_depth({**bodies, **ROOM}, T, size=(320, 240), stamp=stamp)
    seen = [Detection(shot.boxes[name], label, 0.9) for name, label in labels.items() if name in shot.boxes]
    for earlier in IMAGES:
        world.integrate(dataclasses.replace(shot.view, stamp=stamp - earlier), seen, GT)


def recall(world: WorldModel, words: str, **more: object) -> object:
    return world.recall(RecallQuery(words, **more), now=100.0)  # type: ignore[arg-type]


def test_broader_is_a_near_miss_that_names_the_place(world: WorldModel) -> None:
    see(world, {"b": BAGUETTE}, 1.0, {"b": "bread"})
    answer = recall(world, "baguette")
    assert answer.status is RecallStatus.NOT_IN_MEMORY
    assert (answer.near_misses[0].label, answer.near_misses[0].place) == ("bread", "kitchen_counter")
    assert recall(world, "food").status is RecallStatus.FOUND


def test_what_was_asked_for_and_found_answers_from_then_on(world: WorldModel) -> None:
    see(world, {"b": BAGUETTE}, 1.0, {"b": "bread"})
    shot = render_depth({"b": BAGUETTE, **ROOM}, COUNTER, stamp=1.0)
    observed = world.observe(shot.view, [Detection(shot.boxes["b"], "baguette", 0.9)], "locator")
    assert observed.status is ObserveStatus.REMEMBERED
    found = recall(world, "baguette")
    assert found.status is RecallStatus.FOUND
    assert found.matches[0].node_id == observed.matches[0].node_id
    assert np.allclose(found.matches[0].pose.position, BAGUETTE.center, atol=0.02)
    assert len(world.memory) == 1


def test_two_mugs_are_ambiguous_and_given_best_first(world: WorldModel) -> None:
    see(world, {"a": mug_at(1.6), "b": mug_at(1.75)}, 1.0, {"a": "mug", "b": "mug"})
    answer = recall(world, "cup")
    assert answer.status is RecallStatus.AMBIGUOUS
    assert len(answer.matches) == 2


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("unicorn", RecallStatus.NOT_IN_MEMORY),
        ("cupboard", RecallStatus.NOT_IN_MEMORY),
        ("", RecallStatus.BAD_QUERY),
        ("x" * 10_000, RecallStatus.BAD_QUERY),
        ("\x07", RecallStatus.BAD_QUERY),
    ],
)
def test_a_miss_is_never_a_pose(world: WorldModel, words: str, status: RecallStatus) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    answer = recall(world, words)
    assert answer.status is status
    assert not answer.matches
    assert answer.message


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"room": "kitchen"}, True),
        ({"room": "living room"}, False),
        ({"near": (1.6, 4.0, 0.9), "radius": 0.5}, True),
        ({"near": (8.0, 4.0, 0.9), "radius": 0.5}, False),
        ({"max_age": 1000.0}, True),
        ({"max_age": 10.0}, False),
    ],
)
def test_filters_narrow_the_answer(world: WorldModel, filters: dict[str, object], found: bool) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    assert (recall(world, "mug", **filters).status is RecallStatus.FOUND) is found


def test_an_object_fades_when_its_place_is_seen_empty(world: WorldModel) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    for stamp in range(2, 5):
        see(world, {}, float(stamp), {})
    assert recall(world, "mug").status is RecallStatus.ONLY_STALE
    for stamp in range(5, 12):
        see(world, {}, float(stamp), {})
    answer = recall(world, "mug")
    assert answer.status is RecallStatus.NOT_IN_MEMORY
    assert answer.near_misses[0].presence is Presence.GONE
    see(world, {"a": mug_at(1.6)}, 20.0, {"a": "mug"})
    assert recall(world, "mug").status is RecallStatus.FOUND


def test_it_does_not_fade_behind_something(world: WorldModel) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    for stamp in range(2, 20):
        see(world, {"_box": Block((1.65, 3.9, 1.05), (0.5, 0.05, 0.5))}, float(stamp), {})
    assert recall(world, "mug").status is RecallStatus.FOUND


def test_it_does_not_fade_for_a_detector_that_cannot_name_it(world: WorldModel) -> None:
    shot = render_depth({"v": mug_at(1.6), **ROOM}, COUNTER, stamp=1.0)
    world.observe(shot.view, [Detection(shot.boxes["v"], "vase", 0.9)], "locator")
    for stamp in range(2, 20):
        see(world, {}, float(stamp), {})
    assert recall(world, "vase").status is RecallStatus.FOUND


def test_it_does_not_fade_twice_for_one_moment(world: WorldModel) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    for _ in range(20):
        see(world, {}, 2.0, {})
    assert recall(world, "mug").status is RecallStatus.FOUND


def test_contents_of_a_container_must_be_opened_and_do_not_fade_while_it_is_shut(world: WorldModel) -> None:
    inside = Cylinder((0.45, 1.7, 1.0), 0.04, 0.3)
    T = look_at_pose((1.75, 1.7, 1.3), (0.4, 1.7, 1.0))
    see(world, {"w": inside}, 1.0, {"w": "bottle"}, T)
    match = recall(world, "bottle").matches[0]
    assert (match.place, match.containers, match.must_open) == ("fridge", ("fridge",), "fridge")
    world.container_states.set("fridge", Opening.CLOSED)
    for stamp in range(2, 20):
        see(world, {}, float(stamp), {}, T)
    assert recall(world, "bottle").status is RecallStatus.FOUND
    world.container_states.set("fridge", Opening.OPEN)
    assert recall(world, "bottle").matches[0].must_open == ""


def test_what_moved_keeps_its_name(world: WorldModel) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    for stamp in range(2, 6):
        see(world, {"a": mug_at(2.5)}, float(stamp), {"a": "mug"})
    assert [record.id for record in world.memory] == ["mug_1"]
    assert np.allclose(world.memory.get("mug_1").pose.position, (2.5, 4.1, 0.95), atol=0.02)


def test_the_graph_says_how_things_stand(world: WorldModel) -> None:
    see(world, {"a": mug_at(1.6), "b": mug_at(1.75)}, 1.0, {"a": "mug", "b": "mug"})
    graph = world.graph()
    assert graph.targets("mug_1", Relation.ON) == ("kitchen_counter",)
    assert graph.targets("mug_1", Relation.IN_ROOM) == ("kitchen",)
    assert graph.targets("mug_1", Relation.NEAR) == ("mug_2",)
    assert "requester" in graph.by_id
    assert graph.targets("kitchen_middle", Relation.TRAVERSABLE_TO)


@pytest.mark.parametrize(
    ("reference", "kind", "node"),
    [
        ("me", "agent", "requester"),
        ("the kitchen", "room", "kitchen"),
        ("sitting room", "room", "living_room"),
        ("fridge", "place", "fridge"),
        ("refrigerator", "place", "fridge"),
        ("at_fridge", "place", "fridge"),
        ("the table", "place", "dining_table"),
        ("couch", "place", "sofa"),
        ("coffee table", "place", "coffee_table"),
        ("mug", "object", "mug_1"),
        ("mug_1", "object", "mug_1"),
    ],
)
def test_resolves_words_to_a_standing_pose(world: WorldModel, reference: str, kind: str, node: str) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    answer = world.resolve(ResolveQuery(reference, start=(3.0, 2.2, 0.0)))
    assert (answer.status, answer.kind, answer.node_id) == (ResolveStatus.FOUND, kind, node)
    assert answer.goal_pose is not None
    assert world._floor is not None
    assert world._floor.is_free(answer.goal_pose.position[:2])
    assert answer.path_length > 0.0


def test_what_is_unknown_has_no_pose(world: WorldModel) -> None:
    answer = world.resolve(ResolveQuery("the unicorn"))
    assert answer.status is ResolveStatus.NOT_FOUND
    assert answer.goal_pose is None
    assert answer.candidates


def test_boxes_that_cannot_be_lifted_are_refused_with_the_reason(world: WorldModel) -> None:
    shot = render_depth({"a": mug_at(1.6)}, COUNTER, stamp=1.0)
    seen = world.integrate(shot.view, [Detection(Box(5.0, 5.0, 9.0, 9.0), "mug", 0.9)], GT)
    assert not seen.records
    assert "no valid depth" in seen.frame.refused[0]
    assert world.observe(shot.view, [Detection(Box(5.0, 5.0, 9.0, 9.0), "mug", 0.9)], GT).status is (
        ObserveStatus.NO_DEPTH
    )


def test_the_hand_carries_what_it_holds_to_where_it_lets_go(world: WorldModel) -> None:
    see(world, {"a": mug_at(1.6)}, 1.0, {"a": "mug"})
    world.update_held_object("mug", Pose((1.6, 4.0, 1.0)), 2.0)
    world.held_object.move(Pose((7.9, 1.0, 1.1)))
    for stamp in range(3, 20):
        see(world, {}, float(stamp), {})
    assert world.memory.get("mug_1").presence is Presence.PRESENT
    world.update_held_object("", Pose((7.9, 1.0, 1.1)), 20.0)
    assert recall(world, "mug").matches[0].room == "living_room"


def test_what_is_near_in_meaning_is_worth_a_look_and_never_a_match(world: WorldModel) -> None:
    see(world, {"b": BAGUETTE, "m": mug_at(1.6)}, 1.0, {"b": "rucksack", "m": "mug"})
    asked = RecallQuery("satchel")
    assert not world.recall(asked, 2.0).near_misses
    answer = world.recall(asked, 2.0, [("rucksack", 0.71), ("no longer used", 0.7)])
    assert answer.status is RecallStatus.NOT_IN_MEMORY
    assert not answer.matches
    assert [miss.label for miss in answer.near_misses] == ["rucksack"]
    assert "rucksack: similar meaning (0.71)" in answer.message
    assert answer.nearest_names[0] == "rucksack"
    assert world.recall(RecallQuery("mug"), 2.0, [("rucksack", 0.9)]).matches[0].label == "mug"


@pytest.mark.parametrize("text", ["\ud800", "mug\x00", "\x07", "?"])
@pytest.mark.parametrize("field", ["query", "room"])
def test_unreadable_text_in_a_recall_is_a_bad_query_with_the_reason(
    world: WorldModel, field: str, text: str
) -> None:
    query = dataclasses.replace(RecallQuery("mug"), **{field: text})
    answer = world.recall(query, 1.0)
    assert answer.status is RecallStatus.BAD_QUERY
    assert repr(text) in answer.message
