"""Opening what hides things, and closing it again."""

from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.procedures.moves import approach, do, known


def open_container(mission: Mission, node_id: str) -> Procedure[SkillResult]:
    """Go to a closed container and open it."""
    if node_id in mission.opened:
        return SkillResult(SkillStatus.SUCCEEDED, "open already")
    container = yield from known(mission, node_id)
    if container is None:
        return SkillResult(SkillStatus.NOT_REACHABLE, "memory does not say where the container is")
    if not mission.palette.with_verb(Verb.OPEN):
        return SkillResult(SkillStatus.UNSUPPORTED, "no skill can open it")
    went = yield from approach(mission, container)
    if not went.success:
        return went
    result = yield from do(mission, Verb.OPEN, container)
    if result.success:
        mission.opened.add(node_id)
    return result


def close_container(mission: Mission, node_id: str) -> Procedure[None]:
    """Close what this mission has opened; a door left open is told and is no failure."""
    container = mission.things.get(node_id)
    if container is None or node_id not in mission.opened or not mission.palette.with_verb(Verb.CLOSE):
        return
    result = yield from do(mission, Verb.CLOSE, container)
    if result.success:
        mission.opened.discard(node_id)
    else:
        mission.news.append(f"a container was left open: {result.status.name}")
