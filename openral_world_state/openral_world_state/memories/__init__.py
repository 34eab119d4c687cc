"""What is remembered: records, their indices and the file that keeps them."""

from openral_world_state.memories.memory import Memory, UnknownObject
from openral_world_state.memories.records import Record, record_of
from openral_world_state.memories.schema import MemoryInUse, NewerMemory, UnreadableMemory
from openral_world_state.memories.store import Store

__all__ = [
    "Memory",
    "MemoryInUse",
    "NewerMemory",
    "Record",
    "Store",
    "UnknownObject",
    "UnreadableMemory",
    "record_of",
]
