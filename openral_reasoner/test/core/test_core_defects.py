"""A defect in the core ends its mission in words; the next one goes on as ever."""

import pytest

from openral_core.missions import MissionState
from openral_reasoner.commands import AskModel, CancelSkill, Command, EndMission, SendSkill
from openral_reasoner.core.mission_core import Core, handle_safely
from openral_reasoner.events import Event, ModelAnswered, PaletteChanged, PromptReceived, SkillProgressed
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_testing.recordings.lives import read_lines, settings_line, step_line
from openral_testing.recordings.replay import replay


class Recorded:
    """A core that is driven through the edge, and written down."""

    def __init__(self, settings: MissionSettings, home: SymbolicHome) -> None:
        self.core, self.peers = Core(settings), HomePeers(home)
        self.lines = [settings_line(settings)]
        self.logged: list[str] = []
        self.commands: list[Command] = []

    def give(self, event: Event) -> tuple[Command, ...]:
        now = float(len(self.lines))
        commands = handle_safely(self.core, event, now, self.logged.append)
        self.lines.append(step_line(now, event, commands))
        self.commands += commands
        return commands

    def until(self, kind: type, event: Event) -> Command:
        """Answer every command until one of this kind is sent."""
        waiting = [event]
        for _ in range(100):
            for command in self.give(waiting.pop(0)):
                if isinstance(command, kind):
                    return command
                if isinstance(command, AskModel):
                    call = decide(command.context)
                    waiting.append(ModelAnswered(call_id=command.call_id, calls=(call,)))
                elif (answer := self.peers.answer(command)) is not None:
                    waiting.append(answer)
        raise AssertionError(f"no {kind.__name__}")


@pytest.fixture
def recorded(settings: MissionSettings, home: SymbolicHome, palette: ToolPalette) -> Recorded:
    made = Recorded(settings, home)
    made.give(PaletteChanged(palette=palette))
    return made


def broken(*_: object) -> None:
    raise ZeroDivisionError("a defect")


def test_the_mission_ends_failed_its_skill_is_stopped_and_what_waits_is_told(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = recorded.until(SendSkill, PromptReceived(id="one", text="go to the fridge"))
    assert isinstance(sent, SendSkill)
    recorded.give(PromptReceived(id="two", text="go to the shelf"))
    monkeypatch.setattr(Mission, "progress", broken)
    commands = recorded.give(SkillProgressed(call_id=sent.call_id, stage="moving", progress=0.5))
    (end,) = [c for c in commands if isinstance(c, EndMission)]
    assert end.state is MissionState.FAILED
    assert "skill_progressed: ZeroDivisionError: a defect" in end.reason
    assert [c.call_id for c in commands if isinstance(c, CancelSkill)] == [sent.call_id]
    assert any(getattr(c, "in_reply_to", "") == "two" for c in commands)
    assert "Traceback" in recorded.logged[0]
    assert replay(*read_lines(recorded.lines)) is None


def test_the_next_mission_goes_on_as_ever(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Mission, "spend", broken)
        recorded.until(EndMission, PromptReceived(id="one", text="go to the fridge"))
    end = recorded.until(EndMission, PromptReceived(id="two", text="go to the fridge"))
    assert isinstance(end, EndMission)
    assert end.state is MissionState.SUCCEEDED


def test_a_defect_between_missions_is_only_logged(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch, palette: ToolPalette
) -> None:
    monkeypatch.setattr("openral_reasoner.core.mission_core.changes", broken)
    assert recorded.give(PaletteChanged(palette=palette)) == ()
    assert len(recorded.logged) == 1
