"""Search one candidate place: drive there, open it, look, and close it again."""

from dataclasses import replace

from openral_core.detectors import LocateStatus
from openral_core.skills import SkillStatus, Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text import UnreadableText
from openral_reasoner.behaviors.approach import (
    approach,
    close_container,
    face,
    open_container,
    resolve_object,
)
from openral_reasoner.behaviors.locate import LocateOutcome, locate_object, no_locator_reason
from openral_reasoner.behaviors.preconditions import hand_refusal
from openral_reasoner.behaviors.recall_or_locate import BAD_QUERY, bad_query, not_found_reply
from openral_reasoner.context import ToolResult
from openral_reasoner.evidence import Answered, Source
from openral_reasoner.likely_places.belief import thesaurus
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.search import NOBODY_CAN_LOOK, SEEN_NOT_PLACED, Candidate, SearchEpisode

CERTAIN = 0.7
"""Score of a box from which one image is enough; placeholder scores of uncalibrated locators are 1."""
NOT_FACED = "NOT_FACED"
"""Start of the outcome of a place that could not be looked at."""
_SEEN_WITHOUT_PLACE = (
    "a locator sees it here, but its position could not be measured, so no skill can act on it: "
    "call locate_in_view again from here, or ask_human, saying what was seen and why it could not be placed; "
    "do not search elsewhere"
)


def search_candidate(mission: Mission, candidate: Candidate, episode: SearchEpisode) -> Procedure[ToolResult]:
    """Search one place for the episode's object; do not drive there while no locator can look for it."""
    blind = no_locator_reason(mission, episode.term)
    if blind:
        text = "did not drive there because no locator can look for it"
        return ToolResult(status=NOBODY_CAN_LOOK, text=text, peer_words=(blind,))
    mission.spend("candidates")
    span = mission.next_id("candidate")
    mission.open_span(span, "search_candidate", node=candidate.node_id, words=episode.term)
    mission.say(f"searching {candidate.label} for {episode.term}")
    outcome = "INTERRUPTED"
    try:
        look = yield from examine(mission, candidate, episode.term)
        outcome = look.status
    finally:
        mission.search.store(mission.search.episode(episode.term).after_visit(candidate.node_id, outcome))
        mission.search.outcomes.append(f"{candidate.label}: {outcome}")
        mission.close_span(span, outcome)
    return (yield from search_reply(mission, candidate, look, episode.term))


def search_reply(
    mission: Mission, candidate: Candidate, look: LocateOutcome, words: str
) -> Procedure[ToolResult]:
    """Reply to the model with the outcome of searching one place."""
    if look.objects:
        mission.search.store(mission.search.episode(words).after_finding(look.objects[0].id))
        summaries = tuple(target.summary() for target in look.objects)
        return ToolResult(
            status="FOUND", text="found here; the ids below may be used as targets", found=summaries
        )
    if look.status == BAD_QUERY:
        mission.search.drop(mission.search.episode(words))
        return bad_query(look.message)
    if look.status == SEEN_NOT_PLACED:
        return ToolResult(status=look.status, text=_SEEN_WITHOUT_PLACE, peer_words=(look.message,))
    if look.absent:
        text = "searched, and not there"
    else:
        blocked = mission.blocked_ways.advice(candidate.node_id)
        text = f"could not search this place ({look.status}), so the object may still be there{blocked}"
    return (yield from not_found_reply(mission, words, look.status, text, (look.message,)))


def examine(mission: Mission, candidate: Candidate, words: str) -> Procedure[LocateOutcome]:
    """Look for the object from here if the candidate is in sight, else drive there and open it if needed."""
    closed = refusal_to_open(mission, candidate)
    if closed is not None:
        return closed
    place = yield from resolve_object(mission, candidate.node_id)
    if place is None:
        return LocateOutcome("UNKNOWN_PLACE", "memory has no location for this place")
    hidden = candidate.node_id if candidate.must_open else place.must_open
    stood, in_sight = mission.search.in_sight
    if place.id in in_sight and stood == mission.base.at_target and not hidden:
        look = yield from look_at_place(mission, place, words)
        if look.status != SEEN_NOT_PLACED and not look.status.startswith(NOT_FACED):
            return (yield from look_again(mission, look, words))
    return (yield from visit(mission, place, hidden, words))


def visit(mission: Mission, place: MissionObject, hidden: str, words: str) -> Procedure[LocateOutcome]:
    """Drive to a place, open the container ``hidden`` if there is one, and look for the object."""
    went = yield from approach(mission, place)
    if not went.success:
        return LocateOutcome(f"NOT_REACHED_{went.status.name}", went.message)
    if hidden:
        opened = yield from open_container(mission, hidden)
        if not opened.success:
            unable = opened.status is SkillStatus.UNSUPPORTED
            status = "NO_SKILL_TO_OPEN" if unable else f"NOT_OPENED_{opened.status.name}"
            return LocateOutcome(status, opened.message)
        # A door is opened from beside it; what it hid is seen from before it.
        back = yield from approach(mission, place)
        if not back.success:
            yield from close_container(mission, hidden)
            return LocateOutcome(f"NOT_REACHED_{back.status.name}", back.message)
    look = yield from look_at_place(mission, place, words)
    look = yield from look_again(mission, look, words)
    if hidden and not look.objects:
        yield from close_container(mission, hidden)
    return look


def refusal_to_open(mission: Mission, candidate: Candidate) -> LocateOutcome | None:
    """Return the reason why driving there would be useless because it cannot be opened."""
    if not candidate.must_open:
        return None
    if not mission.palette.with_verb(Verb.OPEN):
        return LocateOutcome("NO_SKILL_TO_OPEN", "it is closed and no OPEN skill is available")
    full = hand_refusal(mission, Verb.OPEN, candidate.node_id)
    return LocateOutcome(full.status, full.text) if full is not None else None


def look_at_place(mission: Mission, place: MissionObject, words: str) -> Procedure[LocateOutcome]:
    """Face a place, unless it is a room, and look for the object."""
    if place.kind != NodeKind.ROOM:
        faced = yield from face(mission, place)
        if not faced.success:
            return LocateOutcome(f"{NOT_FACED}_{faced.status.name}", faced.message)
    return (yield from locate_object(mission, words))


def look_again(mission: Mission, first: LocateOutcome, words: str) -> Procedure[LocateOutcome]:
    """Face what was found with a low score, and look again: that image decides, if a locator evaluates it.

    What scores low again counts only unless memory knows it as something else.
    """
    if not first.objects or first.score >= CERTAIN:
        return first
    look = first
    faced = yield from face(mission, first.objects[0])
    if faced.success:
        second = yield from locate_object(mission, words)
        look = second if second.objects or second.absent else first
    return look if look.score >= CERTAIN else without_known_others(mission, look, words)


def without_known_others(mission: Mission, look: LocateOutcome, words: str) -> LocateOutcome:
    """Leave out objects that memory knows by another name, given by detectors that know these words too."""
    if not any(means(words, name) for each in mission.palette.continuous_detectors for name in each.labels):
        return look
    matching = tuple(each for each in look.objects if means(words, each.label))
    if matching or not look.objects:
        return replace(look, objects=matching)
    mission.note(Answered(Source.LOOK, words))
    other = look.objects[0]
    why = f"what resembles it is known as {other.label} ({other.id})"
    return LocateOutcome(LocateStatus.NOT_IN_VIEW.name, why, look.detector)


def means(words: str, label: str) -> bool:
    """Return True if a label says what the words ask for."""
    try:
        return thesaurus().relation(words, label).is_hit
    except UnreadableText:
        return False
