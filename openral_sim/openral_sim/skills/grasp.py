"""GRASP: dock, look closely, close the hand on a thing and lift it."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from openral_core.errors import OpenRALError, format_choices
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.motion_primitives.arm_motion import reach_to
from openral_sim.motion_primitives.base_pose_selection import Options, WorkPose, move_to_work_pose
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
from openral_sim.planning.approach import ApproachDirection
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.grasp_planner import OPENING
from openral_sim.planning.range_sensor import ObjectSegment
from openral_sim.skills.context import Feedback, Move, Running, SkillContext
from openral_sim.skills.errors import NotInGripperRange, NotReachable
from openral_sim.skills.requests import GraspRequest

ATTEMPTS = 3
_TURNS = 12


def grasp(context: SkillContext, request: GraspRequest) -> Running:
    """Take a thing from where it was said to be; the wrist camera corrects that, the fingers confirm it."""
    if context.held is not None and context.held.label == request.label:
        # An earlier try closed on it and was held up on the way out.
        context.achieved = partial(_holding, request, " since an earlier try", {})
        yield from retreat_with_object(context)
        return _holding(request, " since an earlier try", {})
    require_empty(context)
    stance = yield from move_to_work_pose(context, request.position, _ways(request), "docking")
    yield from aim(context, request.position, "looking")
    attempt, choice = yield from _attempt(context, request, stance)
    if context.held is None:
        yield from stow_arm(context, "folding the arm")
        raise NotInGripperRange(f"the fingers closed beside the {request.label} {attempt} times")
    yield from lift(context, context.held)
    evidence: dict[str, ParamValue] = {
        "attempts": attempt,
        "width": choice.grasp.width,
        "approach": stance.option.tag,
    }
    context.achieved = partial(_holding, request, "", evidence)
    yield from retreat_with_object(context)
    return _holding(request, "", evidence)


def _holding(request: GraspRequest, since: str, evidence: Mapping[str, ParamValue]) -> SkillResult:
    return SkillResult(SkillStatus.SUCCEEDED, f"holding the {request.label}{since}", evidence)


def _attempt(
    context: SkillContext, request: GraspRequest, stance: WorkPose
) -> Move[tuple[int, GraspCandidate]]:
    """Look and close, a bounded number of times, until something is held; from another place if need be."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            choice = yield from _align(context, request, stance, by_any_way=attempt == ATTEMPTS)
        except (NotReachable, NoArmPath):
            if attempt == ATTEMPTS:
                raise
            stance = yield from move_to_work_pose(
                context, request.position, _ways(request), "docking", elsewhere=True
            )
            continue
        if (yield from close_on_object(context, choice, request.label)):
            break
    return attempt, choice


def _align(
    context: SkillContext, request: GraspRequest, stance: WorkPose, *, by_any_way: bool
) -> Move[GraspCandidate]:
    """Look closely and bring the hand before where it shall close.

    Raises:
        NotInGripperRange: If the fingers fit nowhere around it.
        NotReachable: If the arm gets to no grasp from here.
        NoArmPath: If it finds no way there.
    """
    context.control.grip(OPENING)
    yield from reach_to(context, stance.before, "reaching", 0.6)
    segment = scan_object(context, request)
    yield Feedback("looking closely", 0.5)
    return (yield from _first_way(context, request, segment, approaches_from(stance), by_any_way))


def _first_way(
    context: SkillContext,
    request: GraspRequest,
    segment: ObjectSegment,
    approaches: Sequence[ApproachDirection],
    by_any_way: bool,
) -> Move[GraspCandidate]:
    """The first direction from which fingers and arm find a way, beginning with the one looked from.

    From another one the hand looks once more before it goes in: aslant, a flank of the thing was hidden. So
    before that another standing place is better, if it is the arm that finds no way and there may be one.
    """
    refused: list[OpenRALError] = []
    for approach in approaches:
        try:
            choice = yield from _way(context, request, segment, approach)
            if approach is not approaches[0]:
                choice = yield from _way(context, request, scan_object(context, request), approach)
        except (NotInGripperRange, NotReachable, NoArmPath) as error:
            refused.append(error)
            elsewhere = not by_any_way and isinstance(refused[0], (NotReachable, NoArmPath))
            if elsewhere or _is_too_big(segment):
                break
        else:
            return choice
    first = min(refused, key=lambda error: isinstance(error, NotInGripperRange))
    if isinstance(first, NotReachable):
        raise NotReachable(
            f"{first}; tried {format_choices(dict.fromkeys(each.name for each in approaches))}"
        )
    raise first


def _is_too_big(segment: ObjectSegment) -> bool:
    """Whether it is wider than the fingers open, however it is turned: only its edges could be pinched."""
    turns = np.arange(_TURNS) * np.pi / _TURNS
    across = segment.own_points[:, :2] @ np.array([np.cos(turns), np.sin(turns)])
    return float(np.ptp(across, axis=0).min()) > OPENING


def _way(
    context: SkillContext, request: GraspRequest, segment: ObjectSegment, approach: ApproachDirection
) -> Move[GraspCandidate]:
    found = yield from grasp_candidates(context, segment, request.label, approach)
    return (yield from move_to_pregrasp(context, found))


def _ways(request: GraspRequest) -> Options:
    return lambda base: grasp_options(request, base)
