"""Moving the lift and the arm."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from openral_sim.planning.arm_planner import NoArmPath, Trajectory, plan_arm_path
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Move, SkillContext

Vector = NDArray[np.float64]
_SETTLED = 0.012
_SETTLE_BOUND = 0.8
_LINE_STEP, _TURN_STEP = 0.02, 0.15
_SEARCHES = 4
_TILT = 0.6
"""How far what was taken standing may tilt on the way in [rad]."""


def reach_to(context: SkillContext, posture: Vector, stage: str, share: float = 1.0) -> Move[None]:
    """Bring lift and arm to a posture, shape (8,), around what stands in the way; what stood stays upright.

    Raises:
        NoArmPath: If no free way is found.
    """
    context.look_around()
    context.checker.tolerate_present()
    if context.held is not None and not context.held.downward:
        context.checker.keep_upright(_TILT)
    corners = yield from _planned(context, posture, stage)
    yield from follow(context, Trajectory(corners, share), stage)


def _planned(context: SkillContext, posture: Vector, stage: str) -> Move[Vector]:
    """Search for a way, again with other seeds if need be, one bounded search per control period."""
    for attempt in range(_SEARCHES - 1):
        try:
            return plan_arm_path(
                context.checker, context.control.reach_target, posture, context.seed + attempt
            )
        except NoArmPath:
            yield Feedback(stage, 0.0)
    return plan_arm_path(context.checker, context.control.reach_target, posture, context.seed + _SEARCHES)


def reach_along(
    context: SkillContext,
    T_map_goal: Vector,
    stage: str,
    speed: float,
    stop: Callable[[], bool] | None = None,
) -> Move[bool]:
    """Move the grasp site in a straight line to a pose in map, shape (4, 4).

    Args:
        context: The robot and its world.
        T_map_goal: Where the grasp site shall be.
        stage: What to call it.
        speed: Of the hand in [m/s].
        stop: Asked every period; the hand stops where it is when it says so.

    Returns:
        Whether the line was finished, not stopped.

    Raises:
        Unreachable: If the line leaves what the arm can reach.
    """
    base = context.control.base_pose
    start, goal = context.solver.forward(context.control.reach_target), context.in_base(T_map_goal, base)
    corners = line_postures(context, start, goal)
    distance = float(np.linalg.norm(goal[:3, 3] - start[:3, 3]))
    trajectory = Trajectory(corners, 1.0)
    trajectory = Trajectory(corners, min(1.0, trajectory.duration * speed / max(distance, 1e-3)))
    finished = yield from follow(context, trajectory, stage, stop)
    return finished


def line_postures(context: SkillContext, start: Vector, goal: Vector) -> Vector:
    """Postures along a straight line between two poses in base_link, shape (N, 8)."""
    distance = float(np.linalg.norm(goal[:3, 3] - start[:3, 3]))
    turn = float(Rotation.from_matrix(start[:3, :3].T @ goal[:3, :3]).magnitude())
    count = max(1, int(np.ceil(max(distance / _LINE_STEP, turn / _TURN_STEP))))
    slerp = Slerp([0.0, 1.0], Rotation.from_matrix([start[:3, :3], goal[:3, :3]]))
    postures = [context.control.reach_target]
    for share in np.linspace(0.0, 1.0, count + 1)[1:]:
        T = np.eye(4)
        T[:3, :3] = slerp(share).as_matrix()
        T[:3, 3] = start[:3, 3] + share * (goal[:3, 3] - start[:3, 3])
        postures.append(context.solver.solve(T, postures[-1], tries=1))
    return np.array(postures)


def follow(
    context: SkillContext, trajectory: Trajectory, stage: str, stop: Callable[[], bool] | None = None
) -> Move[bool]:
    """Play a trajectory, then wait, bounded, until the arm has settled; False if ``stop`` ended it."""
    for time in np.arange(0.0, trajectory.duration + CONTROL_PERIOD, CONTROL_PERIOD):
        context.control.move_reach(trajectory.at(float(time)))
        yield Feedback(stage, min(1.0, float(time) / trajectory.duration))
        if stop is not None and stop():
            context.control.move_reach(context.control.reach)
            return False
    for _ in range(int(_SETTLE_BOUND / CONTROL_PERIOD)):
        if float(np.abs(context.control.reach - context.control.reach_target).max()) < _SETTLED:
            break
        yield Feedback(stage, 1.0)
    return True
