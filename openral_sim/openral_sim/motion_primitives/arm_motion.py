"""Motions of the lift and the arm: to a posture around obstacles, or along a straight line."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from openral_core.arrays import Array, Joints, Transform
from openral_core.skills import Feedback
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.planning.arm_planner import ArmPathSearch, Trajectory


@dataclass(frozen=True)
class ArmMotionConfig:
    """Parameters of arm motions; tuned in simulation."""

    # Largest servo error of a settled arm in [m] of the lift and [rad] of the joints.
    settled_error: float = 0.012
    settling_time: float = 0.8  # Longest wait for the arm to settle in [s].
    line_step: float = 0.02  # Spacing of postures along a straight line in [m].
    turn_step: float = 0.15  # Spacing of postures along a rotation in [rad].
    max_searches: int = 4  # Number of path searches, each with another seed.
    last_parts: int = 7  # Parts of the last of them; a held object that must stay upright takes long ones.
    # Largest tilt of an object grasped from the side in [rad]; a drink stays in its cup.
    max_tilt: float = 0.6


CONFIG = ArmMotionConfig()


def reach_to(context: SkillContext, posture: Joints, stage: str, speed: float = 1.0) -> Move[None]:
    """Move lift and arm to a posture, shape (D,), around obstacles, at a fraction ``speed`` of top speed.

    An object grasped from the side stays upright.

    Raises:
        NoArmPath: If no collision-free path is found.
    """
    context.sync_collision_scene()
    context.checker.allow_current_contacts()
    if context.held is not None and not context.held.is_downward:
        context.checker.limit_tilt(CONFIG.max_tilt)
    waypoints = yield from plan_arm_motion(context, posture, stage)
    yield from follow(context, Trajectory(waypoints, context.robot.speeds, speed), stage)


def plan_arm_motion(context: SkillContext, posture: Joints, stage: str) -> Move[Array]:
    """Search for a path, with other seeds if the first fails, one bounded part per control period.

    Raises:
        NoArmPath: If the goal is in collision, or none is found.
    """
    first = context.control.reach_target
    for attempt in range(CONFIG.max_searches):
        search = ArmPathSearch(context.checker, first, posture, context.seed + attempt)
        for _ in range(CONFIG.last_parts if attempt == CONFIG.max_searches - 1 else 1):
            if (path := search.advance()) is not None:
                return path
            yield Feedback(stage, 0.0)
    raise search.failure


def reach_along(
    context: SkillContext,
    T_map_goal: Transform,
    stage: str,
    speed: float,
    stop: Callable[[], bool] | None = None,
) -> Move[bool]:
    """Move the grasp site in a straight line to a pose in map, shape (4, 4).

    Args:
        T_map_goal: Pose to bring the grasp site to.
        speed: Speed of the hand in [m/s].
        stop: Called every period; True stops the hand where it is.

    Returns:
        True if the line was finished, False if ``stop`` ended it.

    Raises:
        IkFailed: If the line leaves the arm's reach.
    """
    first, goal = context.control.reach_target, context.to_base_frame(T_map_goal, context.control.base_pose)
    waypoints = line_postures(context, first, goal)
    distance = float(np.linalg.norm(goal[:3, 3] - context.solver.forward(first)[:3, 3]))
    trajectory = Trajectory(waypoints, context.robot.speeds)
    fraction = min(1.0, trajectory.duration * speed / max(distance, 1e-3))
    trajectory = Trajectory(waypoints, context.robot.speeds, fraction)
    finished = yield from follow(context, trajectory, stage, stop)
    return finished


def line_postures(context: SkillContext, first: Joints, goal: Transform) -> Array:
    """Solve for postures from the first, along a straight line to a pose in base_link, shape (N, D).

    Raises:
        IkFailed: If the line leaves the arm's reach.
    """
    start = context.solver.forward(first)
    distance = float(np.linalg.norm(goal[:3, 3] - start[:3, 3]))
    turn = float(Rotation.from_matrix(start[:3, :3].T @ goal[:3, :3]).magnitude())
    count = max(1, int(np.ceil(max(distance / CONFIG.line_step, turn / CONFIG.turn_step))))
    slerp = Slerp([0.0, 1.0], Rotation.from_matrix([start[:3, :3], goal[:3, :3]]))
    postures = [first]
    for fraction in np.linspace(0.0, 1.0, count + 1)[1:]:
        T = np.eye(4)
        T[:3, :3] = slerp(fraction).as_matrix()
        T[:3, 3] = start[:3, 3] + fraction * (goal[:3, 3] - start[:3, 3])
        postures.append(context.solver.solve(T, postures[-1], tries=1))
    return np.array(postures)


def follow(
    context: SkillContext, trajectory: Trajectory, stage: str, stop: Callable[[], bool] | None = None
) -> Move[bool]:
    """Execute a trajectory and wait, up to a limit, until the arm settles; False if ``stop`` ended it."""
    for time in np.arange(0.0, trajectory.duration + CONTROL_PERIOD, CONTROL_PERIOD):
        context.control.move_reach(trajectory.at(float(time)))
        yield Feedback(stage, min(1.0, float(time) / trajectory.duration))
        if stop is not None and stop():
            context.control.move_reach(context.control.reach)
            return False
    for _ in range(int(CONFIG.settling_time / CONTROL_PERIOD)):
        if float(np.abs(context.control.reach - context.control.reach_target).max()) < CONFIG.settled_error:
            break
        yield Feedback(stage, 1.0)
    return True
