"""The answer to an observation."""

from collections.abc import Sequence

from openral_core.errors import OpenRALError
from openral_core.queries import ObserveResult, ObserveStatus
from openral_core.text import Relation
from openral_world_state.lifts import NoDepth, OutOfRange
from openral_world_state.memories import Record
from openral_world_state.observations import Snapshot
from openral_world_state.recalls import Answer, Describer

_STATUSES = {NoDepth: ObserveStatus.NO_DEPTH, OutOfRange: ObserveStatus.OUT_OF_RANGE}


def observe_result(
    records: Sequence[Record],
    snapshot: Snapshot,
    refusals: Sequence[OpenRALError],
    describer: Describer,
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
        describer.match(Answer(record, seen.label, Relation.EQUAL, seen.score)) for seen, record in pairs
    )
    message = f"remembered {', '.join(f'{seen.label} as {record.id}' for seen, record in pairs)}"
    return ObserveResult(ObserveStatus.REMEMBERED, message, matches, snapshot.refused, revision)
