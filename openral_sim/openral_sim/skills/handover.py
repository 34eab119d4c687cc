"""HANDOVER: hold an object out to a person and let go when their hand has it."""

import re
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from openral_core.arrays import Vector3
from openral_core.errors import format_choices
from openral_core.grasping.approach import pregrasp_pose
from openral_core.skill_errors import BadRequest, TookTooLong
from openral_core.skill_requests import HandoverRequest
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_pose_selection import Options, move_to_work_pose
from openral_sim.motion_primitives.context import CONTROL_PERIOD, HeldObject, Move, Running, SkillContext
from openral_sim.motion_primitives.gripper import (
    activate_weld,
    contact_detected,
    deactivate_weld,
    distance_to,
    open_hand,
    require_held,
)
from openral_sim.motion_primitives.head import aim
from openral_sim.motion_primitives.pregrasp import hold_poses_over
from openral_sim.motion_primitives.retract import back_away, room_behind, stow_arm
from openral_sim.scene.entities import WorldPerson


@dataclass(frozen=True)
class HandoverConfig:
    """Parameters of the skill."""

    # Largest distance of the object from the palm at which the person takes it in [m]; about the length of
    # fingers.
    take_distance: float = 0.08
    gap: float = 0.03  # Height of the object above the palm in [m].
    ahead: float = 0.03  # Distance of the object before the palm in [m].
    drop: float = 0.10  # Height from which the hand comes down to the offer in [m].
    beside: tuple[float, ...] = (0.10, 0.18)  # Distances of further offers from an occupied palm in [m].
    # Largest distance of the object from an occupied palm at which the other hand takes it in [m]; half of
    # what a person's hands are apart when both are held out.
    other_hand: float = 0.25
    wait: float = 5.0  # Longest wait for the person in [s].
    # Largest distance of a goal's pose from the palm of a person whom it does not name in [m]; an arm's
    # length, so that it is not someone else.
    nearest_person: float = 0.8
    face_height: float = 1.5  # Height that the head looks at in [m]; a standing person's face.
    reach_speed: float = 0.7  # Fraction of the arm's top speed near the person.
    offer_speed: float = 0.15  # Speed of the hand on the last stretch in [m/s].
    retract_speed: float = 0.25  # Speed of the emptied hand in [m/s].
    max_retreat: float = 0.20  # Largest distance to back away afterwards in [m].


CONFIG = HandoverConfig()
_MET = re.compile(r"person_\d+")
"""Ids that spatial memory gives to people whom nobody introduced."""


def handover(context: SkillContext, request: HandoverRequest) -> Running:
    """Approach the person, offer the held object at their hand, and let go once they have it."""
    held, agent_id = require_held(context, Verb.HANDOVER), request.agent_id
    request = _recipient(context, request)
    if request.agent_id not in context.world.people:
        raise BadRequest(
            f"unknown person '{request.agent_id}'; people here: {format_choices(context.world.people)}"
        )
    person = context.world.people[request.agent_id]
    point = palm(context, person) + CONFIG.ahead * _away(context, person)
    free_weld(context)
    work_pose = yield from move_to_work_pose(
        context, point, offer_poses(context, held, person, point), "approaching the person"
    )
    face = np.array([*request.agent.position[:2], CONFIG.face_height])
    yield from aim(context, face, "looking at the person")
    yield from reach_to(context, work_pose.before, "holding it out", CONFIG.reach_speed)
    yield from reach_along(
        context,
        work_pose.option.T_map_goal,
        "offering",
        CONFIG.offer_speed,
        stop=lambda: contact_detected(context),
    )
    yield from _give(context, held, person)
    context.achieved = result = partial(_result, context, held, person, agent_id)
    yield from open_hand(context, "letting go")
    level, option = held.orientation.is_level, work_pose.option
    back = option.T_map_pregrasp if level else pregrasp_pose(option.T_map_goal, CONFIG.drop)
    yield from reach_along(context, back, "drawing back", CONFIG.retract_speed)
    yield from back_away(context, min(CONFIG.max_retreat, room_behind(context)))
    yield from stow_arm(context, "folding the arm")
    return result()


