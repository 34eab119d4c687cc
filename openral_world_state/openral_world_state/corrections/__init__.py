"""What an operator can put right in memory."""

from openral_world_state.corrections.correcting import OPERATOR, SameObject, forget, join, move, rename

__all__ = ["OPERATOR", "SameObject", "forget", "join", "move", "rename"]
