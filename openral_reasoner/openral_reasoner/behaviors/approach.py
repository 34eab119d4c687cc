"""Approach an object, face it, open and close its containers, and refine its pose before a grasp."""

from dataclasses import dataclass, replace
from math import dist

from openral_core.memory_queries import ResolveStatus
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.locate import LocateOutcome, locate_object, not_evaluated
from openral_reasoner.behaviors.peers import SKILLS, wait_for
from openral_reasoner.behaviors.requests import RequestFailed, resolve
from openral_reasoner.behaviors.skill_goal import STOOD, MissingParameter, bind, execute_skill
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import SkillEntry
from openral_reasoner.success.evidence import Same

_NO_POSE = SkillResult(SkillStatus.NOT_REACHABLE, "memory has no pose for it")


def resolve_object(mission: Mission, node_id: str) -> Procedure[KnownObject | None]:
    """Return the node with this id, resolving it from memory if this mission does not know it yet."""
    if node_id in mission.things:
        return mission.things[node_id]
    answer = yield from resolve(mission, node_id)
    if isinstance(answer, RequestFailed) or answer.status is not ResolveStatus.FOUND or not answer.node_id:
        return None
    entry = mission.palette.place(answer.node_id)
    thing = KnownObject.resolved(answer, entry.label if entry else node_id)
    return mission.learn(thing)


def run_skill(mission: Mission, verb: Verb, thing: KnownObject) -> Procedure[SkillResult]:
    """Run the first skill of a verb on an object."""
    yield from wait_for(mission, SKILLS)
    entries = mission.palette.with_verb(verb)
    if not entries:
        return SkillResult(SkillStatus.UNSUPPORTED, f"no {verb.value} skill is available now")
    return (yield from run_skill_with(mission, entries[0], thing))


def run_skill_with(mission: Mission, entry: SkillEntry, thing: KnownObject) -> Procedure[SkillResult]:
    """Run one skill on an object, without recovery."""
    try:
        params = bind(entry, thing, {})
    except MissingParameter as error:
        return SkillResult(SkillStatus.BAD_REQUEST, str(error))
    mission.say(f"{entry.verb.value} {thing.label}")
    if entry.verb is not Verb.LOOK_AT:
        # Any other skill may move the base.
        mission.at = mission.facing = ""
    return (yield from execute_skill(mission, entry, thing, f"{entry.verb.value} {thing.label}", params))


def approach(mission: Mission, thing: KnownObject) -> Procedure[SkillResult]:
    """Drive to where the object can be seen and reached, unless the robot is already there."""
    if mission.at == thing.id:
        return SkillResult(SkillStatus.SUCCEEDED, "already there")
    thing = yield from _with_standing(mission, thing)
    if thing.standing is None:
        return _NO_POSE
    result = yield from run_skill(mission, Verb.NAVIGATE, thing)
    if result.status in (SkillStatus.TIMEOUT, SkillStatus.BUSY, SkillStatus.BLOCKED, SkillStatus.SKILL_ERROR):
        result = yield from run_skill(mission, Verb.NAVIGATE, thing)
    if result.success:
        mission.at = thing.id
    return result


def face(mission: Mission, thing: KnownObject) -> Procedure[SkillResult]:
    """Point the camera at the object; the skill may drive to see into a container."""
    if thing.pose is None:
        return _NO_POSE
    mission.facing = ""
    result = yield from run_skill(mission, Verb.LOOK_AT, thing)
    drove = result.evidence.get("drove", 0.0)
    if isinstance(drove, float) and drove > STOOD:
        mission.at = ""
    if result.success:
        mission.facing = thing.id
    return result


def _with_standing(mission: Mission, thing: KnownObject) -> Procedure[KnownObject]:
    if thing.standing is not None:
        return thing
    answer = yield from resolve(mission, thing.id)
    if isinstance(answer, RequestFailed) or answer.goal_pose is None:
        return thing
    return mission.learn(replace(thing, standing=answer.goal_pose))


def open_container(mission: Mission, node_id: str) -> Procedure[SkillResult]:
    """Drive to a closed container and open it."""
    if node_id in mission.opened:
        return SkillResult(SkillStatus.SUCCEEDED, "already open")
    container = yield from resolve_object(mission, node_id)
    if container is None:
        return SkillResult(SkillStatus.NOT_REACHABLE, "memory has no location for the container")
    if not mission.palette.with_verb(Verb.OPEN):
        return SkillResult(SkillStatus.UNSUPPORTED, "no OPEN skill is available")
    went = yield from approach(mission, container)
    if not went.success:
        return went
    result = yield from run_skill(mission, Verb.OPEN, container)
    if result.success:
        mission.opened.add(node_id)
    return result


def close_container(mission: Mission, node_id: str) -> Procedure[None]:
    """Close a container this mission opened; a door left open is news for the model, not a failure."""
    container = mission.things.get(node_id)
    if container is None or node_id not in mission.opened or not mission.palette.with_verb(Verb.CLOSE):
        return
    result = yield from run_skill(mission, Verb.CLOSE, container)
    if result.success:
        mission.opened.discard(node_id)
    else:
        mission.news.append(f"{node_id} was left open: CLOSE ended {result.status.name}")


@dataclass(frozen=True, slots=True)
class RefinedPose:
    """Object as last seen; ``lost`` if a detector did not see it at its place."""

    thing: KnownObject
    look: LocateOutcome
    lost: bool = False


def refine_pose(mission: Mission, thing: KnownObject) -> Procedure[RefinedPose]:
    """Refine an object's pose by looking at it from the current base pose.

    If no locator can answer, the remembered pose stands; only two images without the object show that it has
    moved.
    """
    look = not_evaluated(mission)
    for _ in range(2):
        faced = yield from face(mission, thing)
        if not mission.palette.detector_available:
            return RefinedPose(thing, look)
        look = yield from locate_object(mission, thing.words or thing.label)
        if seen := _same(mission, thing, look.things):
            if seen.id != thing.id:
                mission.note(Same(thing.id, seen.id))
            return RefinedPose(seen, look)
        if not (look.absent or look.things) or not faced.success:
            return RefinedPose(thing, look)
    mission.disprove(thing)
    return RefinedPose(thing, look, lost=True)


def _same(mission: Mission, thing: KnownObject, seen: tuple[KnownObject, ...]) -> KnownObject | None:
    """Return the detection that is this object: the one with its id, else the nearest within the gate."""
    named = next((each for each in seen if each.id == thing.id), None)
    if named is not None or thing.pose is None:
        return named
    expected = thing.pose.position
    near = [
        (dist(each.pose.position, expected), index, each)
        for index, each in enumerate(seen)
        if each.pose is not None and dist(each.pose.position, expected) <= mission.settings.same_object_within
    ]
    return min(near)[2] if near else None
