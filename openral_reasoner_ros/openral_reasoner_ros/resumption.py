"""Return of a restored mission into the graph: what was open is asked, adopted or repeated."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from openral_core.consent.decisions import QUESTION_PREFIX
from openral_core.missions import MissionState, PromptOutcome
from openral_core.text.stop_words import contains_stop_word
from openral_reasoner.commands import (
    CancelSkill,
    HandoffQuestion,
    MissionReport,
    PublishHandoff,
    PublishReceipt,
    SendSkill,
    SetDeadline,
)
from openral_reasoner.core.journal import (
    MAX_RESUMPTIONS,
    InvalidJournal,
    Journal,
    RestoredMission,
    replay_journal,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import (
    OUTCOME_UNKNOWN,
    CallFailed,
    PromptReceived,
    Resumed,
    ResumptionFailed,
    SettingsChanged,
)
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.dispatcher import EventDispatcher
from openral_reasoner_ros.journal import MissionClock, MissionJournal, boot_id
from openral_reasoner_ros.skill_client import SkillClient

PEERS_WAIT = 10.0
"""Longest wait for memory and the skill server after a restart before open calls are repeated [s]."""
MIN_DEADLINE = 5.0
"""Least time that a repeated call gets [s]."""
CONTINUE = ("continue", "yes", "go on", "ok")
"""Answers to the question whether to go on."""
UNKNOWN_OUTCOME = "the reasoner and the skill server were restarted: whether this skill ended is unknown"
NOT_SENT = "the reasoner was restarted before it sent this, and the skill server is another one"
WITHDRAWN = "the skill server that asked this was restarted: it does not wait for the answer"


@dataclass(frozen=True, slots=True)
class Restoration:
    """A core to go on with."""

    core: Core  # A new one, or one in the state of the journal.
    settings: MissionSettings  # Those of this process, which the journal's give way to.
    journal: Journal | None = None  # What it was restored from.
    mission: RestoredMission | None = None  # The restored mission, if one was running.
    problem: str = ""  # Why that mission is not to be resumed.
    rebooted: bool = False  # True if the machine was restarted since.
    lost: MissionReport | None = None  # Report of a mission whose journal cannot be used.

    @property
    def last(self) -> tuple[float, float]:
        """Steady and wall-clock time of the last event [s]."""
        events = self.journal.events if self.journal is not None else ()
        return (events[-1].now, events[-1].wall) if events else (time.monotonic(), time.time())


def restore(file: MissionJournal, settings: MissionSettings, log: Callable[[str], object]) -> Restoration:
    """Restore the core from the journal of an earlier process, or return a new one."""
    try:
        journal = file.read()
        if journal is None:
            return Restoration(Core(settings), settings)
        if journal.attempts > 1:
            raise InvalidJournal(1, f"{journal.attempts} restarts from it have failed", journal.goal)
        restored = replay_journal(journal)
    except InvalidJournal as error:
        reason = f"the reasoner was restarted and the mission is not resumed: {error}"
        log(reason)
        lost = MissionReport(goal=error.goal, state=MissionState.HANDED_OVER, reason=reason)
        return Restoration(Core(settings), settings, lost=lost if error.goal else None)
    if not restored.is_running:
        idle = restored.core.idle_state
        core = Core.restored(settings, idle) if idle is not None else Core(settings)
        return Restoration(core, settings, journal)
    problem = ""
    if journal.is_stuck:
        problem = "it did not get any further after the last restart"
    elif journal.resumptions >= MAX_RESUMPTIONS:
        problem = f"it was resumed {MAX_RESUMPTIONS} times"
    rebooted = journal.header.boot != boot_id()
    return Restoration(restored.core, settings, journal, restored, problem, rebooted)


class Resumption:
    """The steps from a restored core to a mission that goes on, at most once.

    Until `is_done` the core keeps the palette of its journal: a peer that is not discovered yet has not left.

    Args:
        restoration: What was restored.
        dispatcher: Has the core handle events, and commands carried out.
        skill: Client of the skill server.
        journal: Journal that goes on with the restored core.
        clock: Time of the missions, which goes on from the restored one.
    """

    def __init__(
        self,
        restoration: Restoration,
        dispatcher: EventDispatcher,
        skill: SkillClient,
        journal: MissionJournal,
        clock: MissionClock,
    ) -> None:
        self.restoration, self.skill, self._clock = restoration, skill, clock
        self.post, self.carry_out = dispatcher.post, dispatcher.carry_out
        self.down = clock.continue_from(*restoration.last)
        self.patience = restoration.settings.deadlines.handoff
        self.is_done, self._question = False, ""
        self._open_question: HandoffQuestion | None = None
        self._receipt: PublishReceipt | None = None
        self._asked_at, self._due = 0.0, time.monotonic() + PEERS_WAIT
        skill.run_id = journal.id
        journal.attach(restoration.core, lambda: skill.server)
        if restoration.mission is not None and restoration.core.settings != restoration.settings:
            self.post(SettingsChanged(settings=restoration.settings))

    def _restart_deadlines(self) -> None:
        """Start the open deadlines with the time that is left; a repeated call gets some time anew.

        None runs before the mission goes on: it would end while the operator is asked.
        """
        mission, now = self.restoration.core.mission, self._clock()
        for call_id, due in self.restored.deadlines.items():
            least = 0.05 if mission is not None and call_id == mission.id else MIN_DEADLINE
            self.carry_out(SetDeadline(call_id=call_id, seconds=max(due - now, least)))

    def poll(self, palette: ToolPalette) -> None:
        """Go on once the peers are back; called after each poll of the graph."""
        if self.is_done:
            return
        if self.restoration.mission is None:
            self.is_done = True
        elif self.restoration.core.mission is None:
            self.is_done = True
            self._stop_goals()
        elif self._question:
            if time.monotonic() > self._due:
                self._give_up("the operator did not answer")
        elif self.restoration.problem:
            self._give_up(self.restoration.problem)
        elif self._peers_are_back(palette) or time.monotonic() > self._due:
            self._reconcile()

    def _peers_are_back(self, palette: ToolPalette) -> bool:
        needed = self.restoration.core.needed_detector
        detected = not needed or needed in {each.id for each in palette.residents}
        return detected and palette.spatial_memory_available and self.skill.alive and self.skill.is_known

    def takes(self, prompt: PromptReceived) -> bool:
        """Return True if a prompt was the answer to the question whether to go on; it is acknowledged.

        A stop is left to the core.
        """
        if self._receipt is not None and prompt.id == self._receipt.prompt_id:
            self.carry_out(self._receipt)
            return True
        is_answer = self._question and prompt.in_reply_to == self._question and prompt.source
        mission = self.restoration.core.mission
        if not is_answer or mission is None or contains_stop_word(prompt.text):
            return False
        self._question = ""
        self._clock.pause(time.monotonic() - self._asked_at)
        self._receipt = PublishReceipt(
            prompt_id=prompt.id, outcome=PromptOutcome.ANSWERED, mission_id=mission.id
        )
        self.carry_out(self._receipt)
        if prompt.text.strip().lower().rstrip(".!") in CONTINUE:
            self._go_on(prompt.text)
        else:
            self._give_up(f"the operator answered {prompt.text[:80]!r}")
        return True

    def shown(self, report: MissionReport) -> MissionReport:
        """Return the report of the restored mission, which waits while the question is open."""
        if not self._question or self._open_question is None:
            return report
        update = {"state": MissionState.WAITING_FOR_HUMAN, "reason": self._open_question.question}
        return report.model_copy(update=update)

    @property
    def restored(self) -> RestoredMission:
        """The restored mission."""
        assert self.restoration.mission is not None
        return self.restoration.mission

    def _reconcile(self) -> None:
        if self.restoration.rebooted or self._is_elsewhere or any(self._lost()):
            self._ask()
        else:
            self._go_on()

    @property
    def _is_elsewhere(self) -> bool:
        """True if the robot's skill server is not the one that the journal was written with."""
        moves = self.restoration.settings.has_skills
        return moves and not self.skill.runs(self.restored.journal.server)

    def _lost(self) -> Iterator[SendSkill]:
        """Yield the goals that a skill server got which no longer runs."""
        for command in self.restored.open_calls():
            if isinstance(command, SendSkill):
                server = self.restored.servers.get(command.call_id)
                if server is not None and not self.skill.runs(server):
                    yield command

    def _ask(self) -> None:
        mission = self.restored.core.mission
        if mission is None or self.patience <= 0.0:
            self._give_up("what the robot did meanwhile is unknown")
            return
        self._question, self._asked_at = f"{mission.id}/resume", time.monotonic()
        self._due = self._asked_at + self.patience
        question = f"{self._why_asked()} during this mission; {self.restored.where()}. Continue?"
        self._open_question = HandoffQuestion(
            id=self._question,
            mission_id=mission.id,
            goal=mission.prompt.text,
            tried=tuple(mission.search.outcomes),
            question=question,
            choices=(CONTINUE[0], "stop"),
        )
        self.carry_out(PublishHandoff(question=self._open_question))

    def _why_asked(self) -> str:
        if self.restoration.rebooted:
            return "The robot's computer was restarted"
        return "The skill server was restarted, or is another one,"

    def _go_on(self, answer: str = "") -> None:
        """Repeat or adopt what was open; a goal is sent again only if no server has got it.

        What was about to be sent to another skill server is decided anew.
        """
        self.is_done = True
        lost, elsewhere = {command.call_id for command in self._lost()}, self._is_elsewhere
        self._restart_deadlines()
        self.post(Resumed(down=self.down, answer=answer[:80]))
        for command in list(self.restored.open_calls()):
            if not isinstance(command, SendSkill):
                self.carry_out(command)
            elif command.call_id in lost:
                self._fail(command.call_id, OUTCOME_UNKNOWN, UNKNOWN_OUTCOME)
            elif command.call_id in self.restored.servers:
                self.skill.adopt(command, self.restored.servers[command.call_id])
            elif elsewhere:
                self._fail(command.call_id, "UNAVAILABLE", NOT_SENT)
            else:
                self.carry_out(command)
            if command.call_id in self.restored.cancelled:
                self.skill.cancel(CancelSkill(call_id=command.call_id))
        self._ask_again(elsewhere=elsewhere)

    def _ask_again(self, *, elsewhere: bool) -> None:
        """Publish the open question again, unless the skill server that asked it is gone."""
        if (open_question := self.restored.question) is None:
            return
        if elsewhere and open_question.question.id.startswith(QUESTION_PREFIX):
            self._fail(open_question.question.id, "WITHDRAWN", WITHDRAWN)
        else:
            self.carry_out(open_question)

    def _fail(self, call_id: str, condition: str, message: str) -> None:
        self.post(CallFailed(call_id=call_id, condition=condition, message=message))

    def _stop_goals(self) -> None:
        """Stop the goals that the process before had sent."""
        for command in self.restored.open_calls():
            if isinstance(command, SendSkill) and command.call_id in self.restored.servers:
                self.skill.adopt(command, self.restored.servers[command.call_id])
                self.skill.cancel(CancelSkill(call_id=command.call_id))

    def _give_up(self, why: str) -> None:
        self.is_done, self._question = True, ""
        self._stop_goals()
        reason = f"the reasoner was restarted and the mission is not resumed: {why}; {self.restored.where()}"
        self.post(ResumptionFailed(reason=reason))
