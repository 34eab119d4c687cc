"""Describe what became of the answer to a query: the objects stored, or why none was."""

from collections.abc import Sequence

from openral_core.errors import OpenRALError
from openral_core.spatial_memory import ObserveResult, ObserveStatus
from openral_core.text import TermRelation
from openral_world_state.lifting import NoDepth, OutOfRange
from openral_world_state.observation import ObservationFrame
from openral_world_state.queries.recall import MatchBuilder, MatchCandidate
from openral_world_state.spatial_memory.record import ObjectRecord

_REFUSAL_STATUSES = {NoDepth: ObserveStatus.NO_DEPTH, OutOfRange: ObserveStatus.OUT_OF_RANGE}


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
            _REFUSAL_STATUSES.get(type(refusals[0]), ObserveStatus.BAD_REQUEST)
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
