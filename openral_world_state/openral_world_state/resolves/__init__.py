"""Where is this, and how does one get there?"""

from openral_world_state.resolves.names import Names
from openral_world_state.resolves.resolve import Resolve

__all__ = ["Names", "Resolve"]
