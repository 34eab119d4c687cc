"""Coming to a thing and turning to it."""

from dataclasses import replace

from openral_core.queries import ResolveStatus
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_reasoner.palettes import SkillEntry
from openral_reasoner.procedures.acts import STOOD, act
from openral_reasoner.procedures.asks import Unanswered, resolve
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.procedures.params import MissingParameter, bind
from openral_reasoner.procedures.things import Thing
from openral_reasoner.procedures.waits import SKILLS, wait_for

_NOT_TOLD = SkillResult(SkillStatus.NOT_REACHABLE, "memory knows no pose for it")


def known(mission: Mission, node_id: str) -> Procedure[Thing | None]:
    """A thing by id, asked of memory when this mission has not been told of it yet."""
    if node_id in mission.things:
        return mission.things[node_id]
    answer = yield from resolve(mission, node_id)
    if isinstance(answer, Unanswered) or answer.status is not ResolveStatus.FOUND or not answer.node_id:
        return None
    entry = mission.palette.place(answer.node_id)
    thing = Thing.resolved(answer, entry.label if entry else node_id)
    return mission.learn(thing)


def do(mission: Mission, verb: Verb, thing: Thing) -> Procedure[SkillResult]:
    """One plain skill on a thing, by the first skill of that verb."""
    yield from wait_for(mission, SKILLS)
    entries = mission.palette.with_verb(verb)
    if not entries:
        return SkillResult(SkillStatus.UNSUPPORTED, f"no skill does {verb.value} now")
    return (yield from do_with(mission, entries[0], thing))


def do_with(mission: Mission, entry: SkillEntry, thing: Thing) -> Procedure[SkillResult]:
    """One plain skill on a thing."""
    try:
        params = bind(entry, thing, {})
    except MissingParameter as error:
        return SkillResult(SkillStatus.BAD_REQUEST, str(error))
    mission.say(f"{entry.verb.value} {thing.label}")
    if entry.verb is not Verb.LOOK_AT:
        # Whatever it does, the robot stands elsewhere afterwards.
        mission.at = mission.facing = ""
    return (yield from act(mission, entry, thing, f"{entry.verb.value} {thing.label}", params))


def approach(mission: Mission, thing: Thing) -> Procedure[SkillResult]:
    """Stand where the thing can be seen and reached; nothing to do when there already."""
    if mission.at == thing.id:
        return SkillResult(SkillStatus.SUCCEEDED, "there already")
    thing = yield from _with_standing(mission, thing)
    if thing.standing is None:
        return _NOT_TOLD
    result = yield from do(mission, Verb.NAVIGATE, thing)
    if result.status in (SkillStatus.TIMEOUT, SkillStatus.BUSY, SkillStatus.BLOCKED, SkillStatus.SKILL_ERROR):
        result = yield from do(mission, Verb.NAVIGATE, thing)
    if result.success:
        mission.at = thing.id
    return result


def face(mission: Mission, thing: Thing) -> Procedure[SkillResult]:
    """Point the camera at the thing; to see into what hides it, the skill may drive."""
    if thing.pose is None:
        return _NOT_TOLD
    mission.facing = ""
    result = yield from do(mission, Verb.LOOK_AT, thing)
    drove = result.evidence.get("drove", 0.0)
    if isinstance(drove, float) and drove > STOOD:
        mission.at = ""
    if result.success:
        mission.facing = thing.id
    return result


def _with_standing(mission: Mission, thing: Thing) -> Procedure[Thing]:
    if thing.standing is not None:
        return thing
    answer = yield from resolve(mission, thing.id)
    if isinstance(answer, Unanswered) or answer.goal_pose is None:
        return thing
    return mission.learn(replace(thing, standing=answer.goal_pose))
