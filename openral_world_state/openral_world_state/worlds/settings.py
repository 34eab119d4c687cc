"""How a world is kept."""

from dataclasses import dataclass, field

from openral_world_state.absences import Decay
from openral_world_state.associations import Gates, Limits
from openral_world_state.lifts import Optics


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of depth and memory, gates of association, decay; ``standoff`` and ``robot_radius`` in [m].

    ``map_epoch``: what was remembered in another has no usable pose; ``lateness``: see `ImageTime` [s].
    """

    optics: Optics = field(default_factory=Optics)
    gates: Gates = field(default_factory=Gates)
    decay: Decay = field(default_factory=Decay)
    limits: Limits = field(default_factory=Limits)
    standoff: float = 0.7
    robot_radius: float = 0.33
    map_epoch: int = 0
    lateness: float = 10.0
    default_agent: str = ""
