"""GRASP: dock, look closely, close the hand on a thing and lift it."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from openral_core.errors import OpenRALError, listed
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.motions.approaches import Approach
from openral_sim.motions.arm_paths import NoArmPath
from openral_sim.motions.grasps import OPENING
from openral_sim.motions.segments import Segment
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import NotInGripperRange, NotReachable
from openral_sim.skills.feedback import Feedback, Move, Running
from openral_sim.skills.moves.approaching import approaches_from, ways_to
from openral_sim.skills.moves.docking import Options, Stance, dock
from openral_sim.skills.moves.folding import fold
from openral_sim.skills.moves.holding import require_empty
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.reaching import reach_to
from openral_sim.skills.moves.surveying import Choice, choices, survey
from openral_sim.skills.moves.taking import align, carry_away, lift, take
from openral_sim.skills.requests import GraspRequest

ATTEMPTS = 3
_TURNS = 12


def grasp(context: SkillContext, request: GraspRequest) -> Running:
    """Take a thing from where it was said to be; the wrist camera corrects that, the fingers confirm it."""
    if context.held is not None and context.held.label == request.label:
        # An earlier try closed on it and was held up on the way out.
        context.achieved = partial(_holding, request, " since an earlier try", {})
        yield from carry_away(context)
        return _holding(request, " since an earlier try", {})
    require_empty(context)
    stance = yield from dock(context, request.position, _ways(request), "docking")
    yield from aim(context, request.position, "looking")
    attempt, choice = yield from _attempt(context, request, stance)
    if context.held is None:
        yield from fold(context, "folding the arm")
        raise NotInGripperRange(f"the fingers closed beside the {request.label} {attempt} times")
    yield from lift(context, context.held)
    evidence: dict[str, ParamValue] = {
        "attempts": attempt,
        "width": choice.grasp.width,
        "approach": stance.option.tag,
    }
    context.achieved = partial(_holding, request, "", evidence)
    yield from carry_away(context)
    return _holding(request, "", evidence)


def _holding(request: GraspRequest, since: str, evidence: Mapping[str, ParamValue]) -> SkillResult:
    return SkillResult(SkillStatus.SUCCEEDED, f"holding the {request.label}{since}", evidence)


def _attempt(context: SkillContext, request: GraspRequest, stance: Stance) -> Move[tuple[int, Choice]]:
    """Look and close, a bounded number of times, until something is held; from another place if need be."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            choice = yield from _align(context, request, stance, by_any_way=attempt == ATTEMPTS)
        except (NotReachable, NoArmPath):
            if attempt == ATTEMPTS:
                raise
            stance = yield from dock(context, request.position, _ways(request), "docking", elsewhere=True)
            continue
        if (yield from take(context, choice, request.label)):
            break
    return attempt, choice


def _align(context: SkillContext, request: GraspRequest, stance: Stance, *, by_any_way: bool) -> Move[Choice]:
    """Look closely and bring the hand before where it shall close.

    Raises:
        NotInGripperRange: If the fingers fit nowhere around it.
        NotReachable: If the arm gets to no grasp from here.
        NoArmPath: If it finds no way there.
    """
    context.control.grip(OPENING)
    yield from reach_to(context, stance.before, "reaching", 0.6)
    segment = survey(context, request)
    yield Feedback("looking closely", 0.5)
    return (yield from _first_way(context, request, segment, approaches_from(stance), by_any_way))


def _first_way(
    context: SkillContext,
    request: GraspRequest,
    segment: Segment,
    approaches: Sequence[Approach],
    by_any_way: bool,
) -> Move[Choice]:
    """The first direction from which fingers and arm find a way, beginning with the one looked from.

    From another one the hand looks once more before it goes in: aslant, a flank of the thing was hidden. So
    before that another standing place is better, if it is the arm that finds no way and there may be one.
    """
    refused: list[OpenRALError] = []
    for approach in approaches:
        try:
            choice = yield from _way(context, request, segment, approach)
            if approach is not approaches[0]:
                choice = yield from _way(context, request, survey(context, request), approach)
        except (NotInGripperRange, NotReachable, NoArmPath) as error:
            refused.append(error)
            elsewhere = not by_any_way and isinstance(refused[0], (NotReachable, NoArmPath))
            if elsewhere or _is_too_big(segment):
                break
        else:
            return choice
    first = min(refused, key=lambda error: isinstance(error, NotInGripperRange))
    if isinstance(first, NotReachable):
        raise NotReachable(f"{first}; tried {listed(dict.fromkeys(each.name for each in approaches))}")
    raise first


def _is_too_big(segment: Segment) -> bool:
    """Whether it is wider than the fingers open, however it is turned: only its edges could be pinched."""
    turns = np.arange(_TURNS) * np.pi / _TURNS
    across = segment.own_points[:, :2] @ np.array([np.cos(turns), np.sin(turns)])
    return float(np.ptp(across, axis=0).min()) > OPENING


def _way(context: SkillContext, request: GraspRequest, segment: Segment, approach: Approach) -> Move[Choice]:
    found = yield from choices(context, segment, request.label, approach)
    return (yield from align(context, found))


def _ways(request: GraspRequest) -> Options:
    return lambda base: ways_to(request, base)
