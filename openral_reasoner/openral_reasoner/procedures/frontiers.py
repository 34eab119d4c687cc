"""The ranked frontier of a search, for the text of a miss."""

from openral_reasoner.exchanges.turns import Frontier
from openral_reasoner.procedures.asks import read_scene
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.searches import Candidate, SearchProgress, plan_active_search


def frontier(mission: Mission, episode: SearchProgress) -> Procedure[tuple[Candidate, ...]]:
    """Where to look next for this episode, within what is left of the budget."""
    graph, robot = yield from read_scene(mission)
    left = int(mission.ledger.left("candidates"))
    start = robot.position if robot else None
    return plan_active_search(graph, episode, left, start, mission.settings.search)


def shown(mission: Mission, candidates: tuple[Candidate, ...]) -> tuple[Frontier, ...]:
    """The best of them as the model may know them."""
    return tuple(
        Frontier(id=each.node_id, label=each.label, why=each.why, must_open=each.must_open)
        for each in candidates[: mission.settings.frontier_shown]
    )
