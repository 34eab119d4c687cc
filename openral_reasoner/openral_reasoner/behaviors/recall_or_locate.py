"""Recall an object; on a miss, ask the default locator once, then reply with the frontier of a search.

A query that cannot name an object is rejected before any peer is asked and before anything moves.
"""

from openral_core.detectors import LocateStatus
from openral_core.skills import Verb
from openral_core.spatial_memory import RecallMatch, RecallResult, RecallStatus, SceneGraph
from openral_core.text.noun_phrases import UnreadableText, words_of
from openral_core.text.terms import answers
from openral_reasoner.behaviors.exploring import with_unexplored
from openral_reasoner.behaviors.locate import LocateOutcome, locate_object
from openral_reasoner.behaviors.preconditions import forbidden_by
from openral_reasoner.behaviors.requests import RequestFailed, read_scene, recall
from openral_reasoner.context import Frontier, ToolResult
from openral_reasoner.evidence import Answered, Source
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.search import SEEN_NOT_PLACED, Candidate, Point, SearchEpisode, plan_active_search
from openral_reasoner.sight import places_in_sight, places_in_view

BAD_QUERY = "BAD_QUERY"
"""Status of such a rejection, the same as a peer's."""
_ADVICE = (
    "the query cannot be read as the name of an object, so nothing was searched. "
    "Name the object in letters, such as 'red mug', or ask the operator what is meant"
)


def unreadable(words: str) -> ToolResult | None:
    """Return the rejection of a query that names nothing; None if the query is usable."""
    try:
        words_of(words)
    except UnreadableText as error:
        return bad_query(str(error))
    return None


def bad_query(why: str) -> ToolResult:
    """Reply to a query that a peer could not read."""
    return ToolResult(status=BAD_QUERY, text=_ADVICE, peer_words=(why,))


def frontier(mission: Mission, episode: SearchEpisode) -> Procedure[tuple[Candidate, ...]]:
    """Rank the places to search next, within the remaining budget."""
    graph, robot = yield from read_scene(mission)
    remaining = int(mission.ledger.left("candidates"))
    start = robot.position if robot else None
    settings = mission.settings
    in_sight, covered = seen_from_here(mission, graph, start, episode)
    mission.search.in_sight = mission.base.at_target, in_sight
    if covered:
        episode = episode.after_view(covered)
        mission.search.store(episode)
    candidates = plan_active_search(
        graph, episode, remaining, start, settings.search, settings.weights, in_sight
    )
    allowed = tuple(each for each in candidates if not _is_closed_off(mission, each))
    return with_unexplored(mission, allowed)[:remaining]


