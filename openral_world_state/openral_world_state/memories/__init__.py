"""What is remembered: records, their indices and the file that keeps them."""

from openral_world_state.memories.memory import Memory, UnknownObject
from openral_world_state.memories.records import Record, record_of
from openral_world_state.memories.schema import (
    MemoryInUse,
    MemoryRefused,
    MemoryUnavailable,
    NewerMemory,
    UnreadableMemory,
    reading,
)
from openral_world_state.memories.store import MemoryNotWritten, Store

__all__ = [
    "Memory",
    "MemoryInUse",
    "MemoryNotWritten",
    "MemoryRefused",
    "MemoryUnavailable",
    "NewerMemory",
    "Record",
    "Store",
    "UnknownObject",
    "UnreadableMemory",
    "reading",
    "record_of",
]
