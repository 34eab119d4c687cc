"""Remember what one look found."""

from dataclasses import dataclass
from enum import IntEnum

from openral_core.queries.recall import RecallMatch


class ObserveStatus(IntEnum):
    """How an observation ended."""

    REMEMBERED = 0
    NO_DEPTH = 1
    STALE_TRANSFORM = 2
    OUT_OF_RANGE = 3
    UNKNOWN_CAMERA = 4
    NO_FRAME = 5
    BAD_REQUEST = 6
    INACTIVE = 7
    INTERNAL_ERROR = 8


@dataclass(frozen=True, slots=True)
class ObserveResult:
    """``matches``: what was remembered, best score first; ``refused``: why each other box was not."""

    status: ObserveStatus
    message: str
    matches: tuple[RecallMatch, ...] = ()
    refused: tuple[str, ...] = ()
    revision: int = 0
