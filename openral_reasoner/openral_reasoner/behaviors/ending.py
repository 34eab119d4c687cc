"""End a mission: verify the goal by evidence, challenge an end that comes too early."""

from dataclasses import dataclass

from openral_core.missions import MissionState
from openral_core.skills import Verb
from openral_reasoner.behaviors.locate import locate_object, no_locator_reason
from openral_reasoner.behaviors.recall_or_locate import frontier, frontier_entries, places
from openral_reasoner.behaviors.requests import read_scene, recall, resolve
from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.policies import Early
from openral_reasoner.request.goals import LookInside, PickUp, Request, Sequence, parts_of, unrestricted
from openral_reasoner.search import Candidate, SearchEpisode
from openral_reasoner.success.case import Case, GoalVerdict, KnownHome
from openral_reasoner.success.judge import NO_PREDICATE, judge, provable


@dataclass(frozen=True, slots=True)
class Proof:
    """GoalVerdict on a goal; ``goal`` is None if its text yields no predicate."""

    goal: Request | None
    verdict: GoalVerdict

    @property
    def provable(self) -> bool:
        """True if evidence could prove the goal."""
        return self.goal is not None

    @property
    def wants_held(self) -> bool:
        """True if the object is to stay in the hand."""
        goal = unrestricted(self.goal) if self.goal is not None else None
        return isinstance(goal.parts[-1] if isinstance(goal, Sequence) else goal, PickUp)


def prove(mission: Mission) -> Procedure[Proof]:
    """Judge the goal; ask read-only questions that may settle it, within the budget, and judge again."""
    goal = provable(mission.request)
    if goal is None:
        return Proof(None, NO_PREDICATE)
    home = yield from home_of(mission, goal)
    verdict = judge(goal, Case(mission.evidence, home))
    if not verdict.proven:
        yield from ask_for_proof(mission, verdict)
        verdict = judge(goal, Case(mission.evidence, home))
    return Proof(goal, verdict)


def home_of(mission: Mission, goal: Request) -> Procedure[KnownHome]:
    """Return what is known of the home; containers matter only for looking inside."""
    occluding: frozenset[str] = frozenset()
    if any(isinstance(part, LookInside) for part in parts_of(goal)):
        graph, _ = yield from read_scene(mission)
        occluding = frozenset(node.id for node in graph.nodes if node.occludes_contents)
    palette = mission.palette
    referents = {term: each.id for term, each in mission.operator.referents.items()}
    return KnownHome(mission.requester, palette.places, occluding, palette.controls, referents)


def ask_for_proof(mission: Mission, verdict: GoalVerdict) -> Procedure[None]:
    """Ask the read-only questions of a verdict, within the budget."""
    for reference in verdict.resolve:
        if _memory_left(mission) and mission.evidence.resolved(reference) is None:
            yield from resolve(mission, reference)
    for words in verdict.recall:
        if _memory_left(mission):
            yield from recall(mission, words)
    if verdict.look and can_look(mission, verdict.look):
        yield from locate_object(mission, verdict.look)


def _memory_left(mission: Mission) -> bool:
    return mission.palette.spatial_memory_available and mission.ledger.left("recalls") >= 1


def can_look(mission: Mission, words: str) -> bool:
    """Return True if a locator can look for these words at once: active, working and within the budget."""
    locator = mission.palette.default_locator
    awake = locator is not None and not locator.must_load and not locator.recovering
    return awake and not no_locator_reason(mission, words) and mission.ledger.left("locates") >= 1


TOO_EARLY = "TOO_EARLY"


NOT_PROVEN = "NOT_PROVEN"


_NEEDED = {"candidates": 1, "locates": 1, "skills": 2, "model_calls": 2}
"""Budget that one more candidate needs, by line."""


_AGAIN = "To end anyway, repeat the same call."


def challenge_giving_up(mission: Mission) -> Procedure[ToolResult | None]:
    """Challenge giving up once while places are left that the budget allows to search; else None."""
    for episode in open_episodes(mission):
        candidates = yield from frontier(mission, episode)
        if candidates and _first_time(mission, Early.SEARCH_OPEN):
            return challenge_open_search(mission, episode, candidates)
    return None


def challenge_success(mission: Mission, proof: Proof) -> ToolResult | None:
    """Challenge a claimed success once if it is not proven or an object is still held; else None."""
    if proof.verdict.proven or not proof.provable:
        return None if proof.wants_held else challenge_holding(mission)
    able = mission.ledger.left("model_calls") >= 1
    return (
        challenge_unproven(mission, proof.verdict)
        if able and _first_time(mission, Early.NOT_PROVEN)
        else None
    )


def challenge_holding(mission: Mission) -> ToolResult | None:
    """Challenge an end while an object is held, once; else None."""
    if not mission.hand.object_id or not _first_time(mission, Early.STILL_HOLDING):
        return None
    text = f"the robot still holds an object: HANDOVER or PLACE it if the goal requires that. {_AGAIN}"
    return ToolResult(status=TOO_EARLY, text=text, found=_held(mission))


def challenge_unproven(mission: Mission, verdict: GoalVerdict) -> ToolResult:
    """Build the challenge of a success that nothing proves."""
    text = (
        f"no reply of a skill, detector or memory shows success. Missing: {verdict.missing}. "
        f"To prove it: {verdict.remedy}. If that is impossible, call done with success false. "
        "If you repeat success true without proof, the mission ends as CLAIMED, not as SUCCEEDED."
    )
    return ToolResult(status=NOT_PROVEN, text=text, found=_held(mission))


def _held(mission: Mission) -> tuple[ObjectSummary, ...]:
    held = mission.objects.get(mission.hand.object_id)
    return (held.summary(),) if held is not None else ()


def ending_of_success(mission: Mission, proof: Proof, message: str) -> Ending:
    """Return the ending of a mission that its model reports as a success."""
    verdict = proof.verdict
    if verdict.proven:
        return Ending(MissionState.SUCCEEDED, message, verdict.proofs)
    evidence = (f"missing: {verdict.missing}", *mission.evidence.words())
    return Ending(MissionState.CLAIMED, f"{message} (claimed, not proven: {verdict.missing})", evidence)


def challenge_open_search(
    mission: Mission, episode: SearchEpisode, candidates: tuple[Candidate, ...]
) -> ToolResult:
    """Build the challenge of giving up a search that has places left."""
    text = (
        f"{places(len(candidates))} left to search, best first: execute_rskill NAVIGATE on a frontier id "
        f"with search_for. {_AGAIN}"
    )
    words = (f"not found yet: {episode.term}",)
    return ToolResult(
        status=TOO_EARLY, text=text, frontier=frontier_entries(mission, candidates), peer_words=words
    )


def open_episodes(mission: Mission) -> tuple[SearchEpisode, ...]:
    """Return the searches that can continue, the newest first."""
    able = mission.palette.detector_available and mission.palette.with_verb(Verb.NAVIGATE)
    if not able or any(mission.ledger.left(line) < need for line, need in _NEEDED.items()):
        return ()
    return tuple(
        each
        for each in reversed(mission.search.episodes.values())
        if each.escalated
        and not each.found_id
        and not each.sighted
        and not no_locator_reason(mission, each.term)
    )


def _first_time(mission: Mission, early: Early) -> bool:
    first, mission.decisions.early_endings = mission.decisions.early_endings.after(early)
    return first
