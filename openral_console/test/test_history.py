"""The history of an object is told by the differences of scene graphs."""

import pytest

from openral_console.history import MAX_EVENTS, MAX_OBJECTS, ObjectHistory


def scene(time: float, *changes: dict[str, object], left_out: int = 0) -> dict[str, object]:
    """Return a scene graph of objects: a mug at the origin, changed."""
    mug = {
        "id": "mug_1",
        "kind": "object",
        "label": "mug",
        "position": [0.0, 0.0, 0.9],
        "presence": "present",
        "opening": "",
        "first_seen": 5.0,
        "source": "detector",
    }
    return {"stamp": time, "left_out": left_out, "nodes": [{**mug, **change} for change in changes]}


def look(index: int, status: str = "NOT_IN_VIEW", arguments: str = '{"query": "Mug"}') -> dict[str, object]:
    call = {"index": index, "tool": "locate_in_view", "arguments": arguments, "status": status}
    return {"id": "m1", "calls": [{**call, "message": "not in view of head"}]}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"label": "cup"}, "renamed from mug"),
        ({"presence": "stale"}, "missed where it was remembered"),
        ({"opening": "open"}, "opened"),
        ({"position": [0.0, 0.3, 0.9]}, "moved to (0.00, 0.30, 0.90) m"),
        (
            {"position": [0.3, 0.0, 0.9], "source": "operator"},
            "moved by the operator to (0.30, 0.00, 0.90) m",
        ),
    ],
)
def test_a_difference_is_an_event(change: dict[str, object], text: str) -> None:
    history = ObjectHistory()
    history.on_scene(scene(10.0, {}))
    assert history.on_scene(scene(20.0, change)) == ["mug_1"]
    assert history.events["mug_1"] == [(5.0, "first seen"), (20.0, text)]
    assert history.on_scene(scene(30.0, change)) == []


def test_a_resting_object_whose_estimate_varies_has_not_moved() -> None:
    history = ObjectHistory()
    history.on_scene(scene(10.0, {}))
    for step in range(20):
        assert history.on_scene(scene(20.0 + step, {"position": [0.05 * (step % 3), 0.0, 0.9]})) == []


def test_positions_on_the_way_are_one_move() -> None:
    history = ObjectHistory()
    history.on_scene(scene(10.0, {}))
    for step in range(1, 9):
        history.on_scene(scene(20.0 + step, {"position": [0.2 * step, 0.0, 0.9]}))
    assert history.events["mug_1"][1:] == [(28.0, "moved to (1.60, 0.00, 0.90) m")]


def test_a_look_that_misses_is_told_once_of_the_object_it_was_for() -> None:
    history = ObjectHistory()
    history.on_scene(scene(10.0, {}, {"id": "fork_2", "label": "fork"}))
    for mission in (look(0), look(0), look(1, "FOUND"), look(2, arguments="[" * 100_000)):
        history.on_calls(mission, 12.0)
    assert history.events["mug_1"][1:] == [(12.0, "looked for and not seen: not in view of head")]
    assert len(history.events["fork_2"]) == 1


def test_a_forgotten_object_can_come_back_and_one_that_was_left_out_is_not_forgotten() -> None:
    history = ObjectHistory()
    history.on_scene(scene(10.0, {}))
    assert history.on_scene(scene(11.0, left_out=3)) == []
    history.on_scene(scene(12.0))
    history.on_scene(scene(13.0, {}))
    assert [text for _, text in history.events["mug_1"]][1:] == [
        "forgotten, or merged into another object",
        "back in memory",
    ]


def test_events_and_objects_are_bounded() -> None:
    history = ObjectHistory()
    for turn in range(2 * MAX_EVENTS):
        history.on_scene(scene(float(turn), {"label": str(turn)}))
    assert len(history.events["mug_1"]) == MAX_EVENTS
    history.on_scene(scene(99.0, *({"id": str(each)} for each in range(MAX_OBJECTS + 9))))
    assert len(history.events) == MAX_OBJECTS
