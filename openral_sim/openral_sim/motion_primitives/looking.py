"""Looking at the floor around the robot, for the map that the base plans on."""

import numpy as np

from openral_core.arrays import Vector3
from openral_core.skills import Feedback
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.motion_primitives.head import aim, face
from openral_sim.planning.perceived_floor import PerceivedFloor

MAP_WAIT = 3.0
"""Longest wait for a newer map in [s]."""
MAPS = 2
"""Newer maps to wait for after a look [1]: the first may have been made before the last image."""
_PANS = (-1.2, -0.6, 0.0, 0.6, 1.2)
"""Pans of the head in a look around from one spot in [rad]."""
_TILT = 0.6
"""Its tilt in [rad]: the floor from 0.8 m to 5 m away."""
_DWELL = 2.0
"""Time at each pan in [s]: the mapper forgets an obstacle that left after nine images at 5 Hz."""


def look_around(context: SkillContext, floor: PerceivedFloor) -> Move[None]:
    """Look at the floor ahead and at both sides until obstacles that left are forgotten; the base stays."""
    yaw = float(context.control.base_pose[2])
    for pan in _PANS:
        yield from look_into(context, yaw + pan, _TILT, _DWELL)
    for _ in range(MAPS):
        yield from newer_map(floor)


def look_into(context: SkillContext, bearing: float, tilt: float, dwell: float) -> Move[None]:
    """Aim the head into a direction of map and stay there for a time in [s]."""
    distance = context.head.height / np.tan(tilt)
    base = context.control.base_pose
    point: Vector3 = np.array(
        [base[0] + distance * np.cos(bearing), base[1] + distance * np.sin(bearing), 0.0]
    )
    yield from face(context, point, "looking around")
    yield from aim(context, point, "looking around")
    for _ in range(round(dwell / CONTROL_PERIOD)):
        yield Feedback("looking around", 1.0)


def newer_map(floor: PerceivedFloor) -> Move[None]:
    """Wait, up to a limit, for the next map."""
    previous = floor.latest
    for _ in range(round(MAP_WAIT / CONTROL_PERIOD)):
        if floor.latest is not previous:
            return
        yield Feedback("waiting for the map", 1.0)