def seen_from_here(
    mission: Mission, graph: SceneGraph, eye: Point | None, episode: SearchEpisode
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the places in sight, and those of them in a view in which the object was just not found."""
    at, facing = mission.base.at_target, mission.base.faced_target
    if eye is None or at not in graph.by_id:
        return frozenset(), frozenset()
    last = episode.visits[-1] if episode.visits else None
    is_fresh = last is not None and last.node_id == facing and last.outcome == LocateStatus.NOT_IN_VIEW.name
    covered = places_in_view(graph, eye, facing, episode.term) if is_fresh and facing in graph.by_id else ()
    return places_in_sight(graph, eye, at, episode.term), frozenset(covered)


def _is_closed_off(mission: Mission, candidate: Candidate) -> bool:
    """Return True if the operator forbade to go to a place, or to open it where that is needed."""
    target = MissionObject(candidate.node_id, candidate.label, "place", None)
    verbs = (Verb.NAVIGATE, *((Verb.OPEN,) if candidate.must_open else ()))
    return any(forbidden_by(mission, verb, target) for verb in verbs)


def frontier_entries(mission: Mission, candidates: tuple[Candidate, ...]) -> tuple[Frontier, ...]:
    """Return the best candidates in the form the model reads."""
    return tuple(
        Frontier(id=each.node_id, label=each.label, why=each.why, must_open=each.must_open)
        for each in candidates[: mission.settings.frontier_shown]
    )


BEST = 3
"""Places of a frontier that a reply to a miss shows: it is ranked anew after each [1]."""
_HIT = (RecallStatus.FOUND, RecallStatus.AMBIGUOUS, RecallStatus.ONLY_STALE)
_HIT_WORDS = {
    RecallStatus.FOUND: "memory has it; the ids below may be used as targets",
    RecallStatus.AMBIGUOUS: "memory has several matches, best first; ask_human if it matters which one",
    RecallStatus.ONLY_STALE: "memory has it, but has not seen it for a long time: verify before acting",
}


def recall_or_locate(mission: Mission, words: str, likely: tuple[str, ...]) -> Procedure[ToolResult]:
    """Return the object from memory, else from one live detection, else the places to search."""
    refusal = unreadable(words)
    if refusal is not None:
        return refusal
    mission.say(f"recalling {words}")
    answer = yield from recall(mission, words)
    if not isinstance(answer, RequestFailed) and answer.status is RecallStatus.BAD_QUERY:
        return bad_query(answer.message)
    hits = recall_hits(mission, answer, words) if not isinstance(answer, RequestFailed) else None
    if hits is not None:
        return hits
    episode = mission.search.episode(words).hinted(_near(mission, answer, words), likely)
    mission.search.store(episode)
    return (yield from escalate(mission, answer, episode))


def recall_hits(mission: Mission, answer: RecallResult, words: str) -> ToolResult | None:
    """Return the matches of memory that no detection has refuted as a reply; None if there are none."""
    objects = _believed(mission, answer.matches, words) if answer.status in _HIT else ()
    if not objects:
        return None
    summaries = tuple(target.summary() for target in objects)
    return ToolResult(status=answer.status.name, text=_HIT_WORDS[answer.status], found=summaries)


def not_found_reply(
    mission: Mission, words: str, status: str, text: str, peer: tuple[str, ...] = ()
) -> Procedure[ToolResult]:
    """Reply that an object was not found, with the places left to search."""
    candidates = yield from frontier(mission, mission.search.episode(words))
    if not candidates:
        advice = "No place is left to search: call ask_human or done."
    elif status == "NOT_IN_VIEW":
        advice = "Search on, best first."
    else:
        advice = "Search with execute_rskill NAVIGATE on a frontier id with search_for, best first."
    return ToolResult(
        status=status,
        text=f"{text}. {advice}",
        frontier=frontier_entries(mission, candidates),
        shown=BEST,
        peer_words=peer,
    )


def _believed(mission: Mission, matches: tuple[RecallMatch, ...], words: str) -> tuple[MissionObject, ...]:
    """Learn and return the matches that no detection of this mission has refuted."""
    standing = [
        m for m in matches if not (m.node_id in mission.objects and mission.objects[m.node_id].disproved)
    ]
    return tuple(mission.learn(MissionObject.from_match(match, words)) for match in standing)


def _near(mission: Mission, answer: RecallResult | RequestFailed, words: str) -> tuple[str, ...]:
    if isinstance(answer, RequestFailed):
        return ()
    for match in answer.near_misses:
        if match.node_id not in mission.objects:
            mission.learn(MissionObject.from_match(match, words, hint=True))
    return tuple(match.node_id for match in answer.near_misses)


def escalate(
    mission: Mission, answer: RecallResult | RequestFailed, episode: SearchEpisode
) -> Procedure[ToolResult]:
    """Ask the default locator for the same query, once per episode."""
    words = episode.term
    status = answer.condition if isinstance(answer, RequestFailed) else RecallStatus.NOT_IN_MEMORY.name
    if not isinstance(answer, RequestFailed) and answer.status in (
        RecallStatus.BAD_QUERY,
        RecallStatus.INACTIVE,
        RecallStatus.INTERNAL_ERROR,
    ):
        status = answer.status.name
    unknown = status == RecallStatus.NOT_IN_MEMORY.name
    memory = "not in memory" if unknown else f"memory could not answer ({status})"
    if episode.escalated:
        return (
            yield from not_found_reply(
                mission, words, status, f"{memory}; the locator has already been asked for this query"
            )
        )
    mission.search.store(episode.after_escalation())
    if not mission.settings.locate_after_miss:
        return (yield from not_found_reply(mission, words, status, f"{memory}; no locator was asked"))
    mission.say(f"looking for {words}")
    if mission.palette.in_view or not mission.palette.detector_available:
        yield from read_scene(mission)
        if in_view := unplaced_in_view(mission, words):
            return in_view
    look = _NOT_LISTED if list_answers(mission, words) else (yield from locate_object(mission, words))
    if look.objects:
        return _seen(mission, look, words)
    if look.status == BAD_QUERY:
        mission.search.drop(episode)
        return bad_query(look.message)
    status = SEEN_NOT_PLACED if look.status == SEEN_NOT_PLACED else status
    return (
        yield from not_found_reply(mission, words, status, f"{memory}; {_locate_text(look)}", (look.message,))
    )


FRESH = 2.0
"""Age of the newest image up to which its list of detections tells what is in view [s]."""
_NOT_LISTED = LocateOutcome(LocateStatus.NOT_IN_VIEW.name, "it is not in the list of what is in view")


def list_answers(mission: Mission, words: str) -> bool:
    """Return True if the list of what is in view tells that no object of a class is.

    That is so if a continuous detector that has the class just evaluated an image: a locator would look at
    the same one.
    """
    is_fresh = mission.palette.in_view and any(each.age <= FRESH for each in mission.in_view)
    active = (each for each in mission.palette.continuous_detectors if each.id in mission.palette.awake)
    return bool(is_fresh) and any(answers(words, label) for detector in active for label in detector.labels)


def unplaced_in_view(mission: Mission, words: str) -> ToolResult | None:
    """Reply that a continuous detector sees an object now that has no place in the map; None if none does."""
    in_view = tuple(each for each in mission.in_view if answers(words, each.label))
    if not in_view:
        return None
    mission.note(Answered(Source.LOOK, words))
    text = "a camera sees it now, but without depth it has no place in the map, so no skill can act on it"
    return ToolResult(status=SEEN_NOT_PLACED, text=text, in_view=in_view)


def _seen(mission: Mission, look: LocateOutcome, words: str) -> ToolResult:
    mission.search.store(mission.search.episode(words).after_finding(look.objects[0].id))
    return ToolResult(
        status="FOUND_IN_VIEW",
        text="not in memory, but a locator sees it now; the ids below may be used as targets",
        found=tuple(target.summary() for target in look.objects),
    )


def _locate_text(look: LocateOutcome) -> str:
    if look.absent:
        return "a locator evaluated the current view and did not find it"
    if look.status == SEEN_NOT_PLACED:
        return "a locator sees it, but it could not be placed in the map: look again from closer"
    return f"no locator evaluated the current view ({look.status})"


def places(count: int) -> str:
    """Return the subject of a sentence about this many places."""
    return "1 place is" if count == 1 else f"{count} places are"
