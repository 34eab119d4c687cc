"""What a model is told, once, that would end a mission too early."""

from openral_core.missions import MissionState
from openral_core.skills import Verb
from openral_reasoner.exchanges.turns import Found, Reply
from openral_reasoner.policies import Early
from openral_reasoner.procedures.eyes import hopeless
from openral_reasoner.procedures.frontiers import frontier, shown
from openral_reasoner.procedures.mission import Ending, Mission, Procedure
from openral_reasoner.procedures.proofs import Proof
from openral_reasoner.searches import Candidate, SearchProgress
from openral_reasoner.success import Verdict

TOO_EARLY = "TOO_EARLY"
NOT_PROVEN = "NOT_PROVEN"
_NEEDED = {"candidates": 1, "locates": 1, "skills": 2, "model_calls": 2}
"""What one more candidate takes of the budget."""
_AGAIN = "Call the same again if it should end all the same."


def before_giving_up(mission: Mission) -> Procedure[Reply | None]:
    """Places that are left while the budget and the graph allow to search them; None when nothing is left."""
    for episode in _open_episodes(mission):
        candidates = yield from frontier(mission, episode)
        if candidates and _first_time(mission, Early.SEARCH_OPEN):
            return _left(mission, episode, candidates)
    return None


def before_success(mission: Mission, proof: Proof) -> Reply | None:
    """What is not proven, or still in the gripper; None when that was said before, or is not so."""
    if proof.verdict.proven or not proof.provable:
        return None if proof.wants_held else _still_holding(mission)
    able = mission.ledger.left("model_calls") >= 1
    return _not_proven(mission, proof.verdict) if able and _first_time(mission, Early.NOT_PROVEN) else None


def _still_holding(mission: Mission) -> Reply | None:
    if not mission.holding or not _first_time(mission, Early.STILL_HOLDING):
        return None
    text = (
        f"the robot still holds what it took: hand it over or put it down, if the goal asks for it. {_AGAIN}"
    )
    return Reply(status=TOO_EARLY, text=text, found=_held(mission))


def _not_proven(mission: Mission, verdict: Verdict) -> Reply:
    text = (
        f"no skill, look or memory shows success. Missing: {verdict.missing}. "
        f"To prove it: {verdict.remedy}. If that cannot be done, call done with success false. "
        "Called again with success true and no proof, the mission ends as CLAIMED, not as SUCCEEDED."
    )
    return Reply(status=NOT_PROVEN, text=text, found=_held(mission))


def _held(mission: Mission) -> tuple[Found, ...]:
    held = mission.things.get(mission.holding)
    return (held.found(),) if held is not None else ()


def ended(mission: Mission, proof: Proof, message: str) -> Ending:
    """The end of a mission that its model calls a success."""
    verdict = proof.verdict
    if verdict.proven:
        return Ending(MissionState.SUCCEEDED, message, verdict.proofs)
    evidence = (f"missing: {verdict.missing}", *mission.evidence.words())
    return Ending(MissionState.CLAIMED, f"{message} (claimed, not proven: {verdict.missing})", evidence)


def _left(mission: Mission, episode: SearchProgress, candidates: tuple[Candidate, ...]) -> Reply:
    text = (
        f"{len(candidates)} places are left to search for it, best first, by execute_rskill on a frontier id "
        f"with search_for. {_AGAIN}"
    )
    words = (f"not found yet: {episode.term}",)
    return Reply(status=TOO_EARLY, text=text, frontier=shown(mission, candidates), peer_words=words)


def _open_episodes(mission: Mission) -> tuple[SearchProgress, ...]:
    able = mission.palette.detector_available and mission.palette.with_verb(Verb.NAVIGATE)
    if (
        not able
        or hopeless(mission)
        or any(mission.ledger.left(line) < need for line, need in _NEEDED.items())
    ):
        return ()
    return tuple(
        each
        for each in reversed(mission.episodes.values())
        if each.escalated and not each.found and not each.sighted
    )


def _first_time(mission: Mission, early: Early) -> bool:
    first, mission.early_endings = mission.early_endings.after(early)
    return first
