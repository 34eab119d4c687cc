"""NAVIGATE: drive to a standing pose."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import Pose, wrap_angle
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.motion_primitives.base_motion import drive_to, plan_base_motion
from openral_sim.motion_primitives.base_pose_selection import sees
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.base_planner import CostToGo
from openral_sim.planning.placement import candidate_base_poses
from openral_sim.skills.context import Running, SkillContext
from openral_sim.skills.errors import NotReachable
from openral_sim.skills.requests import NavigateRequest

Vector = NDArray[np.float64]
_BESIDE = 0.45
"""How far beside an occupied goal the robot may stand instead, in [m]."""
_VIEWING = (1.0, 1.2, 0.8, 1.4)
_TILT_WHILE_DRIVING = 0.35


def navigate(context: SkillContext, request: NavigateRequest) -> Running:
    """Drive to the goal; when it is too close to something, to the nearest reachable floor, and say so."""
    yield from stow_arm(context, "folding the arm")
    field = plan_base_motion(context)
    if request.goal is not None:
        goal, said = _beside(field, request.goal)
    else:
        goal, said = _facing(context, field, request.facing)
    context.control.point_head(0.0, _TILT_WHILE_DRIVING)
    yield from drive_to(context, goal, field, "driving")
    return SkillResult(SkillStatus.SUCCEEDED, said, _where(context))


def _beside(field: CostToGo, asked: Pose) -> tuple[Vector, str]:
    xy = np.array(asked.position[:2])
    free = field.nearest_reachable(xy, _BESIDE)
    if not np.isfinite(free).all():
        raise NotReachable(
            f"no floor with {field.clearance:.2f} m of room within {_BESIDE:.2f} m"
            f" of ({xy[0]:.2f}, {xy[1]:.2f})"
        )
    distance = float(np.linalg.norm(free - xy))
    said = (
        "arrived" if distance < 0.01 else f"arrived {distance:.2f} m beside the goal: it has too little room"
    )
    return np.append(free, asked.yaw), said


def _facing(context: SkillContext, field: CostToGo, target: Pose | None) -> tuple[Vector, str]:
    point = np.array(target.position if target else (0.0, 0.0, 0.0))
    poses = candidate_base_poses(field, point, _VIEWING)
    for pose in poses:
        if sees(context, pose, point):
            return pose, "arrived, facing it"
    raise NotReachable(f"none of {len(poses)} standing places sees ({point[0]:.2f}, {point[1]:.2f})")


def _where(context: SkillContext) -> Mapping[str, ParamValue]:
    x, y, yaw = context.control.base_pose
    return {"x": float(x), "y": float(y), "yaw": wrap_angle(float(yaw))}
