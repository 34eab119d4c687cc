"""Detections of one image lifted to observations, refused ones with the reason."""
# MERGED The answer to an observation.

from collections.abc import Sequence

from openral_core.detections import Detection
from openral_core.errors import OpenRALError
from openral_core.memory_queries import ObserveResult, ObserveStatus
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
    asked: bool,
) -> tuple[ObservationFrame, tuple[LiftRefused | UnreadableText, ...]]:
    """What a detector saw in a view, and why other boxes of it could not be used."""
    seen, refused = [], []
    for detection in detections:
        try:
            thesaurus.parse(detection.label)
            seen.append(_observation(view, detection, source, optics, asked=asked))
        except (LiftRefused, UnreadableText) as error:
            refused.append(error)
    return ObservationFrame(view.stamp, source, tuple(seen), tuple(map(str, refused))), tuple(refused)


def _observation(
    view: DepthView, detection: Detection, source: str, optics: DepthModel, *, asked: bool
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
        asked=asked,
        track=detection.track,
    )


_STATUSES = {NoDepth: ObserveStatus.NO_DEPTH, OutOfRange: ObserveStatus.OUT_OF_RANGE}


def build_observe_result(
    records: Sequence[ObjectRecord],
    snapshot: ObservationFrame,
    refusals: Sequence[OpenRALError],
    describer: MatchBuilder,
    revision: int,
) -> ObserveResult:
    """What was remembered, best score first; when nothing was, the first reason why."""
    if not records:
        status = (
            _STATUSES.get(type(refusals[0]), ObserveStatus.BAD_REQUEST)
            if refusals
            else ObserveStatus.BAD_REQUEST
        )
        message = str(refusals[0]) if refusals else "there is no detection to remember"
        return ObserveResult(status, message, refused=snapshot.refused, revision=revision)
    pairs = sorted(
        zip(snapshot.observations, records, strict=True), key=lambda pair: (-pair[0].score, pair[1].id)
    )
    matches = tuple(
        describer.match(MatchCandidate(record, seen.label, TermRelation.EQUAL, seen.score))
        for seen, record in pairs
    )
    message = f"remembered {', '.join(f'{seen.label} as {record.id}' for seen, record in pairs)}"
    return ObserveResult(ObserveStatus.REMEMBERED, message, matches, snapshot.refused, revision)
