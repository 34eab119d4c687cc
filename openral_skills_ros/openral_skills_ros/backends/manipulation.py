"""The hand of a robot with MoveIt: reach, obstacles, and the object that it holds; shared by its verbs."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from moveit_msgs.msg import AttachedCollisionObject, PlanningScene

from openral_core.arrays import Transform, Vector3
from openral_core.geometry import Pose, StaleTransform, UnknownFrame
from openral_core.grasping.approach import HandOrientation
from openral_core.grasping.gripper import GripperGeometry
from openral_core.robot import Frames, GripperDescription
from openral_core.skill_errors import LostObject, NothingHeld, NotReachable, SkillFailed
from openral_core.skills import SkillStatus, Verb
from openral_ros.tf_buffer import TransformBuffer
from openral_skills_ros.backends.arm import Arm
from openral_skills_ros.backends.backend import Backend, Failed, Run
from openral_skills_ros.backends.gripper import Gripper
from openral_skills_ros.backends.look_at import NoTransform, missing_transform
from openral_skills_ros.backends.planning_scene import PerceivedScene

BACK_AWAY = 0.35
"""Distance to drive back from furniture before which the arm cannot be folded [m]."""


@dataclass(frozen=True)
class Held:
    """An object in the hand."""

    label: str  # Name that it was grasped by.
    size: tuple[float, float, float]  # Its extents in map when it was grasped in [m].
    above_support: float  # Height of the grasp above the surface that it stood on in [m].
    orientation: HandOrientation  # Orientation of the hand when it closed.
    centre: Vector3  # Middle of the object in the grasp frame in [m], shape (3,).
    opening: float  # Distance between the pads on it in [m].
    shape: AttachedCollisionObject  # Its box at the tip, for MoveIt.


@dataclass
class Hand:
    """Arm and gripper of a robot. After a start of the skill server the hand counts as empty."""

    arm: Arm
    gripper: Gripper
    obstacles: PerceivedScene
    transforms: TransformBuffer
    frames: Frames
    drive: Backend | None
    look_at: Backend | None = None
    held: Held | None = None

    @property
    def unavailable(self) -> str:
        """Reason why nothing can be handled now."""
        reason = self.arm.unavailable or self.gripper.unavailable
        return reason or missing_transform(self.transforms, self.frames, self.arm.options.base)

    def scene(self, target: Vector3) -> PlanningScene:
        """Return the obstacles near a target in map, with the held object."""
        return self.obstacles.diff(target, self.held.shape if self.held else None)

    def require_held(self, verb: Verb) -> Held:
        """Return the held object.

        Raises:
            NothingHeld: If the hand is empty.
            LostObject: If the fingers have closed since.
        """
        if self.held is None:
            raise NothingHeld(verb)
        self.check_grip()
        return self.held

    def check_grip(self) -> None:
        """Return if the fingers are still apart.

        Raises:
            LostObject: If they have closed on nothing; the hand is then empty.
        """
        if self.held is not None and self.gripper.is_closed:
            label, self.held = self.held.label, None
            raise LostObject(f"the {label} is no longer in the hand: the fingers have closed")

    def T_map(self, frame: str) -> Transform:
        """Return the newest pose of a frame in map, shape (4, 4); raises as `T`."""
        return self.T(self.frames.map, frame)

    def T(self, parent: str, frame: str) -> Transform:
        """Return the newest pose of a frame in another, shape (4, 4).

        Raises:
            NoTransform: If it is unknown.
        """
        try:
            return self.transforms.lookup_newest(parent, frame)
        except (UnknownFrame, StaleTransform) as error:
            raise NoTransform(error) from error

    def heading(self, target: Vector3) -> float:
        """Direction from the arm to a target in map [rad]."""
        x, y = (target - self.T_map(self.arm.options.base)[:3, 3])[:2]
        return float(np.arctan2(y, x))

    async def come_within_reach(self, target: Vector3, run: Run, dock: float) -> None:
        """Drive nearer if a target in map is out of reach and the robot drives.

        Raises:
            NotReachable: If it does not, or has not come near enough.
            Failed: If the drive failed.
        """
        run.check()
        reach = self.arm.options.reach
        if self._distance(target) > reach and self.drive is not None:
            run.report("driving nearer", 0.0)
            driving = Run({"goal": self._base_goal(target, dock)}, run.stopping)
            result = await self.drive.execute(driving)
            if not result.success:
                raise Failed(result.status, f"driving nearer: {result.message}")
        distance = self._distance(target)
        if distance > reach:
            raise NotReachable(
                f"the target is {distance:.2f} m from {self.arm.options.base}, the arm reaches {reach:.2f} m:"
                " NAVIGATE nearer first"
            )

    async def look(self, target: Vector3, run: Run) -> None:
        """Point the camera at a target in map if the robot can; a scan tells if it is not seen."""
        run.check()
        if self.look_at is not None and not self.look_at.unavailable:
            x, y, z = target.tolist()
            with suppress(SkillFailed):
                await self.look_at.execute(Run({"target": Pose((x, y, z))}, run.stopping))
            run.check()

    async def fold(self, target: Vector3, run: Run) -> None:
        """Take the posture for driving; if there is no room for it, back away from a target in map before.

        Raises:
            Failed: If it cannot be planned or carried out.
        """
        try:
            await self.arm.take_posture(self.scene(target), run, "folding the arm")
        except Failed as error:
            if error.status not in (SkillStatus.NOT_REACHABLE, SkillStatus.BLOCKED) or self.drive is None:
                raise
            run.report("backing away", 0.0)
            goal = self._base_goal(target, self._base_distance(target) + BACK_AWAY)
            await self.drive.execute(Run({"goal": goal}, run.stopping))
            run.check()
            await self.arm.take_posture(self.scene(target), run, "folding the arm")

    async def reach_any(
        self, poses: Iterable[Transform], scene: PlanningScene, run: Run, stage: str, limit: int
    ) -> Transform:
        """Move the hand to the first of at most ``limit`` poses that can be reached, and return it.

        Raises:
            NotReachable: If none can.
        """
        refused = "there is none"
        for number, T in enumerate(poses):
            if number == limit:
                break
            try:
                await self.arm.reach(T, scene, run, stage)
            except Failed as error:
                if error.status is not SkillStatus.NOT_REACHABLE:
                    raise
                refused = str(error)
            else:
                return T
        raise NotReachable(f"no hand pose can be reached, the last of at most {limit}: {refused}")

    def _distance(self, target: Vector3) -> float:
        return float(np.linalg.norm(target - self.T_map(self.arm.options.base)[:3, 3]))

    def _base_distance(self, target: Vector3) -> float:
        return float(np.linalg.norm((target - self.T_map(self.arm.options.base)[:3, 3])[:2]))

    def _base_goal(self, target: Vector3, dock: float) -> Pose:
        """Pose of the base from which the arm is ``dock`` [m] from a target, on the straight way to it."""
        yaw = self.heading(target)
        T_base_arm = np.linalg.inv(self.T_map(self.frames.base)) @ self.T_map(self.arm.options.base)
        c, s = np.cos(yaw), np.sin(yaw)
        offset = np.array([[c, -s], [s, c]]) @ T_base_arm[:2, 3]
        x, y = target[:2] - dock * np.array([c, s]) - offset
        return Pose.planar(float(x), float(y), yaw)


def geometry(options: GripperDescription) -> GripperGeometry:
    """Return the outline of a gripper whose fingers are as broad as their pads."""
    half = (options.pad[0] / 2, options.pad[1] / 2, options.pad[2] / 2)
    return GripperGeometry(options.opening / 2, half, half, options.tip_length)
