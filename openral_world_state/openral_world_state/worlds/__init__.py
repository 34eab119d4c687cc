"""A home and everything remembered in it."""

from openral_world_state.worlds.opening import import_graph, open_world
from openral_world_state.worlds.settings import Settings
from openral_world_state.worlds.world import Seen, World

__all__ = ["Seen", "Settings", "World", "import_graph", "open_world"]
