"""What stands in a scene and may hide what is behind it."""

from collections.abc import Set

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.outlooks import Boxes

Vector = NDArray[np.float64]


def screens_near(
    model: mujoco.MjModel, data: mujoco.MjData, point: Vector, reach: float, blind: Set[int]
) -> Boxes:
    """Boxes around furniture's panels and walls; what can be picked up hides nothing, known or not.

    Args:
        model: The scene.
        data: Its state; doors and drawers are taken where they are.
        point: In map in [m], shape (3,).
        reach: How far from it they may be in [m].
        blind: Bodies left out, such as the robot's own.
    """
    geoms = [geom for geom in range(model.ngeom) if _stands(model, geom, blind)]
    middles, halves = model.geom_aabb[geoms].reshape(-1, 2, 3).transpose(1, 0, 2)
    axes = data.geom_xmat[geoms].reshape(-1, 3, 3)
    centres = data.geom_xpos[geoms] + np.einsum("nij,nj->ni", axes, middles)
    near = np.linalg.norm(centres - point, axis=1) < reach + np.linalg.norm(halves, axis=1)
    return Boxes(centres[near], axes[near], halves[near])


def _stands(model: mujoco.MjModel, geom: int, blind: Set[int]) -> bool:
    body = int(model.geom_bodyid[geom])
    first = int(model.body_jntadr[model.body_rootid[body]])
    loose = first >= 0 and int(model.jnt_type[first]) == int(mujoco.mjtJoint.mjJNT_FREE)
    is_plane = int(model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_PLANE)
    return not (loose or is_plane or body in blind)
