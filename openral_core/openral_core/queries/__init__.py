"""Questions to spatial memory and their answers; asked over services, answered by world state."""

from openral_core.queries.edit import EditOperation, EditResult, EditStatus, MemoryEdit
from openral_core.queries.observe import ObserveResult, ObserveStatus
from openral_core.queries.recall import (
    RecallMatch,
    RecallQuery,
    RecallResult,
    RecallStatus,
)
from openral_core.queries.resolve import ResolveQuery, ResolveResult, ResolveStatus

__all__ = [
    "EditOperation",
    "EditResult",
    "EditStatus",
    "MemoryEdit",
    "ObserveResult",
    "ObserveStatus",
    "RecallMatch",
    "RecallQuery",
    "RecallResult",
    "RecallStatus",
    "ResolveQuery",
    "ResolveResult",
    "ResolveStatus",
]
