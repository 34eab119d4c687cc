"""A mission whose reasoner is killed at any moment goes on from its journal and does nothing twice."""

from collections import deque
from dataclasses import dataclass, field
from random import Random

import pytest

from openral_core.missions import MissionState, PromptOutcome
from openral_reasoner.commands import AskModel, Command, EndMission, PublishReceipt, SendSkill
from openral_reasoner.core.journal import (
    InvalidJournal,
    JournalHeader,
    acting_line,
    attempt_line,
    event_line,
    header_line,
    read_journal,
    replay_journal,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import (
    Event,
    ModelAnswered,
    PaletteChanged,
    PromptReceived,
    Resumed,
    ResumptionFailed,
    SkillProgressed,
)
from openral_reasoner.idle_state import IdleState
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.symbolic_home import SymbolicHome

GOAL = PromptReceived(id="prompt-1", text="bring me a cup of wine", requester="ana")
PHASES = ("written", "handled", "about to act", "acted")
AWAY = 3.0


@dataclass
class Robot:
    """Peers that outlive the reasoner; the skill server knows every goal it got, by its call."""

    peers: HomePeers
    goals: list[str] = field(default_factory=list)
    results: dict[str, Event] = field(default_factory=dict)

    def answer(self, command: Command) -> Event | None:
        if isinstance(command, AskModel):
            return ModelAnswered(call_id=command.call_id, calls=(decide(command.context),), cost=0.0)
        event = self.peers.answer(command)
        if isinstance(command, SendSkill) and event is not None:
            assert command.call_id not in self.results, "an acting step was done twice"
            self.goals.append(f"{command.goal.rskill_id} {command.goal.prompt}")
            self.results[command.call_id] = event
        return event


@dataclass
class Reasoner:
    """A core with its journal, as the node drives it."""

    robot: Robot
    settings: MissionSettings
    lines: list[str] = field(default_factory=list)
    queue: deque[Event] = field(default_factory=deque)
    ends: list[EndMission] = field(default_factory=list)
    receipts: list[PublishReceipt] = field(default_factory=list)
    now: float = 0.0

    def __post_init__(self) -> None:
        self.core = Core(self.settings)
        header = JournalHeader(id="j", boot="b", settings=self.settings, idle=IdleState())
        self.lines.append(header_line(header))

    def run(self, events: int = 10_000, phase: str = PHASES[-1]) -> None:
        """Handle events; the last one only as far as the phase says."""
        for left in range(events - 1, -1, -1):
            if not self.queue:
                return
            self._step(PHASES[-1] if left else phase)

    def _step(self, phase: str) -> None:
        event = self.queue.popleft()
        self.now += 0.5
        self.lines.append(event_line(self.now, 1000.0 + self.now, event))
        if phase == "written":
            return
        commands = self.core.handle(event, self.now)
        if phase == "handled":
            return
        if acting := acting_line(commands, "server-1"):
            self.lines.append(acting)
        if phase == "about to act":
            return
        for command in commands:
            self._carry_out(command)

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, EndMission):
            self.ends.append(command)
        if isinstance(command, PublishReceipt):
            self.receipts.append(command)
        if (answer := self.robot.answer(command)) is not None:
            self.queue.append(answer)

    def restart(self) -> None:
        """Replace the process; goals that the server knows are not sent again."""
        self.queue.clear()
        journal = read_journal([*self.lines, attempt_line(0.0)])
        assert journal is not None
        restored = replay_journal(journal)
        self.core, self.now = restored.core, restored.last[0] + AWAY
        if not restored.is_running:
            return
        self.queue.append(Resumed(down=AWAY))
        for command in restored.open_calls():
            known = self.robot.results.get(getattr(command, "call_id", ""))
            if known is not None:
                assert isinstance(command, SendSkill)
                assert restored.servers[command.call_id] == "server-1"
                self.queue.append(known)
            else:
                self._carry_out(command)


