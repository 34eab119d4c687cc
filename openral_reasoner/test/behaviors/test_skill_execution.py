"""A step of unknown outcome is looked into or asked about; it is not done a second time unasked."""

from collections.abc import Iterator

import pytest

from openral_core.missions import MissionState
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    CancelSkill,
    Command,
    EndMission,
    PublishHandoff,
    SendSkill,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import (
    OUTCOME_UNKNOWN,
    CallFailed,
    Event,
    ModelAnswered,
    PaletteChanged,
    PromptReceived,
    SkillEnded,
)
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer, SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome


class Story:
    """A mission in which the end of the first goal of one skill cannot be known.

    ``done`` tells whether the skill did its work, ``answer`` what the operator says when asked.
    """

    def __init__(self, home: SymbolicHome, palette: ToolPalette, lost: str, *, done: bool) -> None:
        self.home, self.palette, self.lost, self.done = home, palette, lost, done
        self.peers, self.sent, self.asked = HomePeers(home), list[str](), list[str]()
        self.answer, self.typed, self.commands = "", False, list[str]()

    def play(self, goal: str, settings: MissionSettings) -> EndMission:
        timeline = SimulatedTimeline(Core(settings), self._answers)
        timeline.put(0.0, PaletteChanged(palette=self.palette))
        timeline.put(0.0, PromptReceived(id="p", text=goal, requester="ana"))
        (end,) = timeline.run()
        return end

    def _answers(self, command: Command, now: float) -> Iterator[Answer]:
        self.commands += ["locate"] if isinstance(command, CallLocate) else []
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif isinstance(command, PublishHandoff):
            self.asked.append(command.question.question)
            if self.answer:
                yield 1.0, PromptReceived(id="a", text=self.answer, in_reply_to=command.question.id)
        elif isinstance(command, SendSkill):
            yield from self._skill(command)
        elif (event := self.peers.answer(command)) is not None:
            yield 0.1, event

    def _skill(self, command: SendSkill) -> Iterator[Answer]:
        name = command.goal.rskill_id
        is_lost = name == self.lost and name not in self.sent
        self.sent.append(name)
        self.commands.append(name)
        event: Event | None = None
        if not is_lost or self.done:
            event = self.peers.answer(command)
        if is_lost:
            event = self._lost(command.call_id)
        assert event is not None
        yield 1.0, event
        yield 1.1, PaletteChanged(palette=self.palette.model_copy(update={"holding": self._in_hand}))

    def _lost(self, call_id: str) -> Event:
        if not self.typed:
            return CallFailed(call_id=call_id, condition=OUTCOME_UNKNOWN, message="the server was restarted")
        return SkillEnded(call_id=call_id, result=SkillResult(SkillStatus.TIMEOUT, "too slow"))

    @property
    def _in_hand(self) -> str:
        held = self.home.holding
        return self.home.objects[held].label if held else ""


PATIENT = MissionSettings(default_requester="ana", deadlines=CallDeadlines(handoff=60.0))


@pytest.fixture
def story(home: SymbolicHome, palette: ToolPalette, request: pytest.FixtureRequest) -> Story:
    lost, done = request.param
    return Story(home, palette, lost, done=done)


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    ("story", "times"), [(("grasp", True), 1), (("grasp", False), 2)], indirect=["story"]
)
def test_what_the_hand_holds_tells_whether_it_was_grasped(story: Story, times: int, typed: bool) -> None:
    story.typed = typed
    end = story.play("bring me the baguette", PATIENT)
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert story.sent.count("grasp") == times
    assert not story.asked


@pytest.mark.parametrize("story", [("grasp", False)], indirect=True)
def test_it_is_looked_at_before_it_is_grasped_again(story: Story) -> None:
    story.play("bring me the baguette", PATIENT)
    between = story.commands[story.commands.index("grasp") + 1 :]
    assert "locate" in between[: between.index("grasp")]


@pytest.mark.parametrize("story", [("handover", False)], indirect=True)
def test_what_is_still_in_the_hand_was_not_handed_over(story: Story) -> None:
    end = story.play("bring me the baguette", PATIENT)
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert story.sent.count("handover") == 2
    assert not story.asked


@pytest.mark.parametrize(
    ("story", "answer", "state", "goal"),
    [
        (("handover", True), "yes", MissionState.SUCCEEDED, "bring me the baguette"),
        (("pour", True), "yes", MissionState.SUCCEEDED, "bring me a cup of wine"),
        (("pour", False), "no", MissionState.SUCCEEDED, "bring me a cup of wine"),
    ],
    indirect=["story"],
)
def test_the_operator_is_asked_what_nothing_else_tells(
    story: Story, answer: str, state: MissionState, goal: str
) -> None:
    story.answer = answer
    end = story.play(goal, PATIENT)
    assert end.state is state, end.reason
    assert len(story.asked) == 1
    assert "Was this done" in story.asked[0]
    assert story.sent.count(story.lost) == (1 if answer == "yes" else 2)


@pytest.mark.parametrize("story", [("handover", True), ("pour", True)], indirect=True)
@pytest.mark.parametrize("settings", [PATIENT, MissionSettings(default_requester="ana")])
def test_without_an_answer_it_is_not_repeated_and_the_reason_is_told(
    story: Story, settings: MissionSettings
) -> None:
    end = story.play("bring me a cup of wine", settings)
    assert end.state is not MissionState.SUCCEEDED
    assert story.sent.count(story.lost) == 1
    assert "the server was restarted" in end.reason


@pytest.mark.parametrize("story", [("navigate", True)], indirect=True)
def test_a_drive_may_be_repeated(story: Story) -> None:
    end = story.play("bring me the baguette", PATIENT)
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert not story.asked


def test_a_goal_that_ends_while_it_is_cancelled_at_its_deadline_counts_as_it_ended(
    home: SymbolicHome, palette: ToolPalette
) -> None:
    class Late(Story):
        held_back: tuple[str, Event | None] = ("", None)

        def _answers(self, command: Command, now: float) -> Iterator[Answer]:
            if isinstance(command, CancelSkill) and command.call_id == self.held_back[0]:
                assert self.held_back[1] is not None
                yield 0.1, self.held_back[1]
            else:
                yield from super()._answers(command, now)

        def _skill(self, command: SendSkill) -> Iterator[Answer]:
            if command.goal.rskill_id == self.lost and self.lost not in self.sent:
                self.sent.append(self.lost)
                self.held_back = (command.call_id, self.peers.answer(command))
                yield 1.0, PaletteChanged(palette=self.palette)
            else:
                yield from super()._skill(command)

    late = Late(home, palette, "handover", done=True)
    end = late.play("bring me the baguette", PATIENT)
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert late.sent.count("handover") == 1
