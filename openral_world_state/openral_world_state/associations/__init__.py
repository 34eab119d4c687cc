"""Which observation is which remembered object."""

from openral_world_state.associations.assignment import assign
from openral_world_state.associations.associate import Associator
from openral_world_state.associations.identity import appeared_since, merge, missing_like
from openral_world_state.associations.likeness import Gates
from openral_world_state.associations.room_for_more import Limits, MemoryFull, NoRoom, TooCrowded
from openral_world_state.associations.updates import supported, vote

__all__ = [
    "Associator",
    "Gates",
    "Limits",
    "MemoryFull",
    "NoRoom",
    "TooCrowded",
    "appeared_since",
    "assign",
    "merge",
    "missing_like",
    "supported",
    "vote",
]