@pytest.fixture
def reasoner(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Reasoner:
    made = Reasoner(Robot(HomePeers(home)), settings)
    made.queue.extend([PaletteChanged(palette=palette), GOAL])
    return made


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("killed_at", range(2, 70, 3))
def test_a_mission_goes_on_after_a_kill_at_any_event_and_does_no_step_twice(
    reasoner: Reasoner, home: SymbolicHome, killed_at: int, phase: str
) -> None:
    reasoner.run(killed_at, phase)
    reasoner.restart()
    reasoner.run()
    assert home.filled == {"glass_1": "wine_1"}
    assert home.delivered == [("glass_1", "ana")]
    assert reasoner.core.report(reasoner.now).state is MissionState.SUCCEEDED


def test_a_killed_mission_does_the_same_steps_as_one_that_was_not(
    reasoner: Reasoner, palette: ToolPalette, settings: MissionSettings
) -> None:
    rng = Random(7)
    for _ in range(12):
        reasoner.run(rng.randrange(1, 12), rng.choice(PHASES))
        reasoner.restart()
    reasoner.run()
    assert reasoner.core.report(reasoner.now).state is MissionState.SUCCEEDED
    assert len(reasoner.robot.goals) == len(reasoner.robot.results)
    assert sum(goal.startswith(("grasp", "pour", "handover")) for goal in reasoner.robot.goals) >= 3


def test_budget_and_clock_continue_across_a_kill(reasoner: Reasoner) -> None:
    reasoner.run(30)
    before = reasoner.core.report(reasoner.now)
    reasoner.restart()
    after = reasoner.core.report(reasoner.now)
    used = {line.name: line.used for line in before.budget}
    for line in after.budget:
        expected = used[line.name] + (AWAY if line.name == "seconds" else 0.0)
        assert line.used == pytest.approx(expected), line.name
    assert after.calls == before.calls


def test_the_next_decision_reads_that_the_reasoner_was_away(reasoner: Reasoner) -> None:
    reasoner.run(30)
    reasoner.restart()
    reasoner.run(1)
    assert reasoner.core.mission is not None
    assert reasoner.core.mission.decisions.news[-1] == "the reasoner was restarted and was away for 3 s"


def test_a_repeated_prompt_is_not_carried_out_again_after_a_restart(reasoner: Reasoner) -> None:
    reasoner.run(10)
    reasoner.restart()
    reasoner.queue.append(GOAL)
    reasoner.run(2)
    assert [receipt.outcome for receipt in reasoner.receipts][-1] is PromptOutcome.STARTED
    assert len(reasoner.ends) == 0


def test_an_idle_core_restores_to_the_same_state(reasoner: Reasoner, settings: MissionSettings) -> None:
    reasoner.run()
    idle = reasoner.core.idle_state
    assert idle is not None
    header = JournalHeader(id="j", boot="b", settings=settings, idle=idle)
    journal = read_journal([header_line(header)])
    assert journal is not None
    restored = replay_journal(journal)
    assert not restored.is_running
    assert restored.core.idle_state == idle
    assert restored.core.report(reasoner.now) == reasoner.core.report(reasoner.now)
    again = restored.core.handle(GOAL, reasoner.now)
    assert [c for c in again if isinstance(c, PublishReceipt)] == [reasoner.receipts[0]]


def test_a_mission_that_cannot_go_on_is_handed_over_saying_where_it_stood(reasoner: Reasoner) -> None:
    reasoner.run(30)
    journal = read_journal(reasoner.lines)
    assert journal is not None
    restored = replay_journal(journal)
    where = restored.where()
    assert where.startswith("it stood at: ")
    commands = restored.core.handle(ResumptionFailed(reason=f"the reasoner died; {where}"), reasoner.now)
    (end,) = [command for command in commands if isinstance(command, EndMission)]
    assert end.state is MissionState.HANDED_OVER
    assert where in end.reason


def test_a_torn_last_line_is_ignored_and_a_torn_line_in_the_middle_is_refused(reasoner: Reasoner) -> None:
    reasoner.run(12)
    torn = [*reasoner.lines, reasoner.lines[-1][:20]]
    journal = read_journal(torn)
    assert journal is not None
    assert replay_journal(journal).core.report(9.0) == reasoner.core.report(9.0)
    with pytest.raises(InvalidJournal, match="line 14") as error:
        read_journal([*torn, reasoner.lines[-1]])
    assert error.value.goal == GOAL.text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "invalid fields"),
        ("{}", "invalid fields"),
        ('{"journal": 2}', "invalid fields"),
        ("\x00", "invalid"),
    ],
)
def test_an_unreadable_header_is_refused(line: str, words: str) -> None:
    with pytest.raises(InvalidJournal, match=f"line 1 .*{words}"):
        read_journal([line])


def test_a_journal_of_a_version_that_acts_differently_is_not_resumed(reasoner: Reasoner) -> None:
    reasoner.run(40)
    place = next(i for i, line in enumerate(reasoner.lines) if line.startswith('{"acting"'))
    reasoner.lines[place] = '{"acting": ["prompt-1-1/99-skill"], "server": "server-1"}'
    journal = read_journal(reasoner.lines)
    assert journal is not None
    with pytest.raises(InvalidJournal, match="this version acts differently on") as error:
        replay_journal(journal)
    assert error.value.goal == GOAL.text


def test_a_mission_that_kills_its_reasoner_again_at_once_is_stuck(reasoner: Reasoner) -> None:
    reasoner.run(20)
    lines = [*reasoner.lines, attempt_line(0.0)]
    journal = read_journal(lines)
    assert journal is not None
    assert not journal.is_stuck
    twice = read_journal([*lines, attempt_line(1.0)])
    assert twice is not None
    assert twice.is_stuck
    resumed = read_journal([*lines, event_line(50.0, 50.0, Resumed(down=1.0)), attempt_line(1.0)])
    assert resumed is not None
    assert resumed.is_stuck
    assert resumed.resumptions == 1
    for moved in (
        ModelAnswered(call_id="x", calls=()),
        SkillProgressed(call_id="x", stage="driving", progress=0.5),
    ):
        went_on = event_line(51.0, 51.0, moved)
        better = read_journal([*lines, event_line(50.0, 50.0, Resumed(down=1.0)), went_on, attempt_line(1.0)])
        assert better is not None
        assert not better.is_stuck


def test_an_empty_file_is_no_journal() -> None:
    assert read_journal([]) is None
