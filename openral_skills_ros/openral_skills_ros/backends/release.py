"""PLACE and HANDOVER by MoveIt: bring the held object to a surface or a person, and let go."""

from collections.abc import Iterator

import numpy as np

from openral_core.arrays import Transform, Vector3
from openral_core.geometry import Pose
from openral_core.grasping.approach import orientations_like, pregrasp_pose
from openral_core.robot import MoveItBackend
from openral_core.skill_errors import BadRequest, LostObject, NothingThere, TookTooLong
from openral_core.skill_requests import GraspRequest, HandoverRequest, Params, PlaceRequest
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_skills_ros.backends.backend import Failed, Pauses, Run
from openral_skills_ros.backends.manipulation import Hand, Held
from openral_skills_ros.backends.object_scan import NotSeen, ObjectScanner

GAP = 0.012
"""Height of an object above the surface when it is let go [m]; MoveIt does not feel the contact."""
FLOOR = 0.04
"""Height up to which a surface is the floor, or a rug on it [m]."""
RELEASED = 0.005
"""Widening of the grip from which an object is let go [m]."""
PULL = 0.002
"""Change of the grip by which a person's pull is felt [m]; above the noise of a finger's encoder."""


class PlaceBackend:
    """Puts the held object down."""

    def __init__(self, hand: Hand, options: MoveItBackend, scanner: ObjectScanner) -> None:
        self._hand, self._options, self._scanner = hand, options, scanner

    @property
    def unavailable(self) -> str:
        """Reason why nothing can be placed now."""
        return self._hand.unavailable

    async def execute(self, run: Run) -> SkillResult:
        """Put the held object down at parameter ``target``, a point of a surface."""
        hand, held = self._hand, self._hand.require_held(Verb.PLACE)
        target = np.array(PlaceRequest.read(Params(run.params)).target.position)
        if target[2] < FLOOR:
            raise BadRequest(f"PLACE needs a surface, not the floor; still holding the {held.label}")
        await hand.come_within_reach(target, run, self._options.dock)
        scene = hand.scene(target)
        over = target + np.array([0.0, 0.0, held.above_support + GAP])
        goals = list(hold_poses(held, over, hand.heading(target)))
        above = await hand.reach_any(
            (raised(T, self._options.lift) for T in goals), scene, run, "reaching", self._options.candidates
        )
        down = raised(above, -self._options.lift)
        await hand.arm.reach(down, scene, run, "lowering", straight=True)
        hand.check_grip()
        await let_go(hand, held, run)
        back = above if held.orientation.is_downward else pregrasp_pose(down, self._options.distance)
        await hand.arm.reach(back, hand.scene(target), run, "drawing back", straight=True)
        evidence = await self._check(held, target, run)
        await hand.fold(target, run)
        return SkillResult(SkillStatus.SUCCEEDED, f"placed the {held.label}", evidence)

    async def _check(self, held: Held, target: Vector3, run: Run) -> dict[str, ParamValue]:
        """Return the evidence of where the object is.

        Raises:
            LostObject: If the camera does not see it where it was put down.
        """
        x, y, z = (float(value) for value in target)
        evidence: dict[str, ParamValue] = {"x": x, "y": y, "z": z}
        if self._scanner.sees:
            await self._hand.look(target, run)
            expected = GraspRequest(Pose((x, y, z + held.size[2] / 2)), held.size, held.label)
            try:
                await self._scanner.scan(expected, run)
                evidence["seen"] = True
            except NothingThere as error:
                raise LostObject(f"the {held.label} did not stay where it was placed: {error}") from error
            except NotSeen:
                evidence["seen"] = False
        return evidence


class HandoverBackend:
    """Holds the object out to a person and lets go when they pull."""

    def __init__(self, hand: Hand, options: MoveItBackend, pauses: Pauses) -> None:
        self._hand, self._options, self._pauses = hand, options, pauses

    @property
    def unavailable(self) -> str:
        """Reason why nothing can be handed over now."""
        return self._hand.unavailable

    async def execute(self, run: Run) -> SkillResult:
        """Hand the held object to the person at parameter ``agent``."""
        hand, held = self._hand, self._hand.require_held(Verb.HANDOVER)
        request = HandoverRequest.read(Params(run.params))
        if hand.gripper.opening is None:
            raise Failed(SkillStatus.INACTIVE, "no pull can be felt: joint_states lacks the gripper's joint")
        point = offer_point(request.agent, self._options)
        await hand.come_within_reach(point, run, self._options.dock)
        goals = hold_poses(held, point, hand.heading(point))
        await hand.reach_any(goals, hand.scene(point), run, "holding it out", self._options.candidates)
        hand.check_grip()
        await self._wait_for_pull(held, run)
        await let_go(hand, held, run)
        await hand.fold(point, run)
        evidence: dict[str, ParamValue] = {"agent_id": request.agent_id}
        return SkillResult(SkillStatus.SUCCEEDED, f"handed over the {held.label}", evidence)

    async def _wait_for_pull(self, held: Held, run: Run) -> None:
        """Wait until the grip changes.

        Raises:
            TookTooLong: If it does not; the robot still holds the object.
        """
        run.report("waiting for the person's pull", 0.0)
        gripper, before = self._hand.gripper, self._hand.gripper.opening or held.opening

        def felt() -> bool:
            return run.stopping() or abs((gripper.opening or 0.0) - before) > PULL

        pulled = await self._pauses.until(felt, self._options.wait)
        run.check()
        if not pulled:
            raise TookTooLong(f"waiting for a pull at the {held.label}", self._options.wait)


async def let_go(hand: Hand, held: Held, run: Run) -> None:
    """Open the fingers.

    Raises:
        Failed: If they stay as they are; the robot then still holds the object.
    """
    opening = await hand.gripper.move(hand.gripper.options.opening, run, "letting go")
    if opening < min(held.opening + RELEASED, hand.gripper.options.opening - RELEASED):
        raise Failed(SkillStatus.BLOCKED, f"the fingers opened only {opening:.3f} m; still holding it")
    hand.held = None


def offer_point(agent: Pose, options: MoveItBackend) -> Vector3:
    """Point before a person, who faces x of their pose, in map, shape (3,)."""
    x, y, _ = agent.position
    ahead = options.person_distance * np.array([np.cos(agent.yaw), np.sin(agent.yaw)])
    return np.array([x + ahead[0], y + ahead[1], options.offer_height])


def hold_poses(held: Held, point: Vector3, heading: float) -> Iterator[Transform]:
    """List hand poses with the object's middle over a point in map, as upright as when it was grasped.

    Their height is that of the point.
    """
    for _, R in orientations_like(held.orientation, heading):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, point
        T[:2, 3] -= (R @ held.centre)[:2]
        yield T


def raised(T: Transform, height: float) -> Transform:
    """Return a pose moved up by ``height`` [m]."""
    moved = T.copy()
    moved[2, 3] += height
    return moved
