"""GRASP: drive to the object, scan it, close the hand on it and lift it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from openral_core.arrays import Array
from openral_core.errors import OpenRALError, format_choices
from openral_core.grasping.approach import ApproachDirection
from openral_core.grasping.segmentation import ObjectSegment
from openral_core.skill_errors import NotInGripperRange, NotReachable
from openral_core.skill_requests import GraspRequest
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus
from openral_sim.motion_primitives.arm_motion import reach_to
from openral_sim.motion_primitives.base_pose_selection import Options, WorkPose, move_to_work_pose
from openral_sim.motion_primitives.context import Move, Running, SkillContext
from openral_sim.motion_primitives.grasp_execution import (
    GraspCandidate,
    close_on_object,
    grasp_candidates,
    lift,
    move_to_pregrasp,
    retreat_with_object,
    scan_object,
)
from openral_sim.motion_primitives.gripper import require_empty
from openral_sim.motion_primitives.head import aim
from openral_sim.motion_primitives.pregrasp import approaches_from, grasp_options
from openral_sim.motion_primitives.retract import stow_arm
from openral_sim.planning.arm_planner import NoArmPath


@dataclass(frozen=True)
class GraspConfig:
    """Parameters of the skill."""

    attempts: int = 3  # Number of times to scan and close before giving up.
    reach_speed: float = 0.6  # Fraction of the arm's top speed on the way to the scan.
    width_yaws: int = 12  # Number of directions in which the object's width is measured, over half a turn.


CONFIG = GraspConfig()


def grasp(context: SkillContext, request: GraspRequest) -> Running:
    """Grasp an object near its reported position: the wrist camera refines it, the fingers confirm it."""
    if context.held is not None and context.held.label == request.label:
        # An earlier attempt grasped it and was blocked on its retreat.
        context.achieved = partial(_holding, request, " since an earlier attempt", {})
        yield from retreat_with_object(context)
        return _holding(request, " since an earlier attempt", {})
    require_empty(context)
    work_pose = yield from move_to_work_pose(
        context, request.position, _options(request), "docking", takes=True
    )
    yield from aim(context, request.position, "looking")
    attempt, candidate = yield from _attempt(context, request, work_pose)
    if context.held is None:
        yield from stow_arm(context, "folding the arm")
        raise NotInGripperRange(f"the fingers missed the {request.label} {attempt} times")
    yield from lift(context, context.held)
    evidence: dict[str, ParamValue] = {
        "attempts": attempt,
        "width": candidate.grasp.width,
        "approach": work_pose.option.tag,
    }
    context.achieved = partial(_holding, request, "", evidence)
    yield from retreat_with_object(context)
    return _holding(request, "", evidence)


def _holding(request: GraspRequest, since: str, evidence: Mapping[str, ParamValue]) -> SkillResult:
    return SkillResult(SkillStatus.SUCCEEDED, f"holding the {request.label}{since}", evidence)


def _attempt(
    context: SkillContext, request: GraspRequest, work_pose: WorkPose
) -> Move[tuple[int, GraspCandidate]]:
    """Scan and close, a bounded number of times, until the object is held; move elsewhere if necessary."""
    for attempt in range(1, CONFIG.attempts + 1):
        try:
            candidate = yield from align_hand(context, request, work_pose, is_last=attempt == CONFIG.attempts)
        except (NotReachable, NoArmPath):
            if attempt == CONFIG.attempts:
                raise
            work_pose = yield from move_to_work_pose(
                context, request.position, _options(request), "docking", elsewhere=True, takes=True
            )
            continue
        if (yield from close_on_object(context, candidate, request.label)):
            break
    return attempt, candidate


def align_hand(
    context: SkillContext, request: GraspRequest, work_pose: WorkPose, *, is_last: bool
) -> Move[GraspCandidate]:
    """Scan the object and move the hand to a pregrasp pose.

    Raises:
        NotInGripperRange: If the gripper fits nowhere around it.
        NotReachable: If the arm reaches no grasp from here.
        NoArmPath: If it finds no path to any.
    """
    context.control.grip(context.robot.gripper.max_opening)
    yield from reach_to(context, work_pose.before, "reaching", CONFIG.reach_speed)
    segment = scan_object(context, request)
    yield Feedback("looking closely", 0.5)
    return (yield from first_approach(context, request, segment, approaches_from(work_pose), is_last))


def first_approach(
    context: SkillContext,
    request: GraspRequest,
    segment: ObjectSegment,
    approaches: Sequence[ApproachDirection],
    is_last: bool,
) -> Move[GraspCandidate]:
    """Align along the first feasible approach, beginning with the one that was scanned from.

    Another approach needs a second scan, because part of the object was hidden from the first. Unless this is
    the last attempt, another base pose is therefore preferred if it was the arm that found no path.
    """
    failures: list[OpenRALError] = []
    for approach in approaches:
        try:
            candidate = yield from _align_along(context, request, segment, approach)
            if approach is not approaches[0]:
                candidate = yield from _align_along(context, request, scan_object(context, request), approach)
        except (NotInGripperRange, NotReachable, NoArmPath) as error:
            failures.append(error)
            elsewhere = not is_last and isinstance(failures[0], (NotReachable, NoArmPath))
            if elsewhere or is_too_big(segment, context.robot.gripper.max_opening):
                break
        else:
            return candidate
    first = min(failures, key=lambda error: isinstance(error, NotInGripperRange))
    if isinstance(first, NotReachable):
        raise NotReachable(
            f"{first}; tried {format_choices(dict.fromkeys(approach.name for approach in approaches))}"
        )
    raise first


def is_too_big(segment: ObjectSegment, opening: float) -> bool:
    """Return True if the object is wider than ``opening`` [m] in every direction."""
    yaws = np.arange(CONFIG.width_yaws) * np.pi / CONFIG.width_yaws
    widths: Array = np.ptp(segment.own_points[:, :2] @ np.array([np.cos(yaws), np.sin(yaws)]), axis=0)
    return float(widths.min()) > opening


def _align_along(
    context: SkillContext, request: GraspRequest, segment: ObjectSegment, approach: ApproachDirection
) -> Move[GraspCandidate]:
    candidates = yield from grasp_candidates(context, segment, request.label, approach)
    return (yield from move_to_pregrasp(context, candidates))


def _options(request: GraspRequest) -> Options:
    return lambda base: grasp_options(request, base)
