"""Memory in whole missions: who goes for whom, when a goal is sent, who comes back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from openral_core.detectors import LifecycleState
from openral_core.missions import MissionState
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    ChangeState,
    Command,
    EndMission,
    MissionReport,
    PublishStatus,
    SendSkill,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import (
    CallFailed,
    ModelAnswered,
    PaletteChanged,
    PromptReceived,
    StateChanged,
)
from openral_reasoner.palette.entries import BrainEntry, ContinuousDetectorEntry, LocatorEntry, ToolPalette
from openral_reasoner.residency import ResidencyRules
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.listing import in_lines, listing
from openral_reasoner.tools.registry import schemas
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer, SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

Detector = TypeVar("Detector", LocatorEntry, ContinuousDetectorEntry, BrainEntry)
STREAM, LOCATOR = "sim-stream", "sim-locator"
ACTIVE, INACTIVE = LifecycleState.ACTIVE, LifecycleState.INACTIVE


@dataclass
class Device:
    """A home whose detectors load, take memory, and give it back ``late`` [s] after they sleep."""

    home: SymbolicHome
    palette: ToolPalette
    late: float = 0.0
    refuses: tuple[str, ...] = ()
    hangs: tuple[str, ...] = ()
    log: list[tuple[float, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.peers = HomePeers(self.home)

    def answers(self, command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif isinstance(command, ChangeState):
            yield from self._change(command, now)
        else:
            if isinstance(command, SendSkill):
                self.log.append((now, f"send {command.goal.rskill_id}"))
            answer = self.peers.answer(command)
            if answer is not None:
                yield (5.0 if isinstance(command, SendSkill) else 0.2), answer

    def _change(self, command: ChangeState, now: float) -> Iterator[Answer]:
        self.log.append((now, f"{command.transition} {command.peer}"))
        if command.peer in self.hangs:
            return
        if command.peer in self.refuses:
            yield 0.5, StateChanged(call_id=command.call_id, success=False, message="no")
            return
        wakes = command.transition == "activate"
        self.palette = self.palette.with_state(command.peer, ACTIVE if wakes else INACTIVE)
        self.palette = held(self.palette, command.peer, True)
        yield 1.0, StateChanged(call_id=command.call_id, success=True, message="done")
        yield 1.1, PaletteChanged(palette=self.palette)
        if not wakes:
            self.palette = held(self.palette, command.peer, False)
            yield 1.2 + self.late, PaletteChanged(palette=self.palette)

    def told(self, *words: str) -> list[str]:
        return [line for _, line in self.log if line.split()[0] in words]


def held(palette: ToolPalette, peer: str, holds: bool) -> ToolPalette:
    def update(entry: Detector) -> Detector:
        return entry.model_copy(update={"held": holds}) if entry.id == peer else entry

    return palette.model_copy(
        update={
            "locators": tuple(map(update, palette.locators)),
            "continuous_detectors": tuple(map(update, palette.continuous_detectors)),
            "brain": palette.brain and update(palette.brain),
        }
    )


@pytest.fixture
def small(palette: ToolPalette) -> ToolPalette:
    """One sleeping locator and one streaming detector, which may both be switched."""
    update = {"locators": palette.locators[:1], "peers": (LOCATOR, STREAM)}
    return held(palette.model_copy(update=update).with_state(LOCATOR, INACTIVE), STREAM, True)


def heavy(palette: ToolPalette, skill: str, megabytes: float) -> ToolPalette:
    skills = tuple(
        s.model_copy(update={"gpu_memory_mb": megabytes}) if s.id == skill else s for s in palette.skills
    )
    return palette.model_copy(update={"skills": skills})


def settings(budget: float, **rules: float) -> MissionSettings:
    return MissionSettings(
        default_requester="ana", residency=ResidencyRules.model_validate({"budget": budget, **rules})
    )


def run(
    device: Device, given: MissionSettings, goal: str
) -> tuple[EndMission, MissionReport, SimulatedTimeline]:
    line = SimulatedTimeline(Core(given), device.answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text=goal))
    (end,) = line.run()
    reports = [c.report for m in line.moments for c in m.commands if isinstance(c, PublishStatus)]
    return end, reports[-1], line


def test_a_sleeping_locator_is_woken_for_one_look_kept_warm_and_sleeps_again(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, small)
    end, report, _ = run(device, settings(0.0, keep_warm=60.0), "bring me the baguette")
    assert end.state is MissionState.SUCCEEDED, end
    assert device.told("activate", "deactivate") == [f"activate {LOCATOR}", f"deactivate {LOCATOR}"]
    ((asleep, _),) = [line for line in device.log if line[1].startswith("deactivate")]
    last_send = max(at for at, words in device.log if words.startswith("send"))
    assert asleep > last_send - 60.0
    used = {line.name: line.used for line in report.budget}
    assert used["transitions"] == 1.0
    assert "lifecycle_transition" in [call.tool for call in report.calls]


def test_who_streams_makes_room_for_the_look_and_comes_back_when_the_locator_sleeps(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, small)
    end, _, _ = run(device, settings(100.0, keep_warm=30.0), "bring me the baguette")
    assert end.state is MissionState.SUCCEEDED, end
    assert device.told("activate", "deactivate") == [
        f"deactivate {STREAM}",
        f"activate {LOCATOR}",
        f"deactivate {LOCATOR}",
        f"activate {STREAM}",
    ]


def test_a_heavy_skill_is_sent_when_memory_is_measured_back_and_peers_return_on_its_end(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, heavy(small, "grasp", 90.0), late=3.0)
    end, report, _ = run(device, settings(160.0, min_residency=0.0), "bring me the baguette")
    assert end.state is MissionState.SUCCEEDED, end
    steps = [words for _, words in device.log]
    sent = steps.index("send grasp")
    assert steps[sent - 1].startswith("deactivate")
    assert steps[sent + 1].startswith("activate")
    asleep = next(at for at, words in device.log if words == f"deactivate {STREAM}") + 1.0
    assert device.log[sent][0] >= asleep + 3.0
    assert ("memory_back", "SUCCEEDED") in [(call.tool, call.status) for call in report.calls]


BRAIN = "local-brain"


@pytest.fixture
def with_brain(small: ToolPalette) -> ToolPalette:
    return small.model_copy(update={"brain": BrainEntry(id=BRAIN, memory=370.0, held=True)})


def test_the_models_worker_goes_for_a_heavy_skill_and_is_back_before_the_next_decision(
    home: SymbolicHome, with_brain: ToolPalette
) -> None:
    device = Device(home, heavy(with_brain, "grasp", 6000.0), late=3.0)
    honest, decided = device.answers, []

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            decided.append(BRAIN in device.palette.awake)
        yield from honest(command, now)

    line = SimulatedTimeline(Core(settings(6000.0, min_residency=0.0)), answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text="bring me the baguette"))
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end
    steps = [words for _, words in device.log]
    sent = steps.index("send grasp")
    assert {f"deactivate {BRAIN}", f"deactivate {STREAM}"} <= set(steps[:sent])
    assert f"activate {BRAIN}" in steps[sent:]
    assert all(decided)
    assert {BRAIN, STREAM} <= device.palette.awake


def test_a_model_that_does_not_load_again_hands_the_mission_over_with_the_reason(
    home: SymbolicHome, with_brain: ToolPalette
) -> None:
    device = Device(home, heavy(with_brain, "grasp", 6000.0))
    honest = device.answers

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, ChangeState) and (command.peer, command.transition) == (BRAIN, "activate"):
            yield (
                1.0,
                CallFailed(call_id=command.call_id, condition="WORKER_LOST", message="its files are gone"),
            )
        else:
            yield from honest(command, now)

    line = SimulatedTimeline(Core(settings(6000.0, min_residency=0.0)), answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text="bring me the baguette"))
    (end,) = line.run()
    assert end.state is MissionState.HANDED_OVER, end
    assert "its files are gone" in end.reason


def test_the_model_cannot_name_its_own_worker(with_brain: ToolPalette) -> None:
    assert BRAIN in with_brain.movable
    assert BRAIN not in str(schemas(with_brain))
    assert BRAIN not in str(in_lines(listing(with_brain)))


def test_memory_that_never_comes_back_keeps_the_goal_from_being_sent(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, heavy(small, "grasp", 90.0), late=10_000.0)
    end, report, _ = run(device, settings(160.0, min_residency=0.0), "bring me the baguette")
    assert end.state is MissionState.HANDED_OVER, end
    assert "send grasp" not in device.told("send")
    assert ("memory_back", "TIMEOUT") in [(call.tool, call.status) for call in report.calls]


def test_a_skill_that_fits_nowhere_is_refused_with_the_figures(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, heavy(small, "grasp", 500.0))
    end, report, _ = run(device, settings(160.0), "bring me the baguette")
    assert end.state is MissionState.HANDED_OVER, end
    refusals = [call.message for call in report.calls if call.tool == "make_room"]
    assert "grasp needs 500 MB and does not fit in 160 MB" in refusals


@pytest.mark.parametrize("fault", ["refuses", "hangs"])
def test_a_locator_that_does_not_wake_is_a_typed_outcome_within_its_deadline(
    home: SymbolicHome, small: ToolPalette, fault: str
) -> None:
    device = Device(home, small, **{fault: (LOCATOR,)})
    end, report, line = run(device, settings(0.0), "bring me the unicorn")
    assert end.state.ended
    outcomes = {call.status for call in report.calls if call.tool == "lifecycle_transition"}
    assert outcomes == {"REFUSED" if fault == "refuses" else "TIMEOUT"}
    assert not any(isinstance(c, CallLocate) for m in line.moments for c in m.commands)


def test_after_a_stop_during_a_transition_the_peer_that_went_comes_back(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, small)
    line = SimulatedTimeline(Core(settings(100.0, keep_warm=5.0)), device.answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text="bring me the baguette"))
    line.put(0.9, PromptReceived(id="q", text="stop"))
    line.run()
    assert device.told("activate", "deactivate") == [f"deactivate {STREAM}", f"activate {STREAM}"]
    assert STREAM in device.palette.awake


@pytest.mark.parametrize("idle", [False, True])
def test_nobody_comes_back_while_the_skill_may_still_hold_the_memory(
    idle: bool, home: SymbolicHome, small: ToolPalette
) -> None:
    """After a goal whose end was never told, only a skill server that says it is idle has freed it."""
    working = heavy(small, "grasp", 90.0).model_copy(update={"robot_idle": False})
    device = Device(home, working)
    honest = device.answers

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "grasp":
            yield 1.0, CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message="it is gone")
            yield 90.0, PaletteChanged(palette=device.palette.model_copy(update={"robot_idle": idle}))
        else:
            yield from honest(command, now)

    line = SimulatedTimeline(Core(settings(160.0, min_residency=0.0)), answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text="bring me the baguette"))
    line.run()
    gone = [words.split()[1] for words in device.told("deactivate")]
    assert STREAM in gone
    assert (f"activate {STREAM}" in device.told("activate")) is idle


def back(device: Device, held_memory: bool = True) -> PaletteChanged:
    """The streaming detector is awake, although it had to go: its process died and was brought back."""
    device.palette = held(device.palette.with_state(STREAM, ACTIVE), STREAM, held_memory)
    return PaletteChanged(palette=device.palette)


def test_who_comes_back_in_the_middle_of_a_skill_is_sent_away_again_and_returns_on_its_end(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, heavy(small, "grasp", 90.0))
    honest, ended = device.answers, []

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "grasp":
            ended.append(now + 5.0)
            yield 2.0, back(device)
        yield from honest(command, now)

    line = SimulatedTimeline(Core(settings(160.0, min_residency=0.0)), answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text="bring me the baguette"))
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end
    sent = device.log.index(next(item for item in device.log if item[1] == "send grasp"))
    again, returns = device.log[sent + 1 : sent + 3]
    assert again[1] == f"deactivate {STREAM}"
    assert again[0] < ended[0]
    assert returns[1].startswith("activate")
    assert returns[0] >= ended[0]


def test_a_skill_is_not_sent_while_who_had_to_go_is_awake_again(
    home: SymbolicHome, small: ToolPalette
) -> None:
    device = Device(home, heavy(small, "grasp", 90.0), late=3.0)
    honest, came = device.answers, []

    def answers(command: Command, now: float) -> Iterator[Answer]:
        yield from honest(command, now)
        if isinstance(command, ChangeState) and command.transition == "deactivate" and not came:
            came.append(now)
            yield 2.0, back(device)

    line = SimulatedTimeline(Core(settings(160.0, min_residency=0.0)), answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text="bring me the baguette"))
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end
    words = [item for _, item in device.log]
    assert words[: words.index("send grasp")].count(f"deactivate {STREAM}") == 2


def test_who_may_have_gone_although_nobody_confirmed_it_comes_back(
    home: SymbolicHome, small: ToolPalette
) -> None:
    """Its node died over the transition; bring-up made it inactive again."""
    device = Device(home, heavy(small, "grasp", 90.0))
    honest = device.answers

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, ChangeState) and command.transition == "deactivate":
            device.log.append((now, f"deactivate {command.peer}"))
            device.palette = held(device.palette.with_state(command.peer, INACTIVE), command.peer, False)
            yield 1.0, CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message="it is gone")
            yield 1.1, PaletteChanged(palette=device.palette)
        else:
            yield from honest(command, now)

    line = SimulatedTimeline(Core(settings(160.0, min_residency=0.0)), answers)
    line.put(0.0, PaletteChanged(palette=device.palette))
    line.put(0.1, PromptReceived(id="p", text="bring me the baguette"))
    line.run()
    assert STREAM in device.palette.awake
