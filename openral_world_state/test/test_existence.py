"""Existence of objects from scores and misses: what is confirmed, what fades, what stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_world_state.existence import EXISTENCE, is_confirmed
from openral_world_state.spatial_memory.record import ObjectRecord

FOCAL = 500.0
HERE, THERE, BEYOND = (0.0, 0.0, 1.0), (0.0, 1.0, 1.0), (0.0, -1.0, 1.0)


def seen(*scores: float, side: float = 0.1) -> ObjectRecord:
    """An object a metre away, each time detected from another place."""
    record = ObjectRecord("mug_1", "mug", Pose((1.0, 0.0, 1.0)), (side,) * 3, confidence=EXISTENCE.neutral)
    for number, score in enumerate(scores):
        EXISTENCE.add_detection(record, score, (0.0, float(number), 1.0))
    record.viewpoint = HERE
    return record


@pytest.mark.parametrize("score", [0.3, 0.5, 0.7, 0.9])
def test_the_score_of_the_first_detection_is_the_probability(score: float) -> None:
    assert seen(score).confidence == pytest.approx(score)


@pytest.mark.parametrize(
    ("scores", "confirmed"), [((0.3,), False), ((0.3, 0.3), False), ((0.5, 0.5, 0.5), True), ((0.95,), True)]
)
def test_views_from_several_places_confirm(scores: tuple[float, ...], confirmed: bool) -> None:
    assert is_confirmed(seen(*scores)) is confirmed


def test_a_camera_at_rest_sees_one_piece_of_evidence() -> None:
    record = seen(0.4)
    for _ in range(50):
        EXISTENCE.add_detection(record, 0.4, HERE)
        EXISTENCE.add_miss(record, FOCAL, HERE)
    assert record.confidence == pytest.approx(0.4)
    EXISTENCE.add_detection(record, 0.8, HERE)
    assert record.confidence == pytest.approx(0.8)


def test_a_false_detection_fades_and_a_true_object_stays() -> None:
    false, true = seen(0.6), seen(0.5, 0.5, 0.5)
    for record in (false, true):
        EXISTENCE.add_miss(record, FOCAL, BEYOND)
    assert not is_confirmed(false)
    assert is_confirmed(true)
    for camera in (HERE, THERE, BEYOND):
        EXISTENCE.add_miss(false, FOCAL, camera)
    assert false.confidence < EXISTENCE.dropped


def test_a_small_object_far_away_may_be_overlooked() -> None:
    record = seen(0.6, side=0.05)
    EXISTENCE.add_miss(record, FOCAL, (-1.0, 0.0, 1.0))
    assert record.confidence == pytest.approx(0.6)
    EXISTENCE.add_miss(record, FOCAL, (0.2, 0.5, 1.0))
    assert record.confidence < 0.6


@given(st.lists(st.tuples(st.booleans(), st.floats(0.0, 1.0), st.floats(-5.0, 5.0)), max_size=30))
def test_a_probability_stays_within_its_bounds(events: list[tuple[bool, float, float]]) -> None:
    record = seen(0.5)
    for is_detected, score, y in events:
        before = record.confidence
        if is_detected:
            EXISTENCE.add_detection(record, score, (0.0, y, 1.0))
        else:
            EXISTENCE.add_miss(record, FOCAL, (0.0, y, 1.0))
        low, high = EXISTENCE.bounds
        assert low <= record.confidence <= high
        assert record.confidence >= before - 1e-9 or not is_detected
