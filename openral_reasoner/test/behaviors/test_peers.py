"""A peer that is lost while a mission runs is waited for, once and not for ever."""

from collections.abc import Iterator

import pytest

from openral_core.detectors import LifecycleState, LocateResult, LocateStatus
from openral_core.missions import MissionState
from openral_reasoner.behaviors.locate import LOOKS_AGAIN
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    CallRecall,
    ChangeState,
    Command,
    SendSkill,
    SetDeadline,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Located, ModelAnswered, PaletteChanged, PromptReceived, StateChanged
from openral_reasoner.palette.build import changes
from openral_reasoner.palette.entries import DegradedDetectorEntry, ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.scripted.steps import BLIND_VISITS
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer, SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

WITHOUT_MEMORY = {"spatial_memory_available": False, "places": ()}
WITHOUT_SKILLS = {"skills": ()}
LOST, BACK = 8.0, 20.0
"""While the robot drives to where it will look for the mug [s]."""


def asked_at(line: SimulatedTimeline) -> list[float]:
    return [m.now for m in line.moments if any(isinstance(c, AskModel) for c in m.commands)]


def started(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, goal: str = "bring me the mug"
) -> SimulatedTimeline:
    """The goal is the mug, which memory knows; a skill takes five seconds."""
    peers = HomePeers(home)

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        elif (event := peers.answer(command)) is not None:
            yield 5.0 if isinstance(command, SendSkill) else 0.1, event

    line = SimulatedTimeline(Core(settings), answers)
    line.put(0.0, PaletteChanged(palette=palette))
    line.put(0.0, PromptReceived(id="first", text=goal))
    return line


@pytest.mark.parametrize("lost", [WITHOUT_MEMORY, WITHOUT_SKILLS], ids=["memory", "skills"])
def test_nothing_is_decided_until_a_lost_peer_is_back(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, lost: dict[str, object]
) -> None:
    line = started(home, palette, settings)
    line.put(LOST, PaletteChanged(palette=palette.model_copy(update=lost)))
    line.put(BACK, PaletteChanged(palette=palette))
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert not [now for now in asked_at(line) if LOST + 5.0 < now < BACK]
    reported = [
        line for m in line.moments for c in m.commands if isinstance(c, AskModel) for line in c.context.news
    ]
    is_memory = lost is WITHOUT_MEMORY
    assert any("unavailable" in words for words in reported) is is_memory
    assert any("is available" in words for words in reported) is is_memory


