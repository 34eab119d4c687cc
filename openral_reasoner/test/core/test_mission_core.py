"""Goals that come while another runs, stops, approvals, and answers that come too late."""

from collections.abc import Iterator

import pytest

from openral_core.detectors import LifecycleState
from openral_core.missions import MissionState
from openral_core.spatial_memory import RecallResult, RecallStatus
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    CallRecall,
    CancelSkill,
    ChangeState,
    ClearDeadline,
    Command,
    EndMission,
    PublishHandoff,
    PublishPrompt,
    SendSkill,
)
from openral_reasoner.context import RawCall
from openral_reasoner.core.mission_core import NEWS_KEPT, Core
from openral_reasoner.events import (
    DeadlinePassed,
    FailureReported,
    ModelAnswered,
    ModelFailed,
    PaletteChanged,
    PromptReceived,
    Recalled,
)
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer, SimulatedTimeline, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome


def line(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, skill_time: float = 5.0
) -> SimulatedTimeline:
    peers = HomePeers(home)

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif (event := peers.answer(command)) is not None:
            yield skill_time if isinstance(command, SendSkill) else 0.1, event

    made = SimulatedTimeline(Core(settings), answers)
    made.put(0.0, PaletteChanged(palette=palette))
    made.put(0.0, PromptReceived(id="first", text="go to the fridge"))
    return made


def second(settings: MissionSettings, policy: str) -> MissionSettings:
    return settings.model_copy(update={"second_goal": policy})


