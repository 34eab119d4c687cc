"""GRASP: dock, look closely, close the hand on a thing and lift it."""

import numpy as np
from numpy.typing import NDArray

from openral_core.skills import SkillResult, SkillStatus
from openral_sim.motions.grasps import Approach, backed_off, from_above, from_front, mirrored
from openral_sim.skills.context import Held, SkillContext
from openral_sim.skills.failures import BadRequest, LostObject, NotInGripperRange
from openral_sim.skills.feedback import Move, Running
from openral_sim.skills.moves.docking import Option, Stance, dock
from openral_sim.skills.moves.driving import floor_now, shift_by
from openral_sim.skills.moves.gripping import between_fingers, bumped, close_hand, open_hand
from openral_sim.skills.moves.holding import T_grasp_body, fasten
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.reaching import fold, reach_along, reach_to
from openral_sim.skills.moves.surveying import Choice, choose, survey
from openral_sim.skills.requests import GraspRequest

Vector = NDArray[np.float64]
ATTEMPTS = 3
_HOVER = 0.21
_LIFT = 0.10
_BACK = 0.30


def grasp(context: SkillContext, request: GraspRequest) -> Running:
    """Take a thing from where it was said to be, with a bounded number of attempts."""
    if context.held is not None:
        raise BadRequest(f"the hand already holds '{context.held.label}'; place it or hand it over first")
    stance = yield from dock(context, request.position, lambda base: _options(request, base), "docking")
    yield from aim(context, request.position, "looking")
    for attempt in range(ATTEMPTS):
        choice = yield from _survey(context, request, stance)
        held = yield from _take(context, request, choice)
        if held is not None:
            break
    else:
        yield from fold(context, "folding the arm")
        raise NotInGripperRange(f"the fingers closed beside the {request.label} {ATTEMPTS} times")
    context.held = held
    yield from _carry_away(context)
    evidence = {"attempts": attempt + 1, "width": choice.grasp.width, "approach": stance.option.tag}
    return SkillResult(SkillStatus.SUCCEEDED, f"holding the {request.label}", evidence)


def _options(request: GraspRequest, base: Vector) -> list[Option]:
    """Hover and expected grasp, from above before from the front, the camera on either side."""
    heading = float(np.arctan2(*(request.position[:2] - base[:2])[::-1]))
    tall = max(0.06, request.height / 2)
    ways = [(from_above(heading + yaw), request.height / 2, tall) for yaw in (np.pi / 2, 0.0)]
    ways.append((from_front(heading), request.reach, 0.06))
    options = []
    for approach, extent, spare in ways:
        T = expected_grasp(approach, request, extent)
        before, spared = backed_off(T, _HOVER), (request.position, request.reach + spare)
        options += [Option(approach.name, flip(before), flip(T), spared) for flip in (_same, mirrored)]
    return options


def _same(T: Vector) -> Vector:
    return T


def expected_grasp(approach: Approach, request: GraspRequest, extent: float) -> Vector:
    """Where the hand would close if the thing stood exactly where it was said to be, shape (4, 4)."""
    u, v, w = approach.R_map_approach.T
    T = np.eye(4)
    T[:3, :3] = np.column_stack([v, u, -w])
    T[:3, 3] = request.position + max(0.0, extent - 0.04) * w
    return T


def _survey(context: SkillContext, request: GraspRequest, stance: Stance) -> Move[Choice]:
    """Hover before the thing with an open hand and choose how to take what is seen there."""
    context.control.grip(0.08)
    yield from reach_to(context, stance.before, "reaching")
    segment = survey(context, request, stance.option.tag)
    return choose(context, segment, request, _approach(request, stance))


def _approach(request: GraspRequest, stance: Stance) -> Approach:
    if stance.option.tag == "from above":
        return from_above(float(stance.base[2]) + np.pi / 2)
    z = stance.option.T_map_goal[:3, 2]
    return from_front(float(np.arctan2(z[1], z[0])))


def _take(context: SkillContext, request: GraspRequest, choice: Choice) -> Move[Held | None]:
    """Go in, close and lift; None if the fingers missed."""
    yield from reach_to(context, choice.before, "aligning")
    yield from open_hand(context, "opening")
    goal = choice.grasp.T_map_grasp
    inside = yield from reach_along(context, goal, "approaching", 0.20, stop=lambda: bumped(context))
    body = (yield from close_hand(context, "closing")) if inside else None
    if body is None:
        yield from open_hand(context, "opening")
        yield from reach_along(context, backed_off(goal, 0.12), "backing off", 0.25)
        return None
    fasten(context, context.names.grasp_weld, context.model.body(context.names.hand).id, body)
    height = float(goal[2, 3] - choice.support)
    held = Held(body, T_grasp_body(context, body), request.label, height, choice.downward)
    yield from _lift(context, held)
    return held


def _lift(context: SkillContext, held: Held) -> Move[None]:
    raised = context.control.T_map_grasp()
    before = float(context.data.xpos[held.body, 2])
    raised[2, 3] += _LIFT if held.downward else 0.4 * _LIFT
    yield from reach_along(context, raised, "lifting", 0.25)
    if between_fingers(context) != held.body or float(context.data.xpos[held.body, 2]) < before + 0.02:
        from openral_sim.skills.moves.holding import unfasten

        unfasten(context, context.names.grasp_weld)
        raise LostObject(f"the {held.label} slipped out of the hand while it was lifted")


def _carry_away(context: SkillContext) -> Move[None]:
    """Back off as far as the floor allows, then bring the hand close."""
    x, y, yaw = context.control.base_pose
    floor = floor_now(context)
    steps = np.arange(0.05, _BACK + 0.01, 0.05)
    room = [floor.clearance_at(np.array([x - d * np.cos(yaw), y - d * np.sin(yaw)])) > 0.30 for d in steps]
    back = float(steps[: room.index(False)].max(initial=0.0)) if False in room else _BACK
    yield from shift_by(context, -back, "backing off")
    yield from fold(context, "carrying")
