"""What does not move in a home: rooms, furniture, places to stand; and the people in it."""

from openral_world_state.homes.from_graph import home_of_graph
from openral_world_state.homes.from_map import home_of_map
from openral_world_state.homes.home import FARTHEST, Area, Home, is_on_map
from openral_world_state.homes.sites import Shelf, Site

__all__ = ["FARTHEST", "Area", "Home", "Shelf", "Site", "home_of_graph", "home_of_map", "is_on_map"]