def _result(context: SkillContext, held: HeldObject, person: WorldPerson, agent_id: str) -> SkillResult:
    """Return the success, with the id of the receiver that the goal gave."""
    distance = distance_to(context, held.body, palm(context, person))
    evidence: dict[str, ParamValue] = {"agent_id": agent_id, "distance_to_hand": distance}
    return SkillResult(SkillStatus.SUCCEEDED, f"handed over the {held.label}", evidence)


def _recipient(context: SkillContext, request: HandoverRequest) -> HandoverRequest:
    """Name the person at the goal's pose if the goal has an id of the robot's memory."""
    people = context.world.people
    if not _MET.fullmatch(request.agent_id):
        return request
    distances = {
        name: float(np.linalg.norm(np.subtract(request.agent.position[:2], palm(context, person)[:2])))
        for name, person in people.items()
    }
    nearest = min(distances, key=lambda name: distances[name], default="")
    if distances.get(nearest, np.inf) > CONFIG.nearest_person:
        return request
    return replace(request, agent_id=nearest)


def _give(context: SkillContext, held: HeldObject, person: WorldPerson) -> Move[None]:
    """Wait, up to a limit, until the person's hand can take the object, then transfer it.

    Raises:
        TookTooLong: If the object does not come within the hand's reach; the robot still holds it.
    """
    for _ in range(int(CONFIG.wait / CONTROL_PERIOD)):
        if _within_reach(context, held, person):
            break
        yield Feedback("waiting for the hand", 0.8)
    else:
        raise TookTooLong(f"bringing the {held.label} to the hand", CONFIG.wait)
    pass_to(context, held, person)


def _within_reach(context: SkillContext, held: HeldObject, person: WorldPerson) -> bool:
    """Return True if the object is at the palm, or near it if the palm is occupied."""
    reach = CONFIG.other_hand if _given(context, person) else CONFIG.take_distance
    return distance_to(context, held.body, palm(context, person)) < reach


def pass_to(context: SkillContext, held: HeldObject, person: WorldPerson) -> str:
    """Move the held object from the hand's grip to the person's; return the weld that stands for it.

    Raises:
        BadRequest: If all welds are in use.
    """
    weld = free_weld(context)
    activate_weld(context, weld, context.model.body(person.body).id, held.body)
    deactivate_weld(context, context.names.grasp_weld)
    context.held = None
    return weld


def offer_poses(context: SkillContext, held: HeldObject, person: WorldPerson, point: Vector3) -> Options:
    """List ways to bring the object to the palm, or beside it if the palm is occupied."""
    x, y, _ = np.array(context.data.site(person.hand_site).xmat).reshape(3, 3).T
    apart = CONFIG.beside if _given(context, person) else ()
    beside = [distance * axis for distance in apart for axis in (y, -y, x)]
    points = [point, *(point + offset for offset in beside)]
    return lambda base: (
        option for at in points for option in hold_poses_over(held, at, CONFIG.gap, CONFIG.drop, base)
    )


def _given(context: SkillContext, person: WorldPerson) -> list[str]:
    """List the welds that hold what a person was given."""
    body, welds = context.model.body(person.body).id, context.names.handover_welds
    ids = {weld: context.model.equality(weld).id for weld in welds}
    return [w for w, i in ids.items() if context.data.eq_active[i] and context.model.eq_obj1id[i] == body]


def free_weld(context: SkillContext) -> str:
    """Find an inactive weld for one more object.

    Raises:
        BadRequest: If all are in use.
    """
    welds = context.names.handover_welds
    free = [weld for weld in welds if not context.data.eq_active[context.model.equality(weld).id]]
    if not free:
        raise BadRequest(f"cannot hand over more than {len(welds)} objects: none of them has been taken away")
    return free[0]


def _away(context: SkillContext, person: WorldPerson) -> Vector3:
    """Direction away from the person along the palm, shape (3,)."""
    return np.array(context.data.site(person.hand_site).xmat).reshape(3, 3)[:, 0]


def palm(context: SkillContext, person: WorldPerson) -> Vector3:
    """Position of the person's palm in map [m], shape (3,)."""
    return np.array(context.data.site(person.hand_site).xpos)
