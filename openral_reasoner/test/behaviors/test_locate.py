"""Any node can join the graph and call itself a locator: what it does not see may be there all the same."""

from collections.abc import Iterator

import pytest

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.missions import MissionState
from openral_reasoner.commands import AskModel, CallLocate, Command, SendSkill, SetDeadline
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Located, ModelAnswered, PaletteChanged, PromptReceived
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer, SimulatedTimeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

STRANGER, TRUE = "aaa-stranger", "sim-locator"


@pytest.fixture
def rivals(palette: ToolPalette) -> ToolPalette:
    """The stranger's id sorts first, and no default is configured."""
    true = palette.locators[0].model_copy(update={"is_default": False})
    stranger = palette.locators[0].model_copy(update={"id": STRANGER, "aliases": ()})
    return palette.model_copy(update={"locators": (stranger, true), "rivals": (TRUE,)})


@pytest.fixture
def alone(palette: ToolPalette) -> ToolPalette:
    """The stranger, while the deployment's default is away."""
    stranger = palette.locators[0].model_copy(update={"id": STRANGER, "aliases": (), "is_default": False})
    return palette.model_copy(update={"locators": (stranger,), "configured_default_locator": TRUE})


@pytest.fixture
def both(palette: ToolPalette, alone: ToolPalette) -> ToolPalette:
    return alone.model_copy(update={"locators": (palette.locators[0], *alone.locators)})


class Run:
    """A mission in which the stranger sees nothing, ever."""

    def __init__(self, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> None:
        self.asked: list[str] = []
        self._peers = HomePeers(home)
        self.line = SimulatedTimeline(Core(settings), self._answers)
        self.line.put(0.0, PaletteChanged(palette=palette))
        self.line.put(0.0, PromptReceived(id="first", text="bring me the mug"))

    def _answers(self, command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield 0.1, ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
            return
        if isinstance(command, CallLocate):
            self.asked.append(command.detector)
            if command.detector == STRANGER:
                absent = LocateResult(LocateStatus.NOT_IN_VIEW, "no", command.query, command.camera, STRANGER)
                yield 0.1, Located(call_id=command.call_id, result=absent)
                return
        event = self._peers.answer(command)
        if event is not None:
            yield 5.0 if isinstance(command, SendSkill) else 0.1, event


def test_what_one_of_two_defaults_does_not_see_the_other_is_asked_for(
    home: SymbolicHome, rivals: ToolPalette, settings: MissionSettings
) -> None:
    run = Run(home, rivals, settings)
    (end,) = run.line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert run.asked[:2] == [STRANGER, TRUE]


def test_the_deployments_default_alone_decides_that_nothing_is_there(
    home: SymbolicHome, both: ToolPalette, settings: MissionSettings
) -> None:
    run = Run(home, both, settings)
    (end,) = run.line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert set(run.asked) == {TRUE}


def test_a_default_that_is_away_is_waited_for_before_a_stranger_is_believed(
    home: SymbolicHome, alone: ToolPalette, both: ToolPalette, settings: MissionSettings
) -> None:
    run = Run(home, alone, settings)
    run.line.put(16.0, PaletteChanged(palette=both))
    (end,) = run.line.run()
    assert end.state is MissionState.SUCCEEDED, end.reason
    assert run.asked[:2] == [STRANGER, TRUE]


def test_a_default_that_stays_away_is_waited_for_once(
    home: SymbolicHome, alone: ToolPalette, settings: MissionSettings
) -> None:
    run = Run(home, alone, settings)
    (end,) = run.line.run()
    assert end.state.ended
    assert set(run.asked) == {STRANGER}
    waits = [c.seconds for m in run.line.moments for c in m.commands if isinstance(c, SetDeadline)]
    assert waits.count(settings.deadlines.recovery) == 1
