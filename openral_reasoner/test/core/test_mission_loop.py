"""Laws that hold for any model and any peers."""

from collections import Counter
from copy import deepcopy
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_reasoner.budget import SearchBudget
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    CallRecall,
    CallResolve,
    CancelSkill,
    ChangeState,
    Command,
    EndMission,
    PublishHandoff,
    SendSkill,
    SpanEnded,
    SpanStarted,
)
from openral_reasoner.context import CallEvent
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Cancelled, PaletteChanged, PromptReceived
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_testing.reasoner.chaos import Chaos
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import RecordedStep, SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_testing.recordings.lives import read_lines, settings_line, step_line
from openral_testing.recordings.replay import replay

MISSIONS_PER_EXAMPLE = 25
PARTS = 5
GOALS = (
    "bring me the baguette",
    "find the mug",
    "bring me the unicorn",
    "bring me a cup of wine",
    "go to the fridge",
    "do a backflip",
    "bring the milk to the table",
)
SPENDS: dict[type, str] = {
    CallRecall: "recalls",
    CallResolve: "recalls",
    CallLocate: "locates",
    SendSkill: "skills",
    AskModel: "model_calls",
    ChangeState: "transitions",
}


def budgets() -> st.SearchStrategy[SearchBudget]:
    small = st.one_of(st.integers(0, 12), st.just(60))
    return st.builds(
        SearchBudget,
        candidates=small,
        recalls=small,
        locates=small,
        model_calls=st.integers(0, 60),
        tokens=st.integers(0, 60_000),
        transitions=st.integers(0, 3),
        skills=small,
        handoffs=st.integers(0, 2),
        seconds=st.floats(1.0, 600.0),
    )


def missions_settings() -> st.SearchStrategy[MissionSettings]:
    return st.builds(
        MissionSettings,
        budget=budgets(),
        deadlines=st.builds(CallDeadlines, handoff=st.sampled_from([0.0, 30.0]), palette=st.just(3.0)),
        default_requester=st.sampled_from(["ana", "", "nobody"]),
        second_goal=st.sampled_from(["queue", "replace", "refuse"]),
        require_approval=st.booleans(),
    )


def one_story(
    seed: int, settings: MissionSettings, home: SymbolicHome, palette: ToolPalette
) -> tuple[SimulatedTimeline, Chaos]:
    rng = Random(seed)
    chaos = Chaos(rng, HomePeers(deepcopy(home)), palette, rng.random(), rng.random(), rng.random() < 0.4)
    line = SimulatedTimeline(Core(settings), chaos.answers)
    line.put(rng.choice((0.0, 2.0, 4.0)), PaletteChanged(palette=palette))
    line.put(0.0, PromptReceived(id="prompt-1", text=rng.choice(GOALS)))
    if rng.random() < 0.3:
        line.put(rng.random() * 60.0, PromptReceived(id="prompt-2", text=rng.choice(GOALS)))
    if rng.random() < 0.3:
        line.put(rng.random() * 60.0, Cancelled(reason="shutdown"))
    if rng.random() < 0.2:
        line.put(rng.random() * 60.0, PromptReceived(id="prompt-3", text="Stop!"))
    line.run()
    return line, chaos


def commands_of(line: SimulatedTimeline) -> list[tuple[RecordedStep, Command]]:
    return [(moment, command) for moment in line.moments for command in moment.commands]


def mission_of(command: Command) -> str:
    return command.call_id.split("/")[0] if isinstance(command, CallEvent) else ""


def every_mission_ends_once(line: SimulatedTimeline) -> None:
    begun = [c.span for _, c in commands_of(line) if isinstance(c, SpanStarted) and c.name == "invoke_agent"]
    ended = [c.mission_id for _, c in commands_of(line) if isinstance(c, EndMission)]
    assert begun == ended


