"""Lift the detections of one image to observations, and build the result of an observe request."""

from collections.abc import Sequence

from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_core.spatial_memory import ObserveResult, ObserveStatus
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_world_state.lifting.camera import DepthView
from openral_world_state.lifting.lift import DepthModel, LiftRefused, NoDepth, OutOfRange, lift
from openral_world_state.observation import Observation, ObservationFrame
from openral_world_state.queries.recall import MatchBuilder, MatchCandidate
from openral_world_state.spatial_memory.record import ObjectRecord


def lift_detections(
    view: DepthView,
    detections: Sequence[Detection],
    source: str,
    optics: DepthModel,
    thesaurus: Thesaurus,
    *,
    from_query: bool,
) -> tuple[ObservationFrame, tuple[LiftRefused | UnreadableText, ...]]:
    """Lift detections; return the frame of observations, and the errors of the boxes that were refused.

    Args:
        view: Depth image of the detections.
        detections: Boxes and labels.
        source: Detector.
        optics: Range and noise of the camera.
        thesaurus: Parses labels.
        from_query: The detector was asked for these labels.
    """
    observations, refused = [], []
    for detection in detections:
        try:
            thesaurus.parse(detection.label)
            observations.append(_observation(view, detection, source, optics, from_query=from_query))
        except (LiftRefused, UnreadableText) as error:
            refused.append(error)
    frame = ObservationFrame(view.stamp, source, tuple(observations), tuple(map(str, refused)))
    return frame, tuple(refused)


def _observation(
    view: DepthView, detection: Detection, source: str, optics: DepthModel, *, from_query: bool
) -> Observation:
    lifted = lift(view, detection, optics)
    return Observation(
        label=" ".join(detection.label.split()),
        score=detection.score,
        pose=lifted.pose,
        size=lifted.size,
        covariance=tuple(lifted.covariance.ravel().tolist()),
        stamp=view.stamp,
        source=source,
        truncated=lifted.truncated,
        from_query=from_query,
        track=detection.track,
    )


_STATUSES = {NoDepth: ObserveStatus.NO_DEPTH, OutOfRange: ObserveStatus.OUT_OF_RANGE}


def build_observe_result(
    records: Sequence[ObjectRecord],
    frame: ObservationFrame,
    refusals: Sequence[OpenRALError],
    match_builder: MatchBuilder,
    revision: int,
) -> ObserveResult:
    """Build the result: stored objects, the best score first, or the first reason why none was stored."""
    if not records:
        status = (
            _STATUSES.get(type(refusals[0]), ObserveStatus.BAD_REQUEST)
            if refusals
            else ObserveStatus.BAD_REQUEST
        )
        message = str(refusals[0]) if refusals else "the request has no detections to store"
        return ObserveResult(status, message, refused=frame.refused, revision=revision)
    pairs = sorted(
        zip(frame.observations, records, strict=True), key=lambda pair: (-pair[0].score, pair[1].id)
    )
    matches = tuple(
        match_builder.match(MatchCandidate(record, observation.label, TermRelation.EQUAL, observation.score))
        for observation, record in pairs
    )
    message = f"stored {', '.join(f'{observation.label} as {record.id}' for observation, record in pairs)}"
    return ObserveResult(ObserveStatus.REMEMBERED, message, matches, frame.refused, revision)