def test_a_question_that_memory_died_over_is_asked_again_when_it_is_back(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = started(home, palette, settings)
    answers, asked = line.answers, []

    def dying(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, CallRecall):
            asked.append(now)
        if not isinstance(command, CallRecall) or len(asked) > 1:
            yield from answers(command, now)

    line.answers = dying
    line.put(1.0, PaletteChanged(palette=palette.model_copy(update=WITHOUT_MEMORY)))
    line.put(BACK, PaletteChanged(palette=palette))
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert len(asked) == 2
    assert asked[1] == BACK


def test_what_does_not_come_back_is_waited_for_once(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = started(home, palette, settings)
    line.put(LOST, PaletteChanged(palette=palette.model_copy(update=WITHOUT_SKILLS)))
    (end,) = line.run()
    assert end.state is MissionState.HANDED_OVER
    waits = [b - a for a, b in zip(asked_at(line), asked_at(line)[1:], strict=False)]
    assert sum(wait >= settings.deadlines.palette for wait in waits) == 1


def test_the_places_that_come_and_go_with_memory_are_no_news_of_their_own(palette: ToolPalette) -> None:
    reported = changes(palette, palette.model_copy(update=WITHOUT_MEMORY))
    assert reported == ("spatial memory is unavailable: its service does not respond or is not active",)


BROKEN = LocateResult(LocateStatus.DETECTOR_ERROR, "its worker is gone", "mug", "head", "")


def broken_over_looks(line: SimulatedTimeline, times: int, *then: Answer) -> list[float]:
    """Lets the first looks break, with what happens ``then``; when each was asked for [s]."""
    answers, asked = line.answers, []

    def breaking(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, CallLocate):
            asked.append(now)
            if len(asked) <= times:
                yield from ((0.1, Located(call_id=command.call_id, result=BROKEN)), *then)
                return
        yield from answers(command, now)

    line.answers = breaking
    return asked


def with_one(palette: ToolPalette, **locator: object) -> ToolPalette:
    entry = palette.locators[0].model_copy(update=locator)
    return palette.model_copy(update={"locators": (entry,)})


def test_a_look_that_a_locator_broke_over_is_had_once_more_when_it_is_back(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = started(home, with_one(palette), settings)
    lost, back = PaletteChanged(palette=with_one(palette, recovering=True)), with_one(palette)
    asked = broken_over_looks(line, 1, (0.2, lost), (5.0, PaletteChanged(palette=back)))
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert asked[1] - asked[0] == pytest.approx(5.0)


def test_another_locator_is_asked_before_a_broken_one_is_waited_for(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    two = (palette.locators[0], palette.locators[0].model_copy(update={"id": "other"}))
    line = started(home, palette.model_copy(update={"locators": two}), settings)
    asked = broken_over_looks(line, 1)
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert asked[1] - asked[0] == pytest.approx(0.1)


@pytest.mark.parametrize("blind", [True, False], ids=["given up", "never back"])
def test_a_locator_that_does_not_come_back_is_not_waited_for_for_long(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, blind: bool
) -> None:
    line = started(home, with_one(palette), settings)
    why = (DegradedDetectorEntry(id=palette.locators[0].id, why="lost too often"),) if blind else ()
    gone = palette.model_copy(update={"locators": (), "detector_available": False, "degraded": why})
    asked = broken_over_looks(line, 100, (0.2, PaletteChanged(palette=gone)))
    (end,) = line.run()
    assert end.state.ended
    assert len(asked) == 1
    waits = [c.seconds for m in line.moments for c in m.commands if isinstance(c, SetDeadline)]
    assert waits.count(settings.deadlines.recovery) == (0 if blind else 1)


def test_a_locator_that_somebody_else_wakes_is_asked_when_it_is_awake(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    awake = with_one(palette)
    asleep = with_one(palette, state=LifecycleState.INACTIVE)
    line = started(home, asleep, settings)
    answers, tries, looks = line.answers, [], []

    def refusing(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, CallLocate):
            looks.append(now)
        if isinstance(command, ChangeState) and command.peer == awake.locators[0].id and not tries:
            tries.append(now)
            yield 0.1, StateChanged(call_id=command.call_id, success=False, message="the peer refused")
            yield 3.0, PaletteChanged(palette=awake)
        else:
            yield from answers(command, now)

    line.answers = refusing
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert looks[0] - tries[0] == pytest.approx(3.0)


def test_a_locator_that_died_over_a_look_and_is_being_woken_is_asked_when_it_is_awake(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    awake = with_one(palette)
    asleep = PaletteChanged(palette=with_one(palette, state=LifecycleState.INACTIVE))
    gone = PaletteChanged(palette=palette.model_copy(update={"locators": (), "detector_available": False}))
    line = started(home, awake, settings)
    asked = broken_over_looks(line, 1, (0.2, gone), (4.0, asleep))
    answers, tries = line.answers, []

    def refusing(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, ChangeState) and not tries:
            tries.append(now)
            yield 0.1, StateChanged(call_id=command.call_id, success=False, message="the peer refused")
            yield 2.0, PaletteChanged(palette=awake)
        else:
            yield from answers(command, now)

    line.answers = refusing
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert asked[1] - asked[0] == pytest.approx(6.0)


UNKNOWN = "find the unicorn"
WHY = "the worker gave no answer to a look within 10 s and was killed"


def looks_are(line: SimulatedTimeline, status: LocateStatus, *then: Answer) -> list[float]:
    """Lets every look end with ``status`` and what happens ``then``; when each was asked for [s]."""
    answers, asked = line.answers, []

    def broken(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, CallLocate):
            asked.append(now)
            result = LocateResult(status, "the newest frame is old", "mug", "head", "")
            yield from ((0.1, Located(call_id=command.call_id, result=result)), *then)
        else:
            yield from answers(command, now)

    line.answers = broken
    return asked


def drives(line: SimulatedTimeline) -> int:
    return sum(isinstance(c, SendSkill) for m in line.moments for c in m.commands)


def test_nobody_drives_on_for_a_locator_that_was_given_up_and_the_human_reads_why(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = started(home, with_one(palette), settings, UNKNOWN)
    name = palette.locators[0].id
    blind = {
        "locators": (),
        "detector_available": False,
        "degraded": (DegradedDetectorEntry(id=name, why=WHY),),
    }
    looks_are(
        line, LocateStatus.DETECTOR_ERROR, (0.2, PaletteChanged(palette=palette.model_copy(update=blind)))
    )
    (end,) = line.run()
    assert end.state is MissionState.HANDED_OVER
    assert f"locator {name} is not working: {WHY}" in end.reason
    assert drives(line) == 0


def test_a_locator_that_loads_again_in_vain_is_waited_for_once_and_nobody_drives_on(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = started(home, with_one(palette), settings, UNKNOWN)
    hanging = PaletteChanged(palette=with_one(palette, recovering=True, trouble=WHY))
    asked = looks_are(line, LocateStatus.LOADING, (0.2, hanging))
    (end,) = line.run()
    assert end.state is MissionState.HANDED_OVER
    assert f"locator {palette.locators[0].id} is not working: {WHY}" in end.reason
    assert (len(asked), drives(line)) == (1, 0)
    waits = [c.seconds for m in line.moments for c in m.commands if isinstance(c, SetDeadline)]
    assert waits.count(settings.deadlines.recovery) == 1


def test_a_slow_model_that_is_still_loading_is_asked_when_it_has_loaded(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = started(home, with_one(palette), settings)
    answers, asked = line.answers, []

    def loading(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, CallLocate):
            asked.append(now)
        if len(asked) > 1 or not isinstance(command, CallLocate):
            yield from answers(command, now)
            return
        result = LocateResult(LocateStatus.LOADING, "starting", "mug", "head", "")
        yield 0.1, Located(call_id=command.call_id, result=result)
        yield 0.2, PaletteChanged(palette=with_one(palette, recovering=True, trouble=WHY))
        yield 12.0, PaletteChanged(palette=with_one(palette))

    line.answers = loading
    (end,) = line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert asked[1] - asked[0] == pytest.approx(12.0)


def test_a_camera_that_stays_silent_is_insisted_upon_at_one_place_only(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    line = started(home, with_one(palette), settings, UNKNOWN)
    asked = looks_are(line, LocateStatus.STALE_FRAME)
    (end,) = line.run()
    assert end.state is MissionState.HANDED_OVER
    assert "STALE_FRAME (the newest frame is old)" in end.reason
    assert len(asked) == 1 + LOOKS_AGAIN + BLIND_VISITS
