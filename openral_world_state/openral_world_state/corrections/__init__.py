"""What an operator can put right in memory."""

from openral_world_state.corrections.correcting import OPERATOR, SameObject, forget, join, move, rename
from openral_world_state.corrections.editing import UnknownOperation, edit

__all__ = ["OPERATOR", "SameObject", "UnknownOperation", "edit", "forget", "join", "move", "rename"]
