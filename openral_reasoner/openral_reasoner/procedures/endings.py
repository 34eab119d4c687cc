"""What a model is told, once, that would end a mission too early."""

from openral_core.skills import Verb
from openral_reasoner.exchanges.turns import Reply
from openral_reasoner.policies import Early
from openral_reasoner.procedures.eyes import hopeless
from openral_reasoner.procedures.frontiers import frontier, shown
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.searches import Candidate, SearchProgress

TOO_EARLY = "TOO_EARLY"
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


def before_success(mission: Mission) -> Reply | None:
    """What is in the gripper; None when nothing is."""
    if not mission.holding or not _first_time(mission, Early.STILL_HOLDING):
        return None
    held = mission.things.get(mission.holding)
    text = (
        f"the robot still holds what it took: hand it over or put it down, if the goal asks for it. {_AGAIN}"
    )
    return Reply(status=TOO_EARLY, text=text, found=(held.found(),) if held is not None else ())


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
    return tuple(each for each in reversed(mission.episodes.values()) if each.escalated and not each.found)


def _first_time(mission: Mission, early: Early) -> bool:
    first, mission.early_endings = mission.early_endings.after(early)
    return first