@pytest.mark.parametrize("command", [CallLocate, ChangeState])
def test_a_call_to_a_detector_that_is_gone_ends_at_once(
    command: type, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    state = LifecycleState.INACTIVE if command is ChangeState else LifecycleState.ACTIVE
    locator = palette.locators[0].id
    there = palette.model_copy(update={"locators": palette.locators[:1], "peers": (locator,)})
    story = line(home, there.with_state(locator, state), settings)
    honest, sent = story.answers, list[float]()

    def answers(given: Command, now: float) -> Iterator[Answer]:
        if isinstance(given, command) and not sent:
            sent.append(now)
            yield 1.5, PaletteChanged(palette=there.model_copy(update={"locators": ()}))
        else:
            yield from honest(given, now)

    story.answers = answers
    story.put(0.0, PromptReceived(id="second", text="find the unicorn"))
    story.run()
    ended = next(
        moment.now
        for moment in story.moments
        for item in moment.commands
        if moment.now > sent[0] and isinstance(item, ClearDeadline)
    )
    assert ended == pytest.approx(sent[0] + 1.5)


@pytest.mark.parametrize("later", [0.05, 2.0])
def test_a_goal_that_is_said_again_is_pursued_once(
    later: float, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = line(home, palette, settings)
    story.put(later, PromptReceived(id="first", text="go to the fridge"))
    assert [end.state for end in story.run()] == [MissionState.SUCCEEDED]


@pytest.mark.parametrize(
    ("policy", "states"),
    [
        ("queue", [MissionState.SUCCEEDED, MissionState.SUCCEEDED]),
        ("replace", [MissionState.CANCELLED, MissionState.SUCCEEDED]),
        ("refuse", [MissionState.SUCCEEDED]),
    ],
)
def test_a_second_goal_waits_replaces_or_is_refused(
    policy: str,
    states: list[MissionState],
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
) -> None:
    story = line(home, palette, second(settings, policy))
    story.put(2.0, PromptReceived(id="second", text="go to the shelf"))
    assert [end.state for end in story.run()] == states
    refused = [
        c.text
        for m in story.moments
        for c in m.commands
        if isinstance(c, PublishPrompt) and c.in_reply_to == "second"
    ]
    assert any("another mission" in words for words in refused) is (policy == "refuse")


@pytest.mark.parametrize("words", ["stop", "Stop!", "CANCEL", " abort. "])
def test_stop_cancels_the_running_skill_and_nothing_moves_after(
    words: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = line(home, palette, settings, skill_time=50.0)
    story.put(3.0, PromptReceived(id="halt", text=words))
    ends = story.run()
    commands = [command for moment in story.moments for command in moment.commands]
    assert [end.state for end in ends] == [MissionState.CANCELLED]
    cancelled = next(i for i, c in enumerate(commands) if isinstance(c, CancelSkill))
    assert not any(isinstance(c, SendSkill) for c in commands[cancelled:])


def test_a_skill_that_does_not_stop_is_not_waited_for_for_ever(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)

    def silent(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif not isinstance(command, SendSkill | CancelSkill) and (event := peers.answer(command)):
            yield 0.1, event

    story = SimulatedTimeline(Core(settings), silent)
    story.put(0.0, PaletteChanged(palette=palette))
    story.put(0.0, PromptReceived(id="first", text="go to the fridge"))
    story.put(3.0, PromptReceived(id="halt", text="stop"))
    assert [end.state for end in story.run()] == [MissionState.CANCELLED]
    assert story.moments[-1].now <= 3.0 + settings.deadlines.cancel + settings.budget.seconds


@pytest.mark.parametrize(("answer", "moves"), [("yes", True), ("no", False), ("", False)])
def test_nothing_moves_without_the_operators_yes(
    answer: str, moves: bool, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)

    def operator(command: Command) -> object:
        if isinstance(command, PublishHandoff) and answer and command.question.question.startswith("May I"):
            return PromptReceived(id="a", text=answer, in_reply_to=command.question.id)
        return peers.answer(command)

    careful = settings.model_copy(update={"require_approval": True})
    story = run_mission_in_home("go to the fridge", palette, operator, decide, careful)
    assert any(isinstance(c, SendSkill) for c in story.commands) is moves
    assert story.end is not None
    assert (story.end.state is MissionState.SUCCEEDED) is moves


def test_an_answer_that_comes_after_its_deadline_is_not_listened_to(
    palette: ToolPalette, settings: MissionSettings
) -> None:
    core = Core(settings)
    core.handle(PaletteChanged(palette=palette), 0.0)
    batch = core.handle(PromptReceived(id="first", text="find the mug"), 0.0)
    asked = next(c for c in batch if isinstance(c, AskModel))
    recall = RawCall(tool="recall_object", arguments='{"query": "mug"}')
    batch = core.handle(ModelAnswered(call_id=asked.call_id, calls=(recall,)), 1.0)
    call = next(c for c in batch if isinstance(c, CallRecall))
    core.handle(DeadlinePassed(call_id=call.call_id), 6.0)
    late = Recalled(call_id=call.call_id, result=RecallResult(RecallStatus.FOUND, "late"))
    assert core.handle(late, 7.0) == ()


def test_waiting_for_a_human_costs_no_time(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    deadlines = settings.deadlines.model_copy(update={"handoff": 10_000.0})
    patient = settings.model_copy(update={"deadlines": deadlines})
    peers = HomePeers(home)

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif isinstance(command, PublishHandoff):
            yield 5_000.0, PromptReceived(id="a", text="again", in_reply_to=command.question.id)
        elif (event := peers.answer(command)) is not None:
            yield 0.1, event

    story = SimulatedTimeline(Core(patient), answers)
    story.put(0.0, PaletteChanged(palette=palette))
    story.put(0.0, PromptReceived(id="first", text="open the portcullis"))
    ends = [c for c in story.run() if isinstance(c, EndMission)]
    assert [end.state for end in ends] == [MissionState.HANDED_OVER]
    last = story.core.report(story.now)
    seconds = next(row for row in last.budget if row.name == "seconds")
    assert seconds.used < 10.0


def test_a_failure_of_a_megabyte_costs_a_decision_a_few_words(
    palette: ToolPalette, settings: MissionSettings
) -> None:
    core = Core(settings)
    core.handle(PaletteChanged(palette=palette), 0.0)
    asked = core.handle(PromptReceived(id="first", text="find the mug"), 0.0)
    model = next(c for c in asked if isinstance(c, AskModel))
    long = "x" * 1_000_000
    for _ in range(1000):
        core.handle(FailureReported(source=long, condition=long, message=long), 1.0)
    batch = core.handle(ModelFailed(call_id=model.call_id, condition="TIMEOUT", message="late"), 2.0)
    again = next(c for c in batch if isinstance(c, AskModel))
    reported = [line for line in again.context.news if line.startswith("xxx")]
    assert 0 < len(reported) <= NEWS_KEPT
    assert max(len(line) for line in reported) < 350
