"""How remembered things relate to the home and to each other."""

from openral_world_state.structures.edges import home_edges, object_edges, route_edges
from openral_world_state.structures.situations import Situation, must_open, situation_of

__all__ = ["Situation", "home_edges", "must_open", "object_edges", "route_edges", "situation_of"]
