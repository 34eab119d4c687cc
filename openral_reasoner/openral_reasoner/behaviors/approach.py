"""Coming to a thing and turning to it."""
# MERGED Opening what hides things, and closing it again.
# MERGED A second look from close by, for a pose good enough to grasp.

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

_NOT_TOLD = SkillResult(SkillStatus.NOT_REACHABLE, "memory knows no pose for it")


def resolve_object(mission: Mission, node_id: str) -> Procedure[KnownObject | None]:
    """A thing by id, asked of memory when this mission has not been told of it yet."""
    if node_id in mission.things:
        return mission.things[node_id]
    answer = yield from resolve(mission, node_id)
    if isinstance(answer, RequestFailed) or answer.status is not ResolveStatus.FOUND or not answer.node_id:
        return None
    entry = mission.palette.place(answer.node_id)
    thing = KnownObject.resolved(answer, entry.label if entry else node_id)
    return mission.learn(thing)


def run_skill(mission: Mission, verb: Verb, thing: KnownObject) -> Procedure[SkillResult]:
    """One plain skill on a thing, by the first skill of that verb."""
    yield from wait_for(mission, SKILLS)
    entries = mission.palette.with_verb(verb)
    if not entries:
        return SkillResult(SkillStatus.UNSUPPORTED, f"no skill does {verb.value} now")
    return (yield from run_skill_with(mission, entries[0], thing))


def run_skill_with(mission: Mission, entry: SkillEntry, thing: KnownObject) -> Procedure[SkillResult]:
    """One plain skill on a thing."""
    try:
        params = bind(entry, thing, {})
    except MissingParameter as error:
        return SkillResult(SkillStatus.BAD_REQUEST, str(error))
    mission.say(f"{entry.verb.value} {thing.label}")
    if entry.verb is not Verb.LOOK_AT:
        # Whatever it does, the robot stands elsewhere afterwards.
        mission.at = mission.facing = ""
    return (yield from execute_skill(mission, entry, thing, f"{entry.verb.value} {thing.label}", params))


def approach(mission: Mission, thing: KnownObject) -> Procedure[SkillResult]:
    """Stand where the thing can be seen and reached; nothing to do when there already."""
    if mission.at == thing.id:
        return SkillResult(SkillStatus.SUCCEEDED, "there already")
    thing = yield from _with_standing(mission, thing)
    if thing.standing is None:
        return _NOT_TOLD
    result = yield from run_skill(mission, Verb.NAVIGATE, thing)
    if result.status in (SkillStatus.TIMEOUT, SkillStatus.BUSY, SkillStatus.BLOCKED, SkillStatus.SKILL_ERROR):
        result = yield from run_skill(mission, Verb.NAVIGATE, thing)
    if result.success:
        mission.at = thing.id
    return result


def face(mission: Mission, thing: KnownObject) -> Procedure[SkillResult]:
    """Point the camera at the thing; to see into what hides it, the skill may drive."""
    if thing.pose is None:
        return _NOT_TOLD
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
    """Go to a closed container and open it."""
    if node_id in mission.opened:
        return SkillResult(SkillStatus.SUCCEEDED, "open already")
    container = yield from resolve_object(mission, node_id)
    if container is None:
        return SkillResult(SkillStatus.NOT_REACHABLE, "memory does not say where the container is")
    if not mission.palette.with_verb(Verb.OPEN):
        return SkillResult(SkillStatus.UNSUPPORTED, "no skill can open it")
    went = yield from approach(mission, container)
    if not went.success:
        return went
    result = yield from run_skill(mission, Verb.OPEN, container)
    if result.success:
        mission.opened.add(node_id)
    return result


def close_container(mission: Mission, node_id: str) -> Procedure[None]:
    """Close what this mission has opened; a door left open is told and is no failure."""
    container = mission.things.get(node_id)
    if container is None or node_id not in mission.opened or not mission.palette.with_verb(Verb.CLOSE):
        return
    result = yield from run_skill(mission, Verb.CLOSE, container)
    if result.success:
        mission.opened.discard(node_id)
    else:
        mission.news.append(f"a container was left open: {result.status.name}")


@dataclass(frozen=True, slots=True)
class RefinedPose:
    """The thing as last known; ``lost`` when a look has shown that it is not there."""

    thing: KnownObject
    look: LocateOutcome
    lost: bool = False


def refine_pose(mission: Mission, thing: KnownObject) -> Procedure[RefinedPose]:
    """Look at a thing from where the robot stands.

    A locator that cannot answer leaves the thing as memory has it; only a look without it, twice,
    shows that it has moved.
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
    """The one seen that is the thing: by id, else the nearest within reason."""
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
