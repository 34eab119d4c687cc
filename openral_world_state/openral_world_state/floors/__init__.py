"""The floor plan: where the robot fits, how far it is, where to stand."""

from openral_world_state.floors.approaches import approach, facing
from openral_world_state.floors.floor import Floor
from openral_world_state.floors.routes import Route, Routes

__all__ = ["Floor", "Route", "Routes", "approach", "facing"]
