"""Observe requests: lifted detections, and the result with the first reason for a refusal."""

import pytest

from openral_core.detectors import Box, Detection
from openral_core.spatial_memory import ObserveStatus
from openral_core.text import Thesaurus
from openral_testing.synthetic_depth import Ball, Block, look_at_pose, render_depth
from openral_world_state.lifting import DepthModel, NoDepth, OutOfRange, OutsideImage
from openral_world_state.observation import ObservationFrame, lift_detections
from openral_world_state.queries.observe import build_observe_result
from openral_world_state.queries.recall import MatchBuilder
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap

THESAURUS = Thesaurus.load()
BODIES = {"ball": Ball((1.0, 0.0, 1.0), 0.05), "far": Block((30.0, 6.0, 1.0), (1.0, 5.0, 5.0))}
IMAGE = render_depth(BODIES, look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)), size=(320, 240), stamp=4.0)
SKY = Detection(Box(5.0, 5.0, 9.0, 9.0), "sky", 0.9)
BALL = Detection(IMAGE.boxes["ball"], "tennis  ball", 0.9, track=7)


def lifted(*detections: Detection) -> tuple[ObservationFrame, tuple[Exception, ...]]:
    return lift_detections(IMAGE.view, detections, "locator", DepthModel(), THESAURUS, from_query=True)


def test_a_detection_is_lifted_with_its_label_stamp_and_track() -> None:
    frame, refused = lifted(BALL)
    (seen,) = frame.observations
    assert (seen.label, seen.stamp, seen.source, seen.track) == ("tennis ball", 4.0, "locator", 7)
    assert seen.from_query
    assert seen.pose.position == pytest.approx((1.0, 0.0, 1.0), abs=0.02)
    assert refused == frame.refused == ()


@pytest.mark.parametrize(
    ("detection", "error"),
    [
        (SKY, NoDepth),
        (Detection(IMAGE.boxes["far"], "house", 0.9), OutOfRange),
        (Detection(Box(900.0, 5.0, 950.0, 9.0), "sky", 0.9), OutsideImage),
    ],
)
def test_a_refused_box_does_not_refuse_the_others(detection: Detection, error: type) -> None:
    frame, refused = lifted(detection, BALL)
    assert [seen.label for seen in frame.observations] == ["tennis ball"]
    assert [type(refusal) for refusal in refused] == [error]
    assert frame.refused == (str(refused[0]),)


def test_a_label_that_names_nothing_is_refused() -> None:
    frame, refused = lifted(Detection(IMAGE.boxes["ball"], "?", 0.9))
    assert not frame.observations
    assert "'?'" in str(refused[0])


@pytest.mark.parametrize(
    ("detections", "status"),
    [
        ((SKY,), ObserveStatus.NO_DEPTH),
        ((Detection(IMAGE.boxes["far"], "house", 0.9), SKY), ObserveStatus.OUT_OF_RANGE),
        ((Detection(IMAGE.boxes["ball"], "?", 0.9),), ObserveStatus.BAD_REQUEST),
        ((), ObserveStatus.BAD_REQUEST),
    ],
)
def test_the_first_refusal_is_the_status_if_no_object_was_stored(
    detections: tuple[Detection, ...], status: ObserveStatus
) -> None:
    frame, refused = lifted(*detections)
    result = build_observe_result((), frame, refused, MatchBuilder(StaticMap(), None, 0.7), 3)
    assert (result.status, result.matches, result.revision) == (status, (), 3)
    assert result.message == (str(refused[0]) if refused else "the request has no detections to store")


def test_stored_objects_are_ordered_by_score() -> None:
    frame, refused = lifted(Detection(BALL.box, "ball", 0.4), SKY, Detection(BALL.box, "tennis ball", 0.8))
    records = [
        ObjectRecord(name, "ball", seen.pose) for name, seen in zip("ab", frame.observations, strict=True)
    ]
    result = build_observe_result(records, frame, refused, MatchBuilder(StaticMap(), None, 0.7), 3)
    assert result.status is ObserveStatus.REMEMBERED
    assert [(match.node_id, match.score) for match in result.matches] == [("b", 0.8), ("a", 0.4)]
    assert result.message == "stored tennis ball as b, ball as a"
    assert len(result.refused) == 1
