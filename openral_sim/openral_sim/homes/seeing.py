"""What can be seen of a thing from where the robot stands, told by rays."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.maps import Place
from openral_sim.robot.body import HEAD_HEIGHT
from openral_sim.world import World

_FARTHEST = 3.2
_STEPS = (-0.35, 0.0, 0.35)
_OFFSETS = np.array(np.meshgrid(_STEPS, _STEPS, _STEPS)).reshape(3, -1).T
_ALL_GROUPS = None


def seen_share(world: World, thing: str) -> float:
    """The share of a thing that is seen from the best of the places, in [0, 1]."""
    return max((_seen_from(world, place, thing) for place in world.places.values()), default=0.0)


def _seen_from(world: World, place: Place, thing: str) -> float:
    """The share of points in a thing that the head would see something of it towards."""
    item = world.objects[thing]
    T = world.T_world(item.body)
    eye = np.array([place.pose.x, place.pose.y, HEAD_HEIGHT])
    if float(np.linalg.norm(T[:3, 3] - eye)) > _FARTHEST:
        return 0.0
    points = T[:3, 3] + (_OFFSETS * item.size) @ T[:3, :3].T
    return float(np.mean([_hits(world, eye, point, world.model.body(item.body).id) for point in points]))


def _hits(world: World, eye: NDArray[np.float64], point: NDArray[np.float64], body: int) -> bool:
    geom = np.full(1, -1, dtype=np.int32)
    mujoco.mj_ray(world.model, world.data, eye, point - eye, _ALL_GROUPS, 1, -1, geom)
    return int(geom[0]) >= 0 and int(world.model.geom_bodyid[geom[0]]) == body
