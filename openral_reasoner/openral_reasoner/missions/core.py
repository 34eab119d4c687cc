"""Takes events, gives commands. No clock, no IO, no randomness: the same events give the same commands."""

import re
from collections import deque

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_reasoner.budgets import BudgetExhausted
from openral_reasoner.exchanges.commands import (
    CancelSkill,
    ClearDeadline,
    Command,
    EndMission,
    PublishPrompt,
    SetDeadline,
)
from openral_reasoner.exchanges.events import (
    CallFailed,
    Cancelled,
    DeadlinePassed,
    Event,
    FailureReported,
    PaletteChanged,
    PromptReceived,
    SkillEnded,
    SkillProgressed,
)
from openral_reasoner.exchanges.statuses import MissionReport
from openral_reasoner.exchanges.value import OfCall
from openral_reasoner.missions.caretaker import Caretaker
from openral_reasoner.missions.stories import story
from openral_reasoner.palettes import ToolPalette, changes
from openral_reasoner.procedures.interrupts import MissionCancelled
from openral_reasoner.procedures.mission import Ending, Mission, Procedure, Wait
from openral_reasoner.procedures.settings import MissionSettings

NEWS_KEPT = 32
"""Lines of news kept between two decisions."""
_STOP = re.compile(
    r"(?:please |robot,? )?(?:stop|cancel|abort|halt|freeze|never ?mind|forget it)"
    r"(?: it| that| now| moving| everything| the mission)?(?:,? (?:please|robot|now))?",
    re.IGNORECASE,
)


