"""Recall of an object, escalation to a locator, and the frontier of a search."""

import pytest

from openral_reasoner.behaviors.recall import frontier, not_found_reply, places, recall_or_locate, shown
from openral_reasoner.commands import CallLocate
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission
from openral_reasoner_testing.fake_peers import HomePeers
from openral_reasoner_testing.simulator import run_procedure
from openral_reasoner_testing.symbolic_home import SymbolicHome


def recall(mission: Mission, home: SymbolicHome, words: str) -> tuple[ToolResult, int]:
    """Return the reply and the number of requests to a locator."""
    reply, commands = run_procedure(mission, recall_or_locate(mission, words, ()), HomePeers(home).answer)
    return reply, sum(isinstance(command, CallLocate) for command in commands)


def test_an_object_that_memory_has_is_found_without_a_locator(mission: Mission, home: SymbolicHome) -> None:
    reply, looks = recall(mission, home, "mug")
    assert (reply.status, [each.id for each in reply.found], looks) == ("FOUND", ["mug_1"], 0)


def test_a_miss_asks_a_locator_once_per_query(mission: Mission, home: SymbolicHome) -> None:
    first, looks = recall(mission, home, "unicorn")
    assert (first.status, looks) == ("NOT_IN_MEMORY", 1)
    assert first.frontier
    again, looks = recall(mission, home, "the unicorn")
    assert (again.status, looks) == ("NOT_IN_MEMORY", 0)
    assert "already been asked" in again.text


def test_an_object_that_memory_lacks_may_be_in_view(mission: Mission, home: SymbolicHome) -> None:
    home.at = "fridge_1"
    home.places["fridge_1"].is_open = True
    reply, _ = recall(mission, home, "milk")
    assert (reply.status, [each.id for each in reply.found]) == ("FOUND_IN_VIEW", ["milk_1"])


def test_a_disproved_object_is_not_found_where_memory_still_has_it(
    mission: Mission, home: SymbolicHome
) -> None:
    recall(mission, home, "mug")
    mission.disprove(mission.objects["mug_1"])
    reply, _ = recall(mission, home, "mug")
    assert reply.found == ()
    assert "table_1" not in [each.id for each in reply.frontier]


def test_no_place_within_the_budget_ends_the_search(mission: Mission, home: SymbolicHome) -> None:
    while mission.ledger.left("candidates") > 0:
        mission.spend("candidates")
    reply, _ = run_procedure(mission, not_found_reply(mission, "mug", "MISS", "gone"), HomePeers(home).answer)
    assert reply.frontier == ()
    assert reply.text == "gone. No place is left to search: call ask_human or done."


def test_the_frontier_that_is_shown_is_the_beginning_of_the_ranking(
    mission: Mission, home: SymbolicHome
) -> None:
    mission.settings = mission.settings.model_copy(update={"frontier_shown": 2})
    ranked, _ = run_procedure(mission, frontier(mission, mission.episode("mug")), HomePeers(home).answer)
    assert len(ranked) > 2
    assert [each.id for each in shown(mission, ranked)] == [each.node_id for each in ranked[:2]]


@pytest.mark.parametrize(("count", "words"), [(1, "1 place is"), (2, "2 places are")])
def test_places_are_counted_in_the_right_number(count: int, words: str) -> None:
    assert places(count) == words
