"""NAVIGATE: drive to a pose, or to where the robot faces a target."""

import numpy as np

from openral_core.arrays import PlanarPose, Vector2
from openral_core.geometry import Pose, wrap_angle
from openral_core.obstructions import ObstacleKind
from openral_core.skill_errors import NotReachable
from openral_core.skill_requests import NavigateRequest
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.motion_primitives.base_motion import plan_base_motion
from openral_sim.motion_primitives.base_pose_selection import sees
from openral_sim.motion_primitives.context import Move, Running, SkillContext
from openral_sim.motion_primitives.driving import drive_to, look_again, person_in_way, wait_for_way
from openral_sim.motion_primitives.looking import look_around
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.base_planner import CostToGo, candidate_base_poses
from openral_sim.planning.perceived_floor import unreachable

_MAX_GOAL_OFFSET = 0.45
"""Largest distance from an occupied goal to the floor used instead in [m]."""
_ENCLOSED = 2.0
"""Reachable floor up to which the robot is enclosed in [m^2]; a small room has twice as much."""
_VIEW_DISTANCES = (1.0, 1.2, 0.8, 1.4)
"""Distances from which to face a target in [m], the best first."""
_DRIVING_TILT = 0.35
"""Tilt of the head while driving in [rad]: looks at the floor about four metres ahead."""


_MAY_LEAVE = (ObstacleKind.PERSON, ObstacleKind.SHUT_DOOR, ObstacleKind.FURNITURE, ObstacleKind.UNKNOWN)
"""Kinds of obstacles that may have left since the map showed them."""


class NoFreeFloor(NotReachable):
    """No reachable floor is near the goal; the evidence is the reachable floor nearest to it."""

    def __init__(self, field: CostToGo, goal: Vector2) -> None:
        super().__init__(
            f"no floor with {field.clearance:.2f} m of clearance within {_MAX_GOAL_OFFSET:.2f} m"
            f" of ({goal[0]:.2f}, {goal[1]:.2f})"
        )
        x, y = field.nearest_reachable(goal, np.inf).tolist()
        self.evidence = {"x": x, "y": y}


def navigate(context: SkillContext, request: NavigateRequest) -> Running:
    """Drive to the goal or, if it is too close to an obstacle, to the nearest reachable floor.

    What the map shows in the only way may have left: a person who stands there is waited for, a door or other
    obstacle of the map is looked at again, and a robot that is enclosed looks around; each once, in bounded
    time.
    """
    yield from stow_arm(context, "folding the arm")
    field = plan_base_motion(context)
    try:
        goal, message = _choose_goal(context, field, request)
    except NotReachable:
        cleared = yield from _clear_way(context, field, request.goal or request.facing)
        if cleared is None:
            raise
        field = cleared
        goal, message = _choose_goal(context, field, request)
    context.control.point_head(0.0, _DRIVING_TILT)
    yield from drive_to(context, goal, field, "driving")
    x, y, yaw = context.control.base_pose
    evidence: dict[str, ParamValue] = {"x": float(x), "y": float(y), "yaw": wrap_angle(float(yaw))}
    return SkillResult(SkillStatus.SUCCEEDED, message, evidence)


def _clear_way(context: SkillContext, field: CostToGo, target: Pose | None) -> Move[CostToGo | None]:
    """Wait for what is in the way, or look at it again; None if there is nothing that may have left."""
    if target is None:
        return None
    goal = np.array(target.position[:2])
    if person_in_way(context, goal, _MAX_GOAL_OFFSET):
        return (yield from wait_for_way(context, goal, _MAX_GOAL_OFFSET))
    obstruction = context.obstruction(goal, _MAX_GOAL_OFFSET)
    if obstruction is not None and obstruction.kind in _MAY_LEAVE:
        return (yield from look_again(context, np.array(obstruction.at), goal, _MAX_GOAL_OFFSET))
    if context.perceived is not None and field.area <= _ENCLOSED:
        yield from look_around(context, context.perceived)
        return plan_base_motion(context)
    return None


def _choose_goal(context: SkillContext, field: CostToGo, request: NavigateRequest) -> tuple[PlanarPose, str]:
    if request.goal is not None:
        return _nearest_goal(context, field, request.goal)
    return _facing(context, field, request.facing)


def _nearest_goal(context: SkillContext, field: CostToGo, requested: Pose) -> tuple[PlanarPose, str]:
    xy = np.array(requested.position[:2])
    free = field.nearest_reachable(xy, _MAX_GOAL_OFFSET)
    if not np.isfinite(free).all():
        if context.perceived is not None:
            raise unreachable(context.perceived.map(), field, xy)
        raise NoFreeFloor(field, xy)
    distance = float(np.linalg.norm(free - xy))
    unknown = " or to unknown floor" if context.perceived is not None else ""
    message = (
        "arrived"
        if distance < 0.01
        else f"arrived {distance:.2f} m beside the goal, which is too close to an obstacle{unknown}"
    )
    return np.append(free, requested.yaw), message


def _facing(context: SkillContext, field: CostToGo, target: Pose | None) -> tuple[PlanarPose, str]:
    point = np.array(target.position if target else (0.0, 0.0, 0.0))
    poses = candidate_base_poses(field, point, _VIEW_DISTANCES)
    for pose in poses:
        if sees(context, pose, point):
            return pose, "arrived, facing it"
    if not poses and context.perceived is not None:
        raise unreachable(context.perceived.map(), field, point[:2])
    raise NotReachable(f"none of {len(poses)} base poses sees ({point[0]:.2f}, {point[1]:.2f})")
