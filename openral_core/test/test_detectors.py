"""Boxes and detections that an image can hold."""

import math
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from openral_core.detectors import Box, Detection, DetectorInfo, Health, InvalidDetection, LifecycleState
from openral_core.rskills import Mode, Name, Vocabulary

edges = st.floats(-500.0, 500.0)


@given(edges, edges, st.floats(1.0, 500.0), st.floats(1.0, 500.0))
def test_a_clipped_box_lies_inside_the_image(x: float, y: float, width: float, height: float) -> None:
    clipped = Box(x, y, x + width, y + height).clipped(320, 240)
    assume(clipped is not None)
    assert clipped is not None
    assert 0.0 <= clipped.x_min < clipped.x_max <= 320.0
    assert 0.0 <= clipped.y_min < clipped.y_max <= 240.0


def test_a_box_beside_the_image_has_no_part_in_it() -> None:
    assert Box(-20.0, 0.0, -10.0, 5.0).clipped(320, 240) is None


@pytest.mark.parametrize(
    ("other", "iou"), [((0, 0, 10, 10), 1.0), ((5, 0, 15, 10), 1 / 3), ((20, 0, 30, 10), 0.0)]
)
def test_overlap_is_measured(other: tuple[int, int, int, int], iou: float) -> None:
    assert Box(0, 0, 10, 10).iou(Box(*other)) == pytest.approx(iou)


@pytest.mark.parametrize("box", [(0, 0, 0, 1), (5, 0, 4, 1), (0, math.nan, 1, 1), (0, 0, math.inf, 1)])
def test_a_box_without_area_is_refused(box: tuple[float, float, float, float]) -> None:
    with pytest.raises(InvalidDetection, match="x_min < x_max"):
        Box(*box)


@pytest.mark.parametrize(("label", "score"), [("", 0.5), ("  ", 0.5), ("mug", math.nan), ("mug", 1.1)])
def test_a_detection_needs_a_label_and_a_score(label: str, score: float) -> None:
    with pytest.raises(InvalidDetection):
        Detection(Box(0, 0, 1, 1), label, score)


LOCATOR = DetectorInfo(
    name=Name("locator"),
    mode=Mode.ON_DEMAND,
    engine="sim_groundtruth",
    vocabulary=Vocabulary.OPEN,
    description="finds objects by name",
    labels=(),
    cameras=("head",),
    licence="Apache-2.0",
    commercial_use=True,
    memory_declared=80.0,
    latency=0.1,
)


def test_a_detector_of_unknown_state_is_not_degraded() -> None:
    assert not LOCATOR.degraded


@pytest.mark.parametrize(("state", "health"), product(LifecycleState, Health))
def test_only_an_active_detector_whose_worker_is_degraded_is(state: LifecycleState, health: Health) -> None:
    degraded = (state, health) == (LifecycleState.ACTIVE, Health.DEGRADED)
    assert replace(LOCATOR, state=state, health=health).degraded is degraded
