"""Put memory right, as the operator says."""

from dataclasses import dataclass
from enum import IntEnum


class EditOperation(IntEnum):
    """What an operator can do to a remembered object."""

    RENAME = 0
    MOVE = 1
    FORGET = 2
    MERGE = 3


class EditStatus(IntEnum):
    """How an edit ended."""

    EDITED = 0
    UNKNOWN_OBJECT = 1
    BAD_LABEL = 2
    BAD_POSITION = 3
    SAME_OBJECT = 4
    BAD_OPERATION = 5
    INACTIVE = 6
    INTERNAL_ERROR = 7


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """``operation`` is a number of `EditOperation`, judged where it is carried out.

    ``label`` is for RENAME; ``position`` in map [m] for MOVE; ``other`` for MERGE: it becomes ``node_id``.
    """

    operation: int
    node_id: str
    label: str = ""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    other: str = ""


@dataclass(frozen=True, slots=True)
class EditResult:
    """``message`` says what was done or why not; ``known``: nearest ids when one asked for is not there."""

    status: EditStatus
    message: str
    known: tuple[str, ...] = ()
    revision: int = 0
