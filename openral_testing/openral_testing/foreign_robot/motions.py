"""Motions of the units: drive, turn, aim the head, reach with the arm, and move the fingers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from openral_core.arrays import Array, Joints, Transform
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose, wrap_angle
from openral_core.grasping.approach import HandOrientation
from openral_core.skill_errors import Blocked
from openral_core.skills import Feedback
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_motion import (
    PathFollower,
    follow_path,
    plan_base_motion,
    turn_to,
)
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.motion_primitives.gripper import (
    close_hand,
    contact_detected,
    deactivate_weld,
    hold,
    open_hand,
)
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.planning.inverse_kinematics import IkFailed


@dataclass(frozen=True)
class MotionConfig:
    """Parameters of the motions."""

    # Largest distance from an occupied goal to the floor used instead in [m]; as the tolerance of Nav2's
    # planners, 0.5 by default.
    goal_tolerance: float = 0.45
    straight_speed: float = 0.2  # Speed of the hand along a straight line in [m/s].
    postures: int = 5  # Number of solutions of inverse kinematics that are checked for collisions.
    settling_time: float = 1.0  # Longest wait for the head beyond the duration of its trajectory in [s].
    # Commanded opening below which the fingers close on what is between them in [m].
    closed_opening: float = 0.004


CONFIG = MotionConfig()


@dataclass
class Drive:
    """Drives the base to a pose in map around obstacles; ``remaining`` is the path that is left [m]."""

    goal: Pose
    remaining: float = float("inf")

    def run(self, context: SkillContext) -> Move[None]:
        """Drive to the goal, or to the nearest floor if it is too close to an obstacle.

        Raises:
            NoBasePath: If no path leads there.
            Blocked: If the base cannot move.
            TookTooLong: If it does not arrive.
        """
        floor = plan_base_motion(context)
        target = np.array(self.goal.position[:2])
        free = floor.nearest_reachable(target, CONFIG.goal_tolerance)
        if not np.isfinite(free).all():
            raise NoBasePath(floor.start, target, floor.clearance)
        follower = PathFollower(floor.path_to(free), self.goal.yaw, context.robot.description.base.limits)
        self.remaining = follower.length
        for feedback in follow_path(context, follower, "driving"):
            self.remaining = follower.remaining()
            yield feedback


@dataclass
class TurnBy:
    """Turns the base on the spot by an angle [rad]; ``turned`` is the angle so far [rad]."""

    angle: float
    turned: float = 0.0

    def run(self, context: SkillContext) -> Move[None]:
        """Turn; raises as `follow_path` does."""
        begin = float(context.control.base_pose[2])
        for feedback in turn_to(context, wrap_angle(begin + self.angle), "turning"):
            self.turned = wrap_angle(float(context.control.base_pose[2]) - begin)
            yield feedback


class GoalToleranceViolated(OpenRALError):
    """Joints that have not arrived where their trajectory ends."""

    def __init__(self, errors: Joints) -> None:
        super().__init__(f"the joints are {np.round(errors, 3).tolist()} rad from the end of the trajectory")


@dataclass
class HeadTrajectory:
    """Moves pan and tilt through points in time."""

    times: Array  # Times of the points after the start in [s], ascending, shape (N,).
    points: Array  # Pan and tilt at those times in [rad], shape (N, 2).
    tolerance: float = 0.05  # Error at the end that counts as arrived in [rad].

    def run(self, context: SkillContext) -> Move[None]:
        """Follow the points, linearly between them.

        Raises:
            GoalToleranceViolated: If the head does not arrive.
        """
        control = context.control
        times = np.concatenate([[0.0], self.times])
        points = np.vstack([control.head, self.points])
        for time in np.arange(0.0, self.times[-1] + CONFIG.settling_time, CONTROL_PERIOD):
            control.point_head(*(float(np.interp(time, times, column)) for column in points.T))
            error = np.abs(control.head - self.points[-1])
            if time > self.times[-1] and float(error.max()) < self.tolerance:
                return
            yield Feedback("moving", min(1.0, float(time / self.times[-1])))
        raise GoalToleranceViolated(error)


class GoalInCollision(OpenRALError):
    """A pose of the hand of which every known posture collides."""

    def __init__(self, touching: Sequence[tuple[str, str]]) -> None:
        pairs = " and ".join(f"{a} touches {b}" for a, b in touching[:2])
        super().__init__(f"at the goal {pairs or 'the arm collides'}")


@dataclass
class Reach:
    """Moves the hand to a pose in map, shape (4, 4), at a fraction ``speed`` of top speed.

    ``straight``: along a line, which is not planned around obstacles; the hand stops at a contact.
    """

    T_map_grasp: Transform
    speed: float = 1.0
    straight: bool = False

    def run(self, context: SkillContext) -> Move[None]:
        """Reach the pose.

        Raises:
            IkFailed: If the arm does not reach it.
            GoalInCollision: If it is not free.
            NoArmPath: If no path leads there.
            Blocked: If the hand hits something on a straight line.
        """
        if self.straight:
            yield from self._along_line(context)
            return
        posture = yield from self._free_posture(context)
        yield from reach_to(context, posture, "moving", self.speed)

    def _along_line(self, context: SkillContext) -> Move[None]:
        reached = yield from reach_along(
            context, self.T_map_grasp, "moving", CONFIG.straight_speed, stop=lambda: contact_detected(context)
        )
        if not reached:
            raise Blocked("the hand hit something")

    def _free_posture(self, context: SkillContext) -> Move[Joints]:
        """Find a posture without collision, one solution of inverse kinematics per control period."""
        context.sync_collision_scene()
        context.set_checked_opening(context.control.opening)
        context.checker.allow_current_contacts()
        solutions = self._solutions(context)
        posture = next(solutions)
        while not context.checker.is_free(posture):
            yield Feedback("planning", 0.0)
            touching = context.checker.contact_pairs(posture)
            following = next(solutions, None)
            if following is None:
                raise GoalInCollision(touching)
            posture = following
        return posture

    def _solutions(self, context: SkillContext) -> Iterator[Joints]:
        """List postures of the pose, those near the present one first.

        Raises:
            IkFailed: If there is none.
        """
        T = context.to_base_frame(self.T_map_grasp, context.control.base_pose)
        count, refused = 0, None
        for number in range(CONFIG.postures):
            start, tries = (
                (context.control.reach_target, 2) if number == 0 else (context.robot.comfortable, 3)
            )
            try:
                posture = context.solver.solve(T, start, tries, seed=number)
            except IkFailed as error:
                refused = error
                continue
            count += 1
            yield posture
        if not count and refused is not None:
            raise refused


@dataclass
class Posture:
    """Moves lift and arm to joint values [m, rad]; an index that ``values`` lacks stays as it is."""

    values: dict[int, float]
    speed: float = 1.0

    def run(self, context: SkillContext) -> Move[None]:
        """Move there around obstacles.

        Raises:
            NoArmPath: If no path leads there.
        """
        posture = context.control.reach_target
        for index, value in self.values.items():
            posture[index] = value
        yield from reach_to(context, posture, "moving", self.speed)


@dataclass
class Grip:
    """Moves the fingers to a distance between the pads [m]; ``stalled`` once they stopped on an object."""

    opening: float
    stalled: bool = field(default=False, init=False)

    def run(self, context: SkillContext) -> Move[None]:
        """Open, or close until the fingers press on an object."""
        if self.opening > CONFIG.closed_opening:
            deactivate_weld(context, context.names.grasp_weld)
            context.held = None
            yield from open_hand(context, "opening", self.opening)
            return
        if context.held is not None:
            self.stalled = True
            return
        body = yield from close_hand(context, "closing")
        if body is not None:
            self.stalled = True
            orientation = HandOrientation.of(context.control.T_map_grasp()[:3, :3])
            hold(context, body, context.model.body(body).name, 0.0, orientation)
