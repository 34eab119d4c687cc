"""Recall of an object, escalation to a locator, and the frontier of a search."""

from collections.abc import Callable

import pytest

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.missions import MissionState
from openral_core.spatial_memory import RecallResult, RecallStatus
from openral_reasoner.behaviors.recall_or_locate import (
    frontier,
    frontier_entries,
    not_found_reply,
    places,
    recall_or_locate,
)
from openral_reasoner.commands import CallLocate, CallRecall, Command, PublishHandoff, SendSkill
from openral_reasoner.context import Context, RawCall, ToolResult
from openral_reasoner.events import Event, Located, Recalled
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, call, run_mission_in_home, run_procedure
from openral_testing.reasoner.symbolic_home import SymbolicHome


def recall(mission: Mission, home: SymbolicHome, words: str) -> tuple[ToolResult, int]:
    """Return the reply and the number of requests to a locator."""
    reply, commands = run_procedure(mission, recall_or_locate(mission, words, ()), HomePeers(home).answer)
    return reply, sum(isinstance(command, CallLocate) for command in commands)


def test_an_object_that_memory_has_is_found_without_a_locator(mission: Mission, home: SymbolicHome) -> None:
    reply, looks = recall(mission, home, "mug")
    assert (reply.status, [item.id for item in reply.found], looks) == ("FOUND", ["mug_1"], 0)


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
    assert (reply.status, [item.id for item in reply.found]) == ("FOUND_IN_VIEW", ["milk_1"])


def test_a_disproved_object_is_not_found_where_memory_still_has_it(
    mission: Mission, home: SymbolicHome
) -> None:
    recall(mission, home, "mug")
    mission.disprove(mission.objects["mug_1"])
    reply, _ = recall(mission, home, "mug")
    assert reply.found == ()
    assert "table_1" not in [item.id for item in reply.frontier]


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
    ranked, _ = run_procedure(
        mission, frontier(mission, mission.search.episode("mug")), HomePeers(home).answer
    )
    assert len(ranked) > 2
    assert [item.id for item in frontier_entries(mission, ranked)] == [item.node_id for item in ranked[:2]]


@pytest.mark.parametrize(("count", "words"), [(1, "1 place is"), (2, "2 places are")])
def test_places_are_counted_in_the_right_number(count: int, words: str) -> None:
    assert places(count) == words


FAIL = RawCall(tool="done", arguments='{"success": false, "message": "enough"}')
Run = Callable[..., tuple[MissionRun, list[ToolResult]]]


@pytest.fixture
def run(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Run:
    def start(
        *calls: RawCall, peers: Callable[[Command], Event | None] | None = None
    ) -> tuple[MissionRun, list[ToolResult]]:
        reported: list[ToolResult] = []

        def model(context: Context) -> RawCall:
            reported[:] = [turn.reply for turn in context.turns]
            return [*calls, FAIL][min(len(context.turns), len(calls))]

        played = run_mission_in_home("find it", palette, peers or HomePeers(home).answer, model, settings)
        return played, reported

    return start


@pytest.mark.parametrize("words", ["%", "\U0001f956", " . ", "?!"])
@pytest.mark.parametrize("tool", ["recall_object", "locate_in_view"])
def test_words_that_name_nothing_are_refused_and_nobody_is_asked(run: Run, tool: str, words: str) -> None:
    played, reported = run(call(tool, query=words))
    assert reported[0].status == "BAD_QUERY"
    assert "cannot be read as the name of an object" in reported[0].text
    assert reported[0].frontier == ()
    assert not [c for c in played.commands if isinstance(c, CallRecall | CallLocate | SendSkill)]
    assert played.end is not None
    assert played.end.state is MissionState.FAILED  # at once: no search is open that a model would be told of


def test_two_queries_that_name_nothing_have_nothing_to_do_with_each_other(run: Run) -> None:
    _, reported = run(call("recall_object", query="%"), call("recall_object", query="\U0001f956"))
    assert "before" not in reported[1].text


@pytest.mark.parametrize("words", ["mug", "\u9762\u5305", "\u0445\u043b\u0435\u0431", "7up"])
def test_words_of_any_script_are_asked_for(run: Run, words: str) -> None:
    played, _ = run(call("recall_object", query=words))
    assert [c.query.query for c in played.commands if isinstance(c, CallRecall)] == [words]


def test_what_memory_cannot_read_is_not_searched_for(home: SymbolicHome, run: Run) -> None:
    honest = HomePeers(home)

    def peers(command: Command) -> Event | None:
        if isinstance(command, CallRecall):
            unread = RecallResult(RecallStatus.BAD_QUERY, "that names nothing")
            return Recalled(call_id=command.call_id, result=unread)
        return honest.answer(command)

    played, reported = run(call("recall_object", query="mug"), peers=peers)
    assert (reported[0].status, reported[0].peer_words) == ("BAD_QUERY", ("that names nothing",))
    assert not [c for c in played.commands if isinstance(c, CallLocate | SendSkill)]


def test_what_the_locator_cannot_read_is_not_driven_after(home: SymbolicHome, run: Run) -> None:
    honest = HomePeers(home)

    def peers(command: Command) -> Event | None:
        if isinstance(command, CallLocate):
            unread = LocateResult(
                LocateStatus.BAD_QUERY, "bad query", command.query, "head", command.detector
            )
            return Located(call_id=command.call_id, result=unread)
        return honest.answer(command)

    search = call("execute_rskill", rskill_id="NAVIGATE", target="counter_1", search_for="unicorn")
    played, reported = run(call("recall_object", query="unicorn"), search, peers=peers)
    assert (reported[0].status, reported[0].frontier) == ("BAD_QUERY", ())
    assert played.end is not None
    assert played.end.state is MissionState.FAILED


@pytest.mark.parametrize("goal", ["bring me \U0001f956", "find %", "bring me a cup of \U0001f377"])
def test_the_scripted_planner_asks_instead_of_searching(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    played = run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)
    asked = [c.question.question for c in played.commands if isinstance(c, PublishHandoff)]
    assert len(asked) == 1
    assert asked[0].startswith("I don't understand")
    assert played.skills == []
