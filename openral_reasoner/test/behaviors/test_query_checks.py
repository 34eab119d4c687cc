"""Words that name nothing are refused in words: no search, no drive, nothing untrue said of them."""

import json
from collections.abc import Callable

import pytest

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.missions import MissionState
from openral_core.spatial_memory import RecallResult, RecallStatus
from openral_reasoner.commands import CallLocate, CallRecall, Command, PublishHandoff, SendSkill
from openral_reasoner.context import Context, RawCall, ToolResult
from openral_reasoner.events import Event, Located, Recalled
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_reasoner_testing.fake_peers import HomePeers
from openral_reasoner_testing.simulator import MissionRun, run_mission_in_home
from openral_reasoner_testing.symbolic_home import SymbolicHome

FAIL = RawCall(tool="done", arguments='{"success": false, "message": "enough"}')
Run = Callable[..., tuple[MissionRun, list[ToolResult]]]


def call(tool: str, **arguments: str) -> RawCall:
    return RawCall(tool=tool, arguments=json.dumps(arguments))


@pytest.fixture
def run(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Run:
    def start(
        *calls: RawCall, peers: Callable[[Command], Event | None] | None = None
    ) -> tuple[MissionRun, list[ToolResult]]:
        told: list[ToolResult] = []

        def model(context: Context) -> RawCall:
            told[:] = [turn.reply for turn in context.turns]
            return [*calls, FAIL][min(len(context.turns), len(calls))]

        played = run_mission_in_home("find it", palette, peers or HomePeers(home).answer, model, settings)
        return played, told

    return start


@pytest.mark.parametrize("words", ["%", "\U0001f956", " . ", "?!"])
@pytest.mark.parametrize("tool", ["recall_object", "locate_in_view"])
def test_words_that_name_nothing_are_refused_and_nobody_is_asked(run: Run, tool: str, words: str) -> None:
    played, told = run(call(tool, query=words))
    assert told[0].status == "BAD_QUERY"
    assert "cannot be read as the name of an object" in told[0].text
    assert told[0].frontier == ()
    assert not [c for c in played.commands if isinstance(c, CallRecall | CallLocate | SendSkill)]
    assert played.end is not None
    assert played.end.state is MissionState.FAILED  # at once: no search is open that a model would be told of


def test_two_queries_that_name_nothing_have_nothing_to_do_with_each_other(run: Run) -> None:
    _, told = run(call("recall_object", query="%"), call("recall_object", query="\U0001f956"))
    assert "before" not in told[1].text


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

    played, told = run(call("recall_object", query="mug"), peers=peers)
    assert (told[0].status, told[0].peer_words) == ("BAD_QUERY", ("that names nothing",))
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
    played, told = run(call("recall_object", query="unicorn"), search, peers=peers)
    assert (told[0].status, told[0].frontier) == ("BAD_QUERY", ())
    assert played.end is not None
    assert played.end.state is MissionState.FAILED


@pytest.mark.parametrize("goal", ["bring me \U0001f956", "find %", "bring me a cup of \U0001f377"])
def test_the_scripted_planner_says_so_instead_of_searching(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    played = run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)
    asked = [c.question.question for c in played.commands if isinstance(c, PublishHandoff)]
    assert len(asked) == 1
    assert "as the name of an object. Please name it in letters." in asked[0]
    assert played.skills == []
