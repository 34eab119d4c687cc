import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box, Detection
from openral_core.text import Thesaurus, parse_reference
from openral_perception_ros.relations import Grounding, ground_reference

THESAURUS = Thesaurus.load()
SCENE = {
    "left": Box(100, 200, 130, 240),
    "right": Box(400, 200, 430, 240),
    "bowl": Box(145, 205, 205, 245),
    "table": Box(60, 220, 560, 460),
    "floor": Box(300, 400, 330, 440),
    "lamp": Box(160, 40, 200, 110),
}
DEPTHS = {"left": 1.5, "right": 2.4, "bowl": 1.5, "table": 1.9, "floor": 1.9, "lamp": 1.5}


def depth_image() -> np.ndarray:
    """Depth of the scene, each object flat, small ones in front."""
    depth = np.full((480, 640), 4.0, np.float32)
    for name, box in sorted(SCENE.items(), key=lambda each: -each[1].width):
        depth[int(box.y_min) : int(box.y_max), int(box.x_min) : int(box.x_max)] = DEPTHS[name]
    return depth


def ground(phrase: str, mugs: str = "left right", with_depth: bool = True) -> Grounding:
    reference = parse_reference(phrase, THESAURUS)
    parts = {name: [Detection(box, name, 0.8)] for name, box in SCENE.items()}
    parts["mug"] = [Detection(SCENE[name], "mug", 0.9) for name in mugs.split()]
    parts["plate"] = []
    return ground_reference(reference, parts, depth_image() if with_depth else None)


@pytest.mark.parametrize("with_depth", [True, False])
@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("mug next to the bowl", ["left"]),
        ("mug closest to the bowl", ["left"]),
        ("mug left of the bowl", ["left"]),
        ("mug right of the bowl", ["right"]),
        ("left mug", ["left"]),
        ("mug on the right", ["right"]),
        ("mug on the table", ["left", "right"]),
        ("left mug on the table", ["left"]),
        ("lamp above the bowl", ["lamp"]),
        ("mug above the bowl", []),
        ("mug next to the plate", []),
    ],
)
def test_geometry_selects(phrase: str, expected: list[str], with_depth: bool) -> None:
    found = ground(phrase, with_depth=with_depth)
    assert found.unclear == ""
    assert [each.box for each in found.detections] == [SCENE[name] for name in expected]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("nearest mug", ["left"]),
        ("farthest mug", ["right"]),
        ("largest mug", ["right"]),
        ("smallest mug", ["left"]),
        ("bowl in front of the table", ["bowl"]),
        ("table behind the bowl", ["table"]),
    ],
)
def test_depth_orders_and_measures(phrase: str, expected: list[str]) -> None:
    assert [each.box for each in ground(phrase).detections] == [SCENE[name] for name in expected]


@pytest.mark.parametrize(
    ("phrase", "mugs", "with_depth"),
    [
        ("left mug", "left", True),
        ("large mug", "left", True),
        ("nearest mug", "left right", False),
        ("mug in front of the bowl", "left", False),
        ("mug left of the table", "left", True),
        ("mug on the table", "floor", True),
        ("left mug on the table", "left floor", True),
    ],
)
def test_what_geometry_does_not_decide_is_said_and_not_guessed(
    phrase: str, mugs: str, with_depth: bool
) -> None:
    found = ground(phrase, mugs, with_depth)
    assert found.detections == ()
    assert "mug" in found.unclear


def test_an_object_under_the_table_is_not_on_it() -> None:
    assert [each.box for each in ground("mug under the table", "left floor").detections] == [SCENE["floor"]]


def test_an_object_is_not_next_to_itself() -> None:
    assert ground("mug next to the mug", "left").detections == ()


@given(st.lists(st.tuples(*[st.floats(0.0, 600.0)] * 4), min_size=1, max_size=5), st.booleans())
def test_any_boxes_give_boxes_of_the_target_or_a_reason(
    corners: list[tuple[float, float, float, float]], with_depth: bool
) -> None:
    boxes = [Box(min(a, c), min(b, d), max(a, c) + 1, max(b, d) + 1) for a, b, c, d in corners]
    parts = {"mug": [Detection(box, "mug", 0.5) for box in boxes], "bowl": [Detection(boxes[0], "bowl", 0.5)]}
    depth = depth_image() if with_depth else None
    for how in (
        "largest mug",
        "left mug",
        "mug next to the bowl",
        "mug behind the bowl",
        "nearest mug in the bowl",
    ):
        found = ground_reference(parse_reference(how, THESAURUS), parts, depth)
        assert set(found.detections) <= set(parts["mug"])
        assert not (found.detections and found.unclear)
