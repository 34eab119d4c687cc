"""GRASP by MoveIt: scan the object, try grasps of its measured shape, close, lift, and check the grip."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from openral_core.arrays import Transform
from openral_core.grasping.approach import (
    ApproachDirection,
    HandOrientation,
    frontal,
    oblique,
    pregrasp_pose,
    top_down,
    wrist_rotations,
)
from openral_core.grasping.grasp_planner import Grasp, grasp_strategies, sample_grasps
from openral_core.grasping.gripper import GripperGeometry
from openral_core.grasping.segmentation import ObjectSegment
from openral_core.robot import MoveItBackend
from openral_core.skill_errors import BadRequest, LostObject, NotInGripperRange, NotReachable
from openral_core.skill_requests import GraspRequest, Params
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_skills_ros.backends.backend import Failed, Pauses, Run
from openral_skills_ros.backends.closer_look import CloserLook, around
from openral_skills_ros.backends.manipulation import Hand, Held, geometry
from openral_skills_ros.backends.object_scan import NotSeen, ObjectScanner, is_still_there
from openral_skills_ros.backends.planning_scene import attached

ATTEMPTS = 3
"""Times that the hand goes in before the grasp is given up [count]."""
SAME_PLACE, SAME_TURN = 0.012, 0.2
"""Distance [m] and angle [rad] within which a grasp is the one that failed before."""
PER_APPROACH = 3
"""Grasps of one approach that are planned before the next approach [count]."""
UNMOVED = 0.003
"""Closing by less than this is none [m]; grasps leave more room beside the object."""
TURNS = (0.4, -0.4)
"""Deviations of approaches from the side from the direction to the object [rad]."""
PITCHES = (0.5, 0.8)
"""Angles of oblique approaches below level [rad]."""


@dataclass(frozen=True)
class Plan:
    """A grasp at which the open hand is, with the name of its approach."""

    grasp: Grasp
    approach: str


class TooWide(NotInGripperRange):
    """An object around which the fingers fit nowhere."""

    def __init__(self, label: str, gripper: GripperGeometry, segment: ObjectSegment) -> None:
        x, y, _ = np.round(np.ptp(segment.own_points, axis=0), 2)
        super().__init__(
            f"the gripper opens {gripper.max_opening:.3f} m and does not fit around the {label},"
            f" which measures about {x} x {y} m"
        )


class Missed(Failed):
    """A grasp at which the hand hit something, or the fingers closed on nothing."""

    def __init__(self, grasp: Grasp, status: SkillStatus, message: str) -> None:
        super().__init__(status, message)
        self.grasp = grasp


@dataclass(frozen=True)
class Scan:
    """A measured object, the approaches to try in order, and the grasps that failed already."""

    segment: ObjectSegment
    approaches: Sequence[ApproachDirection]
    failed: Sequence[Transform]


class GraspBackend:
    """Grasps objects within reach, or drives nearer first."""

    def __init__(self, hand: Hand, options: MoveItBackend, scanner: ObjectScanner, pauses: Pauses) -> None:
        self._hand, self._options, self._scanner, self._pauses = hand, options, scanner, pauses
        self._closer_look = CloserLook(hand, options, scanner) if scanner.hand_frame else None
        self._geometry = geometry(hand.gripper.options)

    @property
    def unavailable(self) -> str:
        """Reason why nothing can be grasped now."""
        return self._hand.unavailable

    async def execute(self, run: Run) -> SkillResult:
        """Grasp the object near parameter ``target``."""
        request = GraspRequest.read(Params(run.params))
        held = self._hand.held
        if held is not None and held.label != request.label:
            raise BadRequest(f"the hand already holds '{held.label}'; place it or hand it over first")
        if held is not None:
            # An earlier attempt gripped it and could not lift it.
            return await self._carry(request, run, {})
        await self._hand.come_within_reach(request.position, run, self._options.dock)
        failed: list[Transform] = []
        for attempt in range(1, ATTEMPTS + 1):
            scan = await self._scan(request, failed, run)
            try:
                plan = await self._enter(scan, request, run)
                await self._close(plan, scan.segment, request, run)
            except Missed as error:
                failed.append(error.grasp.T_map_grasp)
                await self._draw_back(error.grasp, request, run)
                if attempt == ATTEMPTS:
                    raise Failed(error.status, f"{error}, {ATTEMPTS} times at the {request.label}") from error
            else:
                return await self._lift(plan, scan.segment, request, run, {"attempts": attempt})
        raise AssertionError("the last attempt returns or raises")

    async def _scan(self, request: GraspRequest, failed: Sequence[Transform], run: Run) -> Scan:
        """Measure the object, closely if a camera on the hand sees it."""
        hand = self._hand
        run.report("scanning", 0.0)
        await hand.look(request.position, run)
        segment = await self._scanner.scan(request, run)
        options = list(approaches(request, hand.heading(request.position)))
        await hand.gripper.move(hand.gripper.options.opening, run, "opening")
        if self._closer_look is not None:
            closely = await self._closer_look.scan(around(segment, request), options, run)
            segment, options = closely or (segment, options)
        return Scan(segment, options, failed)

    async def _enter(self, scan: Scan, request: GraspRequest, run: Run) -> Plan:
        """Move the open hand around the object.

        Raises:
            TooWide: If the fingers fit nowhere.
            NotReachable: If no grasp can be reached.
            Missed: If the hand hits something.
        """
        refused, attempts = "", 0
        for plan in self._plans(scan):
            await self._pauses.until(lambda: True, 1.0)  # between computations, cancellations come in
            run.check()
            if plan is None:
                continue
            if attempts == self._options.candidates:
                break
            attempts += 1
            try:
                await self._go_in(plan.grasp, request, run)
            except Failed as error:
                if error.status is not SkillStatus.NOT_REACHABLE:
                    raise
                refused = str(error)
            else:
                return plan
        if refused:
            raise NotReachable(f"no grasp of the {request.label} can be reached, the last one: {refused}")
        raise TooWide(request.label, self._geometry, scan.segment)

    def _plans(self, scan: Scan) -> Iterator[Plan | None]:
        """List the best grasps of each approach, both ways round; None after a computation without any."""
        for approach in scan.approaches:
            for strategy in grasp_strategies(approach, self._geometry):
                grasps = sample_grasps(scan.segment, approach, strategy)
                grasps = [grasp for grasp in grasps if not is_near(grasp.T_map_grasp, scan.failed)]
                for grasp in grasps[:PER_APPROACH]:
                    for T in wrist_rotations(grasp.T_map_grasp):
                        yield Plan(replace(grasp, T_map_grasp=T), approach.name)
                if grasps:
                    break
                yield None

    async def _go_in(self, grasp: Grasp, request: GraspRequest, run: Run) -> None:
        hand, scene = self._hand, self._hand.scene(request.position)
        before = pregrasp_pose(grasp.T_map_grasp, self._options.distance)
        await hand.arm.reach(before, scene, run, "reaching")
        if grasp.opening < hand.gripper.options.opening:
            await hand.gripper.move(grasp.opening, run, "opening")
        try:
            await hand.arm.reach(grasp.T_map_grasp, scene, run, "approaching", straight=True)
        except Failed as error:
            if error.status is not SkillStatus.BLOCKED:
                raise
            raise Missed(grasp, error.status, str(error)) from error

    async def _draw_back(self, grasp: Grasp, request: GraspRequest, run: Run) -> None:
        """Move the open hand away from the object, around obstacles if the straight way back is blocked."""
        hand = self._hand
        await hand.gripper.move(grasp.opening, run, "opening")
        before, scene = pregrasp_pose(grasp.T_map_grasp, self._options.distance), hand.scene(request.position)
        try:
            await hand.arm.reach(before, scene, run, "drawing back", straight=True)
        except Failed as error:
            if error.status is not SkillStatus.BLOCKED:
                raise
            await hand.arm.reach(before, scene, run, "drawing back")

    async def _close(self, plan: Plan, segment: ObjectSegment, request: GraspRequest, run: Run) -> None:
        """Close the fingers on the object.

        Raises:
            Missed: If they closed on nothing.
        """
        hand = self._hand
        opening = await hand.gripper.move(0.0, run, "closing")
        if opening > plan.grasp.opening - UNMOVED:
            raise Failed(SkillStatus.BLOCKED, f"closing: the fingers stayed {opening:.3f} m apart")
        if hand.gripper.is_closed:
            raise Missed(plan.grasp, SkillStatus.NOT_IN_GRIPPER_RANGE, "the fingers closed on nothing")
        hand.held = self._held(plan.grasp.T_map_grasp, segment, request.label, opening)

    def _held(self, T: Transform, segment: ObjectSegment, label: str, opening: float) -> Held:
        """Return the object between the fingers, its box upright on its support."""
        own, arm = segment.own_points, self._hand.arm
        low, high = own.min(axis=0), own.max(axis=0)
        size = (float(high[0] - low[0]), float(high[1] - low[1]), float(high[2] - segment.support))
        T_map_object = np.eye(4)
        T_map_object[:3, 3] = (*(low + high)[:2] / 2, segment.support + size[2] / 2)
        T_grasp_object = np.linalg.inv(T) @ T_map_object
        T_tip_object = np.linalg.inv(arm.T_grasp_tip()) @ T_grasp_object
        options = arm.options
        shape = attached(options.tip, options.gripper.links, T_tip_object, size, options.payload)
        height = float(T[2, 3] - segment.support)
        orientation = HandOrientation.of(T[:3, :3])
        return Held(label, size, height, orientation, T_grasp_object[:3, 3], opening, shape)

    async def _lift(
        self,
        plan: Plan,
        segment: ObjectSegment,
        request: GraspRequest,
        run: Run,
        evidence: dict[str, ParamValue],
    ) -> SkillResult:
        """Lift the object and check that it came along.

        Raises:
            LostObject: If it did not.
        """
        hand, raised = self._hand, plan.grasp.T_map_grasp.copy()
        raised[2, 3] += self._options.lift
        await hand.arm.reach(raised, hand.scene(request.position), run, "lifting", straight=True)
        hand.check_grip()
        evidence |= {"width": plan.grasp.width, "approach": plan.approach}
        if self._scanner.sees:
            await hand.look(request.position, run)
            evidence["seen_gone"] = await self._check_gone(segment, request, run)
        return await self._carry(request, run, evidence)

    async def _check_gone(self, segment: ObjectSegment, request: GraspRequest, run: Run) -> bool:
        """Return True if the camera sees that the object has left its place, False if it saw nothing.

        Raises:
            LostObject: If it is still there; the hand then counts as empty.
        """
        try:
            points = await self._scanner.points(request, run)
        except NotSeen:
            return False
        if is_still_there(segment, points, self._options.lift):
            self._hand.held = None
            raise LostObject(f"the {request.label} slipped out of the hand: it still stands where it was")
        return True

    async def _carry(self, request: GraspRequest, run: Run, evidence: dict[str, ParamValue]) -> SkillResult:
        hand = self._hand
        await hand.fold(request.position, run)
        hand.check_grip()
        if hand.gripper.opening is not None:
            evidence["opening"] = hand.gripper.opening
        return SkillResult(SkillStatus.SUCCEEDED, f"holding the {request.label}", evidence)


def approaches(request: GraspRequest, heading: float) -> Iterator[ApproachDirection]:
    """List approaches to an object in the direction ``heading`` [rad], those likely to succeed first.

    A slender object is grasped from the side first, so that it can be poured from and put down upright.
    """
    above = [top_down(heading + np.pi / 2)]
    level = [frontal(heading), *(replace(frontal(heading + turn), name="from the side") for turn in TURNS)]
    yield from (*level, *above) if request.is_slender else (*above, *level)
    yield from (oblique(heading, pitch) for pitch in PITCHES)


def is_near(T_map_grasp: Transform, others: Sequence[Transform]) -> bool:
    """Return True if a grasp is the same as one of the others, whichever way round the hand is."""
    for other in others:
        distance = float(np.linalg.norm(T_map_grasp[:3, 3] - other[:3, 3]))
        cosines = T_map_grasp[:3, 1] @ other[:3, 1], T_map_grasp[:3, 2] @ other[:3, 2]
        if distance < SAME_PLACE and min(abs(cosines[0]), cosines[1]) > np.cos(SAME_TURN):
            return True
    return False
