"""One candidate of a search: go there, open what hides, look, remember the outcome."""

from openral_core.scene_graph import NodeKind
from openral_core.skills import SkillStatus, Verb
from openral_reasoner.exchanges.turns import Reply
from openral_reasoner.procedures.containers import close_container, open_container
from openral_reasoner.procedures.eyes import hopeless
from openral_reasoner.procedures.looks import Look, look_for
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.procedures.moves import approach, face, known
from openral_reasoner.procedures.queries import BAD_QUERY, refused
from openral_reasoner.procedures.recalls import miss
from openral_reasoner.procedures.targets import hand_refusal
from openral_reasoner.procedures.things import Thing
from openral_reasoner.searches import NOBODY_CAN_LOOK, SEEN_NOT_PLACED, Candidate, SearchProgress

_SEEN_WITHOUT_PLACE = (
    "a locator sees it here, but where exactly could not be measured, so no skill can be used on it: "
    "look again from here, or ask a human and say what was seen and why it could not be placed; "
    "to search elsewhere is of no use"
)


def visit(mission: Mission, candidate: Candidate, episode: SearchProgress) -> Procedure[Reply]:
    """Search one place for the episode's words; it is not gone to while nobody could look there."""
    nobody = hopeless(mission)
    if nobody:
        return Reply(status=NOBODY_CAN_LOOK, text="not gone there, nobody could look", peer_words=(nobody,))
    mission.spend("candidates")
    span = mission.next_id("candidate")
    mission.open_span(span, "search_candidate", node=candidate.node_id, words=episode.term)
    mission.say(f"searching {candidate.label} for {episode.term}")
    outcome = "INTERRUPTED"
    try:
        look = yield from _examine(mission, candidate, episode.term)
        outcome = look.status
    finally:
        _record(mission, candidate, episode, outcome)
        mission.close_span(span, outcome)
    return (yield from _told(mission, candidate, look, episode.term))


def _record(mission: Mission, candidate: Candidate, episode: SearchProgress, outcome: str) -> None:
    mission.keep(mission.episode(episode.term).after_visit(candidate.node_id, outcome))
    mission.searched.append(f"{candidate.label}: {outcome}")


def _told(mission: Mission, candidate: Candidate, look: Look, words: str) -> Procedure[Reply]:
    if look.things:
        mission.keep(mission.episode(words).after_finding(look.things[0].id))
        found = tuple(thing.found() for thing in look.things)
        return Reply(status="FOUND", text="found here; the ids below may be targets", found=found)
    if look.status == BAD_QUERY:
        mission.forget(mission.episode(words))
        return refused(look.message)
    if look.status == SEEN_NOT_PLACED:
        return Reply(status=look.status, text=_SEEN_WITHOUT_PLACE, peer_words=(look.message,))
    if look.absent:
        text = "looked there, and it is not there"
    else:
        text = f"could not look there ({look.status}): this says nothing about whether it is there"
    return (yield from miss(mission, words, look.status, text, (look.message,)))


def _examine(mission: Mission, candidate: Candidate, words: str) -> Procedure[Look]:
    closed = _cannot_open(mission, candidate)
    if closed is not None:
        return closed
    place = yield from known(mission, candidate.node_id)
    if place is None:
        return Look("UNKNOWN_PLACE", "memory does not say where this is")
    went = yield from approach(mission, place)
    if not went.success:
        return Look(f"NOT_REACHED_{went.status.name}", went.message)
    hidden = candidate.node_id if candidate.must_open else place.must_open
    if hidden:
        opened = yield from open_container(mission, hidden)
        if not opened.success:
            return Look(_closed(opened.status), opened.message)
        # A door is opened from beside it; what it hid is seen from before it.
        back = yield from approach(mission, place)
        if not back.success:
            yield from close_container(mission, hidden)
            return Look(f"NOT_REACHED_{back.status.name}", back.message)
    look = yield from _look_there(mission, place, words)
    if hidden and not look.things:
        yield from close_container(mission, hidden)
    return look


def _cannot_open(mission: Mission, candidate: Candidate) -> Look | None:
    """Why it would be driven to for nothing."""
    if not candidate.must_open:
        return None
    if not mission.palette.with_verb(Verb.OPEN):
        return Look("NO_SKILL_TO_OPEN", "it is closed and no skill can open it")
    full = hand_refusal(mission, Verb.OPEN, candidate.node_id)
    return Look(full.status, full.text) if full is not None else None


def _look_there(mission: Mission, place: Thing, words: str) -> Procedure[Look]:
    if place.kind != NodeKind.ROOM:
        faced = yield from face(mission, place)
        if not faced.success:
            return Look(f"NOT_FACED_{faced.status.name}", faced.message)
    return (yield from look_for(mission, words))


def _closed(status: SkillStatus) -> str:
    return "NO_SKILL_TO_OPEN" if status is SkillStatus.UNSUPPORTED else f"NOT_OPENED_{status.name}"