class Core:
    """One mission at a time, others queued, replacing or refused as settings say."""

    def __init__(self, settings: MissionSettings) -> None:
        self.settings = settings
        self.palette = ToolPalette()
        self.mission: Mission | None = None
        self._run: Procedure[Ending] | None = None
        self._wait = Wait("")
        self._queue: deque[PromptReceived] = deque()
        self._missions = 0
        self._interrupted = False
        self._outbox: list[Command] = []
        self._now = 0.0
        self._last = MissionReport()
        self._caretaker = Caretaker(settings.residency, settings.deadlines.transition)

    def handle(self, event: Event, now: float) -> tuple[Command, ...]:
        """The commands that this event leads to; ``now`` is steady time [s]."""
        self._now = max(self._now, now)
        if self.mission is not None:
            self.mission.now = self._now
        if isinstance(event, PromptReceived):
            self._prompted(event)
        elif isinstance(event, PaletteChanged):
            self._palette_changed(event)
        elif isinstance(event, FailureReported):
            self._failure_reported(event)
        elif isinstance(event, Cancelled):
            self._queue.clear()
            self._interrupt(MissionCancelled(event.reason))
        else:
            self._answered(event)
        return self._drain()

    def broke(self, why: str) -> tuple[Command, ...]:
        """After a defect: the mission ends FAILED, what moves for it is stopped, what waits is dropped."""
        mission = self.mission
        for prompt in self._queue:
            self._tell(f"dropped: {why}", prompt.id)
        self._queue.clear()
        if mission is not None:
            for call_id in mission.pending("execute_rskill"):
                mission.emit(CancelSkill(call_id=call_id))
            self._end(Ending(MissionState.FAILED, why))
        return self._drain()

    def report(self, now: float) -> MissionReport:
        """The mission as it stands, or the last one's end."""
        if self.mission is None:
            return self._last
        self.mission.now = max(self._now, now)
        return self.mission.report()

    def _prompted(self, prompt: PromptReceived) -> None:
        words = prompt.text.strip().rstrip(".! ")
        if prompt.id and (prompt.id, prompt.text) in self._heard():
            return
        if prompt.in_reply_to and prompt.in_reply_to == self._wait.call_id:
            self._resume(prompt)
        elif _STOP.fullmatch(words):
            self._queue.clear()
            self._interrupt(MissionCancelled(f"the operator said {prompt.text.strip()!r}"))
        elif prompt.in_reply_to:
            self._tell("nothing waits for this answer", prompt.id)
        elif self.mission is None:
            self._start(prompt)
        else:
            self._second(prompt)

    def _heard(self) -> set[tuple[str, str]]:
        """Prompts of the missions that run or wait: an operator may say one again to be sure."""
        running = () if self.mission is None else (self.mission.prompt,)
        return {(prompt.id, prompt.text) for prompt in (*running, *self._queue)}

    def _second(self, prompt: PromptReceived) -> None:
        policy = self.settings.second_goal
        if policy == "refuse" or len(self._queue) >= self.settings.queue_length:
            self._tell("another mission is running; say 'stop' first", prompt.id)
            return
        if policy == "replace":
            self._queue.clear()
        self._queue.append(prompt)
        if policy == "replace":
            self._interrupt(MissionCancelled("replaced by another goal"))

    def _start(self, prompt: PromptReceived) -> None:
        self._missions += 1
        mission = Mission(prompt.id or f"m{self._missions}", prompt, self.settings, self.palette)
        mission.now = self._now
        mission.chronicle = self._caretaker.hand_over(self._now).reconciled(self.palette.awake)
        mission.ledger = mission.ledger.resumed(self._now)
        mission.open_span(mission.id, "invoke_agent", goal=prompt.text)
        mission.emit(SetDeadline(call_id=mission.id, seconds=self.settings.budget.seconds))
        self.mission, self._run, self._interrupted = mission, story(mission), False
        self._step(None)

    def _palette_changed(self, event: PaletteChanged) -> None:
        news = changes(self.palette, event.palette)
        self.palette = event.palette
        if self.mission is None:
            self._caretaker.look(self.palette, self._now)
            return
        self.mission.palette = event.palette
        if self.mission.chronicle.borrower not in self.mission.pending("execute_rskill"):
            self.mission.chronicle = self.mission.chronicle.reclaimed(idle=self.palette.robot_idle)
        self.mission.news.extend(news)
        if self._wait.palette:
            self._resume(event)
        elif self._wait.needs and self._wait.needs not in {each.id for each in self.palette.detectors}:
            message = f"{self._wait.needs} is no longer in the graph"
            failed = CallFailed(call_id=self._wait.call_id, condition="UNAVAILABLE", message=message)
            self._resume(failed)

    def _failure_reported(self, event: FailureReported) -> None:
        """Told with the next decision; what to do about a call that failed is decided by its own answer."""
        if self.mission is not None and len(self.mission.news) < NEWS_KEPT:
            self.mission.news.append(f"{event.source} reports {event.condition}: {event.message[:200]}")

    def _answered(self, event: Event) -> None:
        mission = self.mission
        if mission is None:
            self._caretaker.answered(event, self._now)
            return
        call_id = event.call_id if isinstance(event, OfCall) else ""
        if isinstance(event, DeadlinePassed) and call_id == mission.id:
            self._out_of_time(mission)
        elif isinstance(event, SkillProgressed):
            if call_id == self._wait.call_id:
                mission.progress(event.stage, event.progress)
        elif call_id == self._wait.call_id:
            self._resume(event)
        elif isinstance(event, SkillEnded) and call_id == mission.chronicle.borrower:
            mission.chronicle = mission.chronicle.lent_to("")

    def _out_of_time(self, mission: Mission) -> None:
        """The mission's own deadline; time spent waiting for a human is given back."""
        left = mission.ledger.left("seconds", self._now)
        if left > 0.0:
            mission.emit(SetDeadline(call_id=mission.id, seconds=max(left, 0.5)))
        else:
            self._interrupt(BudgetExhausted("seconds", mission.ledger.limit("seconds")))

    def _interrupt(self, reason: OpenRALError) -> None:
        if self._run is None or self.mission is None:
            return
        if self._interrupted:
            self.mission.cancelled = str(reason)
            return
        self._interrupted = True
        self._step(None, reason)

    def _resume(self, event: Event) -> None:
        self._step(event)

    def _step(self, event: Event | None, reason: OpenRALError | None = None) -> None:
        """Let the mission go on until it waits again or ends."""
        assert self._run is not None
        try:
            if reason is not None:
                self._wait = self._run.throw(reason)
            elif event is None:
                self._wait = next(self._run)
            else:
                self._wait = self._run.send(event)
        except StopIteration as stop:
            self._end(stop.value)

    def _end(self, ending: Ending) -> None:
        mission = self.mission
        assert mission is not None
        if mission.cancelled and ending.state is not MissionState.SUCCEEDED:
            ending = Ending(MissionState.CANCELLED, mission.cancelled)
        mission.finish_all("INTERRUPTED")
        mission.close_every_span(ending.state.name)
        mission.state, mission.reason, mission.step = ending.state, ending.reason, "ended"
        mission.publish()
        mission.emit(ClearDeadline(call_id=mission.id))
        mission.emit(EndMission(mission_id=mission.id, state=ending.state, reason=ending.reason))
        self._outbox.extend(mission.drain())
        self._last = mission.report()
        self.mission, self._run, self._wait = None, None, Wait("")
        self._caretaker.begin(mission.chronicle, mission.palette, self._now)
        if self._queue:
            self._start(self._queue.popleft())

    def _tell(self, text: str, prompt: str) -> None:
        self._outbox.append(PublishPrompt(source="reasoner", text=text, in_reply_to=prompt))

    def _drain(self) -> tuple[Command, ...]:
        if self.mission is not None:
            self._outbox.extend(self.mission.drain())
        batch, self._outbox = (*self._outbox, *self._caretaker.drain()), []
        return batch
