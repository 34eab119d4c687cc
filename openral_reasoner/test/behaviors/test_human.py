"""Questions to a human: hand-offs and approvals."""

import pytest

from openral_core.missions import MissionState
from openral_reasoner.behaviors.human import approved, ask_human, is_approval
from openral_reasoner.budget import BudgetExhausted, SearchBudget
from openral_reasoner.commands import Command, PublishHandoff, SetDeadline
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_testing.reasoner.simulator import Peers, run_procedure

SETTINGS = MissionSettings(
    budget=SearchBudget(handoffs=1),
    deadlines=CallDeadlines(handoff=60.0, approval=30.0),
    require_approval=True,
)


@pytest.fixture
def waiting(palette: ToolPalette) -> Mission:
    """A mission that waits for answers and needs approvals."""
    return Mission("m1", PromptReceived(id="p1", text="bring me the mug"), SETTINGS, palette)


def saying(text: str) -> Peers:
    def operator(command: Command) -> Event | None:
        if not isinstance(command, PublishHandoff):
            return None
        return PromptReceived(id="p2", text=text, in_reply_to=command.question.id)

    return operator


def test_an_answer_is_returned_and_recorded(waiting: Mission) -> None:
    answer, commands = run_procedure(waiting, ask_human(waiting, "Which mug?"), saying("the red one"))
    assert answer == "the red one"
    assert [record.status for record in waiting.calls.records.values()] == ["ANSWERED"]
    assert [c.seconds for c in commands if isinstance(c, SetDeadline)] == [60.0]


def test_no_answer_in_time_is_none_and_the_mission_is_active_again(waiting: Mission) -> None:
    answer, _ = run_procedure(waiting, ask_human(waiting, "Which mug?"), lambda command: None)
    assert answer is None
    assert (waiting.state, waiting.reason) == (MissionState.ACTIVE, "")
    assert [record.status for record in waiting.calls.records.values()] == ["UNANSWERED"]


def test_while_it_waits_the_mission_shows_the_question(waiting: Mission) -> None:
    next(ask_human(waiting, "Which mug?"))
    assert (waiting.state, waiting.reason) == (MissionState.WAITING_FOR_HUMAN, "Which mug?")


def test_time_spent_waiting_is_not_charged(waiting: Mission) -> None:
    waiting.ledger = waiting.ledger.resumed(0.0)
    waiting.now = 10.0
    procedure = ask_human(waiting, "Which mug?")
    next(procedure)
    waiting.now = 60.0
    with pytest.raises(StopIteration):
        procedure.send(PromptReceived(id="p2", text="red"))
    assert waiting.ledger.left("seconds", 65.0) == SETTINGS.budget.seconds - 15.0


def test_a_question_beyond_the_budget_is_not_asked(waiting: Mission) -> None:
    run_procedure(waiting, ask_human(waiting, "Which mug?"), saying("red"))
    waiting.drain()
    with pytest.raises(BudgetExhausted):
        next(ask_human(waiting, "Which one?"))
    assert waiting.drain() == ()


def test_a_question_lists_the_calls_and_the_places_that_were_tried(waiting: Mission) -> None:
    waiting.search.outcomes.append("table: NOT_IN_VIEW")
    waiting.begin("call", "recall_object", query="mug")
    waiting.finish("call", "NOT_IN_MEMORY")
    _, commands = run_procedure(waiting, ask_human(waiting, "Where is it?"), saying("?"))
    (question,) = [c.question for c in commands if isinstance(c, PublishHandoff)]
    assert question.tried == ("table: NOT_IN_VIEW", 'recall_object {"query": "mug"}: NOT_IN_MEMORY')


@pytest.mark.parametrize(
    ("text", "expected"),
    [("yes", True), (" OK! ", True), ("Do it.", True), ("no", False), ("yes but wait", False), ("", False)],
)
def test_only_a_plain_yes_approves_a_step(text: str, expected: bool, waiting: Mission) -> None:
    assert run_procedure(waiting, approved(waiting, "open fridge_1"), saying(text))[0] is expected


def test_silence_approves_nothing(waiting: Mission) -> None:
    assert run_procedure(waiting, approved(waiting, "open fridge_1"), lambda command: None)[0] is False


def test_no_question_is_asked_if_no_approval_is_required(mission: Mission) -> None:
    assert run_procedure(mission, approved(mission, "open fridge_1"), saying("no")) == (True, [])


def test_a_request_for_approval_is_recognised_by_its_question(waiting: Mission) -> None:
    asked = [
        command.question
        for command in run_procedure(waiting, approved(waiting, "open fridge_1"), saying("no"))[1]
        if isinstance(command, PublishHandoff)
    ]
    assert [is_approval(each.question, each.choices) for each in asked] == [True]
    assert not is_approval("Where is the mug?", ())
    assert not is_approval("Is it red?", ("yes", "no"))