def nothing_is_sent_for_an_ended_mission(line: SimulatedTimeline) -> None:
    over: set[str] = set()
    for moment, command in commands_of(line):
        again = isinstance(command, CancelSkill) and isinstance(moment.event, PromptReceived)
        assert again or not mission_of(command) or mission_of(command) not in over
        if isinstance(command, EndMission):
            over.add(command.mission_id)


def calls_stay_within_the_budget(line: SimulatedTimeline, settings: MissionSettings) -> None:
    used: Counter[tuple[str, str]] = Counter()
    for _, command in commands_of(line):
        if type(command) in SPENDS:
            used[mission_of(command), SPENDS[type(command)]] += 1
        if isinstance(command, SpanStarted) and command.name == "search_candidate":
            used[command.span.split("/")[0], "candidates"] += 1
        if isinstance(command, PublishHandoff) and not command.question.question.startswith("May I "):
            used[command.question.mission_id, "handoffs"] += 1
    for (_, name), count in used.items():
        assert count <= getattr(settings.budget, name), name


def nothing_outside_the_palette_is_named(line: SimulatedTimeline) -> None:
    palette = ToolPalette()
    for moment in line.moments:
        if isinstance(moment.event, PaletteChanged):
            palette = moment.event.palette
        for command in moment.commands:
            if isinstance(command, SendSkill):
                assert command.goal.rskill_id in [skill.id for skill in palette.skills]
            if isinstance(command, CallLocate):
                assert command.detector in [locator.id for locator in palette.locators]
                assert command.camera in ("", *palette.cameras)
            if isinstance(command, ChangeState):
                assert command.peer in palette.peers


def nothing_acts_after_a_cancel(line: SimulatedTimeline) -> None:
    stopped: set[str] = set()
    running = ""
    for moment in line.moments:
        stop = isinstance(moment.event, PromptReceived) and moment.event.text == "Stop!"
        if running and (stop or isinstance(moment.event, Cancelled)):
            stopped.add(running)
        for command in moment.commands:
            if isinstance(command, SpanStarted) and command.name == "invoke_agent":
                running = command.span
            assert not (isinstance(command, SendSkill | ChangeState) and mission_of(command) in stopped)


def every_pose_was_told_by_a_peer(line: SimulatedTimeline, chaos: Chaos) -> None:
    for _, command in commands_of(line):
        if isinstance(command, SendSkill):
            poses = [value for value in command.goal.params.values() if isinstance(value, Pose)]
            assert set(poses) <= chaos.reported


def spans_close(line: SimulatedTimeline) -> None:
    opened = [c.span for _, c in commands_of(line) if isinstance(c, SpanStarted)]
    closed = [c.span for _, c in commands_of(line) if isinstance(c, SpanEnded)]
    assert sorted(opened) == sorted(closed)


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.slow] if part else []) for part in range(PARTS)]
)
@given(seed=st.integers(0, 2**48), settings=missions_settings())
@examples(
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_laws_hold_for_thousands_of_missions_of_any_model_and_any_peers(
    part: int, home: SymbolicHome, palette: ToolPalette, seed: int, settings: MissionSettings
) -> None:
    for number in range(MISSIONS_PER_EXAMPLE):
        line, chaos = one_story(PARTS * (seed + number) + part, settings, home, palette)
        every_mission_ends_once(line)
        nothing_is_sent_for_an_ended_mission(line)
        calls_stay_within_the_budget(line, settings)
        nothing_outside_the_palette_is_named(line)
        nothing_acts_after_a_cancel(line)
        every_pose_was_told_by_a_peer(line, chaos)
        spans_close(line)
        again = Core(settings)
        for moment in line.moments:
            assert again.handle(moment.event, moment.now) == moment.commands


@given(seed=st.integers(0, 2**48), settings=missions_settings())
@examples(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_recording_replays_exactly_after_its_way_through_json(
    home: SymbolicHome, palette: ToolPalette, seed: int, settings: MissionSettings
) -> None:
    line, _ = one_story(seed, settings, home, palette)
    lines = [settings_line(settings), *(step_line(m.now, m.event, m.commands) for m in line.moments)]
    assert replay(*read_lines(lines)) is None
