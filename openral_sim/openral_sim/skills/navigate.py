"""NAVIGATE: drive to a standing pose."""

import numpy as np

from openral_core.skills import SkillResult, SkillStatus
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import NotReachable
from openral_sim.skills.feedback import Running
from openral_sim.skills.moves.driving import drive_to, ways_now
from openral_sim.skills.moves.reaching import fold
from openral_sim.skills.requests import NavigateRequest

_BESIDE = 0.45
"""How far beside an occupied goal the robot may stand instead, in [m]."""


def navigate(context: SkillContext, request: NavigateRequest) -> Running:
    """Drive to the goal; when it is too close to something, to the nearest reachable floor and say so."""
    yield from fold(context, "folding the arm")
    field = ways_now(context)
    asked = np.array([*request.goal.position[:2], request.goal.yaw])
    goal = asked.copy()
    goal[:2] = field.nearest_reachable(asked[:2], _BESIDE)
    if not np.isfinite(goal).all():
        raise NotReachable(
            f"no floor with {field.clearance:.2f} m of room within {_BESIDE:.2f} m of ({asked[0]:.2f}, {asked[1]:.2f})"
        )
    context.control.point_head(0.0, 0.35)
    yield from drive_to(context, goal, field, "driving")
    pose = context.control.base_pose
    beside = float(np.linalg.norm(goal[:2] - asked[:2]))
    said = (
        "arrived"
        if beside < 0.01
        else f"arrived {beside:.2f} m beside the goal, which is too close to something"
    )
    evidence = {"x": float(pose[0]), "y": float(pose[1]), "yaw": float(pose[2]), "beside": beside}
    return SkillResult(SkillStatus.SUCCEEDED, said, evidence)
