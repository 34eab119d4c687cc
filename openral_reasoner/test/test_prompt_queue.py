"""Every prompt is acknowledged, and acted on once."""

from collections.abc import Iterator
from typing import Any

import pytest

from openral_core.missions import MissionState, PromptOutcome
from openral_core.prompts import PROMPT_CHARACTERS
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.commands import (
    AskModel,
    CancelSkill,
    Command,
    EndMission,
    PublishHandoff,
    PublishPrompt,
    PublishReceipt,
    PublishStatus,
    SendSkill,
    SetDeadline,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import (
    DeadlinePassed,
    ModelAnswered,
    PaletteChanged,
    PromptReceived,
    SettingsChanged,
    SkillEnded,
    StopChanged,
)
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.prompt_queue import RECEIPTS_KEPT
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.symbolic_home import SymbolicHome

STARTED, QUEUED, ANSWERED, STOPPED, REFUSED = PromptOutcome
GO = "go to the fridge"


class Talk:
    """A core, peers that answer at once, and skills that run until they are told to end."""

    def __init__(self, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> None:
        self.core, self.peers = Core(settings), HomePeers(home)
        self.now = 0.0
        self.seen: list[Command] = []
        self.give(PaletteChanged(palette=palette))

    def give(self, event: Any) -> list[Command]:
        """Hand an event in and answer what it leads to; everything that came out."""
        came: list[Command] = []
        due = [event]
        while due:
            self.now += 0.1
            batch = self.core.handle(due.pop(0), self.now)
            came += batch
            due += [answer for command in batch if (answer := self._answer(command)) is not None]
        self.seen += came
        return came

    def _answer(self, command: Command) -> Any:
        if isinstance(command, AskModel):
            return ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        return None if isinstance(command, SendSkill | CancelSkill) else self.peers.answer(command)

    def say(self, text: str, name: str = "p", **fields: Any) -> PublishReceipt:
        """The one receipt that a prompt is given."""
        given = self.give(PromptReceived(id=name, text=text, **fields))
        (receipt,) = (c for c in given if isinstance(c, PublishReceipt))
        assert receipt.prompt_id == name
        return receipt

    def every(self, kind: type[Command]) -> Iterator[Any]:
        return (command for command in self.seen if isinstance(command, kind))

    @property
    def moving(self) -> str:
        return list(self.every(SendSkill))[-1].call_id

    def end_skill(self) -> None:
        self.give(SkillEnded(call_id=self.moving, result=SkillResult(SkillStatus.SUCCEEDED, "done")))


@pytest.fixture
def talk(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Talk:
    return Talk(home, palette, settings)


def test_a_goal_is_started_and_its_status_names_prompt_and_mission(talk: Talk) -> None:
    receipt = talk.say(GO)
    assert receipt.outcome is STARTED
    report = talk.core.report(talk.now)
    assert (report.prompt_id, report.mission_id) == ("p", receipt.mission_id)


def test_a_second_goal_is_told_what_it_waits_for(talk: Talk) -> None:
    talk.say(GO)
    second, third = talk.say("go to the shelf", "q"), talk.say("find the mug", "r")
    assert (second.outcome, second.message) == (QUEUED, "queued behind 'go to the fridge'")
    assert third.message == "queued behind 'go to the fridge' and 1 more"
    reported = [item for item in talk.every(PublishPrompt) if item.in_reply_to == "q"]
    assert [(item.text, item.mission_id) for item in reported] == [(second.message, second.mission_id)]
    talk.end_skill()
    assert talk.core.report(talk.now).mission_id == second.mission_id


def test_a_stop_tells_what_it_drops_and_ends_those_missions_too(talk: Talk) -> None:
    first = talk.say(GO)
    queued = [talk.say(f"go to the {place}", place) for place in ("shelf", "table")]
    stop = talk.say("stop", "s")
    assert (stop.outcome, stop.mission_id) == (STOPPED, first.mission_id)
    assert (
        stop.message
        == "stopped 'go to the fridge'; dropped from the queue: 'go to the shelf', 'go to the table'"
    )
    ends = {
        item.report.prompt_id: item.report for item in talk.every(PublishStatus) if item.report.state.ended
    }
    for goal in queued:
        assert ends[goal.prompt_id].state is MissionState.CANCELLED
        assert ends[goal.prompt_id].mission_id == goal.mission_id
        reported = [item.text for item in talk.every(PublishPrompt) if item.in_reply_to == goal.prompt_id]
        assert reported[-1] == "dropped from the queue: stopped by the operator: 'stop'"
    talk.end_skill()
    assert [end.mission_id for end in talk.every(EndMission)] == [first.mission_id]
    assert talk.core.mission is None


def test_the_stopped_mission_is_the_newest_status_when_it_ends_at_once(
    home: SymbolicHome, settings: MissionSettings
) -> None:
    talk = Talk(home, ToolPalette(), settings)  # waits for its peers, nothing moves
    first = talk.say(GO)
    talk.say("go to the shelf", "q")
    talk.say("stop", "s")
    last = list(talk.every(PublishStatus))[-1].report
    assert (last.mission_id, last.state) == (first.mission_id, MissionState.CANCELLED)


def test_a_stop_said_again_cancels_again(talk: Talk) -> None:
    talk.say(GO)
    for name in ("s", "s", "t"):
        assert talk.say("stop", name).outcome is STOPPED
    assert [item.call_id for item in talk.every(CancelSkill)] == [talk.moving] * 3


def test_an_emergency_stop_ends_all_missions_and_refuses_goals_until_the_release(talk: Talk) -> None:
    first = talk.say(GO)
    talk.say("go to the shelf", "q")
    talk.give(StopChanged(reason="person on the floor"))
    assert [item.call_id for item in talk.every(CancelSkill)] == [talk.moving]
    talk.end_skill()
    (end,) = talk.every(EndMission)
    assert (end.mission_id, end.state) == (first.mission_id, MissionState.CANCELLED)
    assert end.reason == "emergency stop: person on the floor"
    refused = talk.say(GO, "r")
    assert refused.outcome is REFUSED
    assert "openral release" in refused.message
    assert talk.say("stop", "s").outcome is STOPPED
    restored = Core.restored(talk.core.settings, talk.core.idle_state)
    assert "openral release" in str(restored.handle(PromptReceived(id="t", text=GO), 0.0))
    talk.give(StopChanged(reason=""))
    assert talk.say(GO, "r").outcome is STARTED


@pytest.mark.parametrize("order", ["word first", "latch first", "word, end, latch"])
def test_the_reason_of_an_emergency_stop_is_in_the_report_whatever_is_heard_first(
    talk: Talk, order: str
) -> None:
    talk.say(GO)
    latched = StopChanged(reason="dog in the way")
    if order == "latch first":
        talk.give(latched)
    talk.say("stop", "s")
    if order == "word, end, latch":
        talk.end_skill()
    if order != "latch first":
        talk.give(latched)
    if order != "word, end, latch":
        talk.end_skill()
    last = list(talk.every(PublishStatus))[-1].report
    assert last.state is MissionState.CANCELLED
    assert "dog in the way" in last.reason
    assert talk.core.report(talk.now).reason == last.reason


def test_a_stop_long_after_a_mission_says_nothing_about_it(talk: Talk) -> None:
    talk.say(GO)
    talk.say("stop", "s")
    talk.end_skill()
    talk.now += 60.0
    talk.give(StopChanged(reason="dog in the way"))
    assert "dog" not in talk.core.report(talk.now).reason


def test_settings_of_another_process_bound_the_rest_of_the_mission(
    talk: Talk, settings: MissionSettings
) -> None:
    talk.say(GO)
    budget = settings.budget.model_copy(update={"seconds": 7.0, "skills": 1})
    careful = settings.model_copy(update={"budget": budget, "require_approval": True, "queue_length": 1})
    given = talk.give(SettingsChanged(settings=careful))
    (deadline,) = (command for command in given if isinstance(command, SetDeadline))
    assert deadline.seconds <= 7.0
    assert {line.name: line.limit for line in talk.core.report(talk.now).budget}["skills"] == 1
    assert talk.say("go to the shelf", "q").outcome is QUEUED
    assert talk.say("go to the table", "r").outcome is REFUSED


def test_a_skill_that_did_not_confirm_is_told_and_cancelled_again_by_the_next_stop(talk: Talk) -> None:
    talk.say(GO)
    moving = talk.moving
    talk.say("stop", "s")
    talk.give(DeadlinePassed(call_id=moving))
    (end,) = talk.every(EndMission)
    assert end.state is MissionState.CANCELLED
    assert end.reason.endswith("the skill server did not confirm that the cancelled skill has stopped")
    talk.say("stop", "t")
    assert [item.call_id for item in talk.every(CancelSkill)] == [moving, moving]
    talk.end_skill()
    talk.say("stop", "u")
    assert len(list(talk.every(CancelSkill))) == 2


@pytest.mark.parametrize("when", ["running", "ended"])
def test_a_prompt_said_again_is_acknowledged_again_and_acted_on_once(talk: Talk, when: str) -> None:
    first = talk.say(GO)
    if when == "ended":
        talk.end_skill()
        assert talk.core.mission is None
    assert talk.say(GO) == first
    if when == "running":
        talk.end_skill()
    assert len(list(talk.every(SendSkill))) == len(list(talk.every(EndMission))) == 1


def test_a_goal_for_a_stop_sign_said_again_does_not_stop_itself(talk: Talk) -> None:
    first = talk.say("go to the fridge, not to the bus stop")
    assert talk.say("go to the fridge, not to the bus stop") == first
    assert not list(talk.every(CancelSkill))


def test_other_words_under_the_same_id_are_another_goal_with_a_mission_of_its_own(talk: Talk) -> None:
    first = talk.say(GO)
    talk.end_skill()
    second = talk.say("go to the shelf")
    assert second.outcome is STARTED
    assert second.mission_id != first.mission_id


def test_prompts_without_an_id_are_never_taken_for_each_other(talk: Talk) -> None:
    missions = set()
    for _ in range(3):
        missions.add(talk.say(GO, "").mission_id)
        talk.end_skill()
    assert len(missions) == 3


def test_the_memory_of_prompts_is_bounded(talk: Talk) -> None:
    talk.say(GO)
    talk.end_skill()
    for number in range(RECEIPTS_KEPT):
        talk.say(GO, f"other-{number}")
        talk.end_skill()
    assert talk.say(GO).mission_id == f"p-{RECEIPTS_KEPT + 2}"


@pytest.mark.parametrize(
    ("text", "fields", "why"),
    [
        ("", {}, "the text is empty"),
        (" \n", {}, "the text is empty"),
        ("bread " * PROMPT_CHARACTERS, {}, "the text is too long"),
        (GO, {"requester": "x" * 500}, "requester is too long"),
        (GO, {"source": ""}, "header.frame_id is empty"),
        ("yes", {"in_reply_to": "p-1/3-handoff"}, "no question is open"),
    ],
)
def test_what_cannot_be_acted_on_is_refused_with_the_reason(
    talk: Talk, text: str, fields: dict[str, str], why: str
) -> None:
    receipt = talk.say(text, **fields)
    assert receipt.outcome is REFUSED
    assert why in receipt.message
    assert [item.text for item in talk.every(PublishPrompt)] == [receipt.message]
    assert talk.core.mission is None


def test_a_refused_prompt_may_be_taken_later(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    talk = Talk(home, palette, settings.model_copy(update={"second_goal": "refuse"}))
    talk.say(GO)
    assert talk.say("go to the shelf", "q").outcome is REFUSED
    talk.end_skill()
    assert talk.say("go to the shelf", "q").outcome is STARTED


def test_a_stop_without_a_source_is_taken(talk: Talk) -> None:
    talk.say(GO)
    assert talk.say("stop", "s", source="").outcome is STOPPED
    assert [item.call_id for item in talk.every(CancelSkill)] == [talk.moving]


def test_a_goal_that_replaces_says_so_and_ends_what_was_queued(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    talk = Talk(home, palette, settings.model_copy(update={"second_goal": "replace"}))
    talk.say(GO)
    second = talk.say("go to the shelf", "q")
    assert second.message == "replaces 'go to the fridge', which is being cancelled"
    third = talk.say("go to the table", "r")
    ended = [item.report.mission_id for item in talk.every(PublishStatus) if item.report.state.ended]
    assert ended == [second.mission_id]
    talk.end_skill()
    assert talk.core.report(talk.now).mission_id == third.mission_id


@pytest.mark.parametrize("call", ["skill", "nonsense"])
def test_an_answer_to_what_is_no_question_ends_no_wait(talk: Talk, call: str) -> None:
    talk.say(GO)
    target = talk.moving if call == "skill" else "p-1/99-handoff"
    receipt = talk.say("yes", "a", in_reply_to=target)
    assert receipt.outcome is REFUSED
    assert "is waiting for an answer" in receipt.message
    assert len(list(talk.every(SendSkill))) == 1
    talk.end_skill()
    assert [end.state for end in talk.every(EndMission)] == [MissionState.SUCCEEDED]


def test_an_answer_to_the_open_question_is_acknowledged_and_goes_on(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    talk = Talk(home, palette, settings.model_copy(update={"require_approval": True}))
    first = talk.say(GO)
    (asked,) = talk.every(PublishHandoff)
    wrong = talk.say("yes", "a", in_reply_to="p-1/99-handoff")
    assert f"the open question is {asked.question.id!r}" in wrong.message
    right = talk.say("yes", "b", in_reply_to=asked.question.id)
    assert (right.outcome, right.mission_id) == (ANSWERED, first.mission_id)
    assert talk.say("yes", "b", in_reply_to=asked.question.id) == right
    assert len(list(talk.every(SendSkill))) == 1


def test_what_the_reasoner_says_names_its_mission(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    talk = Talk(home, palette, settings)
    started = talk.say(GO)
    talk.end_skill()
    understood, reported = talk.every(PublishPrompt)
    assert understood.text == "Understood: go to the fridge."
    for said in (understood, reported):
        assert (said.in_reply_to, said.mission_id) == ("p", started.mission_id)


@pytest.fixture
def patient(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Talk:
    """A core whose missions wait for answers."""
    waiting = settings.deadlines.model_copy(update={"handoff": 60.0})
    return Talk(home, palette, settings.model_copy(update={"deadlines": waiting}))


def test_an_answer_that_is_a_goal_is_pursued_in_place_of_what_was_not_understood(patient: Talk) -> None:
    patient.say("would it be thinkable for the mug to wander over")
    (question,) = patient.every(PublishHandoff)
    receipt = patient.say("go to the table", "answer", in_reply_to=question.question.id)
    running = patient.core.mission
    assert running is not None
    assert (receipt.outcome, receipt.mission_id, running.goal) == (ANSWERED, running.id, "go to the table")
    patient.end_skill()
    states = [command.state for command in patient.every(EndMission)]
    assert states == [MissionState.CANCELLED, MissionState.SUCCEEDED]


def ask_where_the_unicorn_is(patient: Talk) -> str:
    patient.say("bring me the unicorn")
    while not (asked := list(patient.every(PublishHandoff))):
        patient.end_skill()
    return str(asked[0].question.id)


def test_another_goal_in_answer_to_a_failure_is_pursued_in_its_place(patient: Talk) -> None:
    asked = ask_where_the_unicorn_is(patient)
    receipt = patient.say("open the cabinet", "answer", in_reply_to=asked)
    running = patient.core.mission
    assert running is not None
    assert (receipt.outcome, running.goal) == (ANSWERED, "open the cabinet")


@pytest.mark.parametrize(
    "answer", ["go to the table", "the shelf", "on the shelf.", "look in the fridge", "no idea"]
)
def test_an_answer_that_says_where_to_look_stays_one(answer: str, patient: Talk) -> None:
    patient.say(answer, "answer", in_reply_to=ask_where_the_unicorn_is(patient))
    assert {command.report.goal for command in patient.every(PublishStatus)} == {"bring me the unicorn"}
