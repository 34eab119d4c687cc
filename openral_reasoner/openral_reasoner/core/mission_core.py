"""The mission core: events in, commands out, without clock, IO or randomness.

The same events always give the same commands. A defect ends one mission with its reason, never the node.
"""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Self

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState, PromptOutcome
from openral_core.text.stop_words import is_stop_phrase
from openral_reasoner import commands as c
from openral_reasoner.alarms import asks_for_help, stops_mission
from openral_reasoner.behaviors.requests import MissionCancelled
from openral_reasoner.behaviors.residency import IdleResidencyManager
from openral_reasoner.behaviors.skill_goal import UNCONFIRMED
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.commands import Command, MissionReport
from openral_reasoner.context import CallEvent
from openral_reasoner.core.mission_loop import replaces_goal, run_mission
from openral_reasoner.events import (
    CallFailed,
    Cancelled,
    DeadlinePassed,
    Event,
    FailureReported,
    PaletteChanged,
    PromptReceived,
    Resumed,
    ResumptionFailed,
    SettingsChanged,
    SkillEnded,
    SkillProgressed,
    StopChanged,
)
from openral_reasoner.floor_knowledge import FloorKnowledge
from openral_reasoner.idle_state import IdleState
from openral_reasoner.mission import Ending, Mission, Procedure, Wait
from openral_reasoner.palette.build import changes
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.prompt_queue import Goal, GoalQueue, Receipts, quoted, refusal, reports_of_dropped, say
from openral_reasoner.settings import MissionSettings

SAME_STOP = 5.0
"""Time after the operator's word for a stop in which a latched stop gives the reason for it [s]."""
NEWS_KEPT = 32
"""News kept between two decisions [lines]."""
NAMED, REPORTED = 64, 200
"""Longest source or condition, and longest message, of a reported failure in a decision [characters]."""


class Core:
    """Run one mission at a time; further goals are queued, replace it or are refused, as configured."""

    def __init__(self, settings: MissionSettings) -> None:
        self.settings = settings
        self.palette = ToolPalette()
        self.mission: Mission | None = None
        self._run: Procedure[Ending] | None = None
        self._wait = Wait("")
        self._queue = GoalQueue(settings.queue_length)
        self._receipts = Receipts()
        self._unconfirmed: set[str] = set()
        self._missions, self._interrupted = 0, False
        self._outbox: list[Command] = []
        self._now, self._stopped_at = 0.0, -SAME_STOP
        self._last, self._stopped, self._floor = MissionReport(), "", FloorKnowledge()
        self._residency = IdleResidencyManager(settings.residency, settings.deadlines.transition)
        self._handlers: Mapping[type, Callable[..., None]] = {
            PromptReceived: self._prompted,
            PaletteChanged: self._palette_changed,
            FailureReported: self._failure_reported,
            Cancelled: self._cancelled,
            StopChanged: self._stop_changed,
            Resumed: self._resumed,
            SettingsChanged: self._settings_changed,
        }

    @classmethod
    def restored(cls, settings: MissionSettings, idle: IdleState) -> Self:
        """Return an idle core in the state of another."""
        core = cls(settings)
        core.palette, core._missions, core._last = idle.palette, idle.missions, idle.last
        core._stopped, core._floor = idle.stopped, idle.floor
        core._unconfirmed = set(idle.unconfirmed)
        core._receipts.restore(idle.receipts)
        core._residency.restore(idle.residency)
        return core

    @property
    def idle_state(self) -> IdleState | None:
        """State to restore a core from, None while a mission runs."""
        if self.mission is not None:
            return None
        return IdleState(
            palette=self.palette,
            missions=self._missions,
            unconfirmed=tuple(sorted(self._unconfirmed)),
            receipts=self._receipts.by_prompt,
            residency=self._residency.state,
            last=self._last,
            stopped=self._stopped,
            floor=self._floor,
        )

    @property
    def waiting_for(self) -> str:
        """Call that the mission waits for, "" if none runs."""
        return self._wait.call_id

    @property
    def needed_detector(self) -> str:
        """Detector that has the call the mission waits for, "" if none has."""
        return self._wait.needs

    def handle(self, event: Event, now: float) -> tuple[Command, ...]:
        """Process one event and return its commands; ``now`` is steady time [s]."""
        self._now = max(self._now, now)
        if self.mission is not None:
            self.mission.now = self._now
        if isinstance(event, ResumptionFailed):
            return self.abort(event.reason, MissionState.HANDED_OVER)
        self._handlers.get(type(event), self._answered)(event)
        return self._drain()

    def abort(self, why: str, state: MissionState = MissionState.FAILED) -> tuple[Command, ...]:
        """End the mission after a defect: cancel its skill and drop the queued goals."""
        mission = self.mission
        self._outbox += reports_of_dropped(self._queue.drop(), why)
        if mission is not None:
            for call_id in mission.calls.pending("execute_rskill"):
                mission.emit(c.CancelSkill(call_id=call_id))
            self._end(Ending(state, why))
        return self._drain()

    def report(self, now: float) -> MissionReport:
        """Report on the running mission, or on the last one."""
        if self.mission is None:
            return self._last
        self.mission.now = max(self._now, now)
        return self.mission.report()

    def _prompted(self, prompt: PromptReceived) -> None:
        """Stop, answer, start or queue a mission; the sender gets a receipt in every case."""
        earlier_receipt = self._receipts.of(prompt)
        if earlier_receipt is not None:
            self._outbox.append(earlier_receipt)
        elif self._means_stop(prompt):
            self._stop(prompt)
        elif problem := refusal(prompt):
            self._refuse(prompt, problem)
        elif self._stopped:
            self._refuse(prompt, f"emergency stop: {self._stopped}; first release it: openral release")
        elif prompt.in_reply_to:
            self._answer(prompt)
        elif self.mission is None:
            goal = self._goal(prompt)
            self._receipt(prompt, PromptOutcome.STARTED, f"started {quoted(prompt.text)}", goal.mission_id)
            self._start(goal)
        else:
            self._second(prompt, self.mission)

    def _means_stop(self, prompt: PromptReceived) -> bool:
        if self.mission is None:
            return is_stop_phrase(prompt.text) and (bool(self._unconfirmed) or not asks_for_help(prompt.text))
        may_alarm = not prompt.in_reply_to and self.mission.state is not MissionState.WAITING_FOR_HUMAN
        return stops_mission(prompt.text, may_alarm=may_alarm)

    def _stop(self, prompt: PromptReceived) -> None:
        stopped = self.mission
        reason = f"stopped by the operator: {quoted(prompt.text)}"
        dropped_goals = self._cancel_all(f"emergency stop: {self._stopped}" if self._stopped else reason)
        messages = [f"stopped {quoted(stopped.prompt.text)}" if stopped else "nothing was running"]
        if dropped_goals:
            goals = ", ".join(quoted(goal.prompt.text) for goal in dropped_goals)
            messages.append(f"dropped from the queue: {goals}")
        self._receipt(prompt, PromptOutcome.STOPPED, "; ".join(messages), stopped.id if stopped else "")
        self._stopped_at = self._now if stopped else self._stopped_at

    def _cancelled(self, event: Cancelled) -> None:
        if not event.kept:
            self._outbox += reports_of_dropped(self._queue.drop(), event.reason)
        self._interrupt(MissionCancelled(event.reason))

    def _stop_changed(self, event: StopChanged) -> None:
        """End every mission at an emergency stop; goals are refused until it is released."""
        is_new, self._stopped = bool(event.reason and not self._stopped), event.reason
        if not is_new:
            return
        self._cancel_all(why := f"emergency stop: {event.reason}")
        if self.mission is None and self._now - self._stopped_at < SAME_STOP:
            # The operator's word, which says no reason, was heard first.
            self._last = self._last.model_copy(update={"reason": f"{self._last.reason}; {why}"})
            self._outbox.append(c.PublishStatus(report=self._last))

    def _cancel_all(self, why: str) -> tuple[Goal, ...]:
        """Cancel the running mission, moving skills first, and drop and return the queued goals."""
        stopped, queued_goals = self.mission, self._queue.drop()
        self._outbox += [c.CancelSkill(call_id=call_id) for call_id in sorted(self._unconfirmed)]
        self._interrupt(MissionCancelled(why))
        if self.mission is not None:
            self._outbox += self.mission.drain()
        self._outbox += reports_of_dropped(queued_goals, why)
        if queued_goals and stopped is not None and self.mission is None:
            # Subscribers that keep only the newest status read how the running mission ended.
            self._outbox.append(c.PublishStatus(report=self._last))
        return queued_goals

    def _answer(self, prompt: PromptReceived) -> None:
        mission = self.mission
        is_asking = mission is not None and mission.state is MissionState.WAITING_FOR_HUMAN
        if mission is not None and is_asking and prompt.in_reply_to == self._wait.call_id:
            if replaces_goal(mission, prompt.text):
                self._replace(prompt)
            else:
                self._receipt(prompt, PromptOutcome.ANSWERED, "the mission continues", mission.id)
                self._step(prompt)
            return
        valid = f"the open question is {self._wait.call_id!r}" if is_asking else "no question is open"
        self._refuse(prompt, f"no question {quoted(prompt.in_reply_to)} is waiting for an answer: {valid}")

    def _replace(self, prompt: PromptReceived) -> None:
        """Pursue an answer that is a goal, in place of the mission's."""
        self._queue.put(goal := self._goal(prompt))
        self._receipt(prompt, PromptOutcome.ANSWERED, "the answer is a goal and pursued", goal.mission_id)
        self._interrupt(MissionCancelled(f"replaced by the operator's answer: {quoted(prompt.text)}"))

    def _second(self, prompt: PromptReceived, running: Mission) -> None:
        policy = self.settings.second_goal
        if policy == "refuse" or (policy == "queue" and self._queue.full):
            why = "another mission is running" if policy == "refuse" else "the goal queue is full"
            self._refuse(prompt, f"{why}; say 'stop' first")
            return
        if policy == "replace":
            self._outbox += reports_of_dropped(self._queue.drop(), f"replaced by {quoted(prompt.text)}")
        before = self._queue.put(goal := self._goal(prompt))
        message = f"queued behind {quoted(running.prompt.text)}" + (f" and {before} more" if before else "")
        if policy == "replace":
            message = f"replaces {quoted(running.prompt.text)}, which is being cancelled"
        self._outbox.append(say(message, prompt, goal.mission_id))
        self._receipt(prompt, PromptOutcome.QUEUED, message, goal.mission_id)
        if policy == "replace":
            self._interrupt(MissionCancelled("replaced by another goal"))

    def _goal(self, prompt: PromptReceived) -> Goal:
        """Create a goal with a mission id that is unique even if callers reuse prompt ids."""
        self._missions += 1
        return Goal(f"{prompt.id or 'mission'}-{self._missions}", prompt)

    def _refuse(self, prompt: PromptReceived, why: str) -> None:
        self._outbox.append(say(why, prompt))
        self._receipt(prompt, PromptOutcome.REFUSED, why)

    def _receipt(
        self, prompt: PromptReceived, outcome: PromptOutcome, message: str, mission: str = ""
    ) -> None:
        self._outbox.append(self._receipts.write(prompt, outcome, message, mission))

    def _start(self, goal: Goal) -> None:
        mission = Mission(goal.mission_id, goal.prompt, self.settings, self.palette)
        mission.now = self._now
        mission.calls.unconfirmed_stops = self._unconfirmed
        mission.residency = self._residency.transfer_to_mission(self._now).reconciled(self.palette.awake)
        mission.floor = replace(self._floor, lacked=False, rounds=0)
        mission.ledger = mission.ledger.resumed(self._now)
        mission.open_span(mission.id, "invoke_agent", goal=goal.prompt.text)
        mission.emit(c.SetDeadline(call_id=mission.id, seconds=self.settings.budget.seconds))
        self.mission, self._run, self._interrupted = mission, run_mission(mission), False
        self._step(None)

    def _palette_changed(self, event: PaletteChanged) -> None:
        news = changes(self.palette, event.palette)
        self.palette = event.palette
        if self.mission is None:
            self._residency.update(self.palette, self._now)
            return
        self.mission.palette = event.palette
        if self.mission.residency.memory_holder not in self.mission.calls.pending("execute_rskill"):
            self.mission.residency = self.mission.residency.release_if_idle(idle=self.palette.robot_idle)
        if self.mission.has_decided:
            self.mission.decisions.news.extend(news)
        if self._wait.palette:
            self._step(event)
        elif self._wait.needs and self._wait.needs not in {each.id for each in self.palette.residents}:
            message = f"{self._wait.needs} has left the graph"
            failed = CallFailed(call_id=self._wait.call_id, condition="UNAVAILABLE", message=message)
            self._step(failed)

    def _failure_reported(self, event: FailureReported) -> None:
        """Add the failure to the news of the next decision; failed calls are handled by their own answers."""
        if self.mission is not None and len(self.mission.decisions.news) < NEWS_KEPT:
            source, condition = event.source[:NAMED], event.condition[:NAMED]
            self.mission.decisions.news.append(f"{source} reports {condition}: {event.message[:REPORTED]}")

    def _resumed(self, event: Resumed) -> None:
        """Report the restart in the next decision and in the mission status."""
        if self.mission is not None:
            news = f"the reasoner was restarted and was away for {event.down:.0f} s"
            self.mission.decisions.news.append(news)
            self.mission.publish()

    def _settings_changed(self, event: SettingsChanged) -> None:
        """Bound the rest of the running mission, and those after it, by other settings."""
        self.settings = new = event.settings
        self._queue.length, self._residency.rules = new.queue_length, new.residency
        if self.mission is not None:
            self.mission.apply(new)

    def _answered(self, event: Event) -> None:
        mission = self.mission
        if isinstance(event, SkillEnded):
            self._unconfirmed.discard(event.call_id)
        if mission is None:
            self._residency.handle(event, self._now)
            return
        call_id = event.call_id if isinstance(event, CallEvent) else ""
        if isinstance(event, DeadlinePassed) and call_id == mission.id:
            self._out_of_time(mission)
        elif isinstance(event, SkillProgressed):
            if call_id == self._wait.call_id:
                mission.progress(event.stage, event.progress)
        elif call_id == self._wait.call_id:
            self._step(event)
        elif isinstance(event, SkillEnded) and call_id == mission.residency.memory_holder:
            mission.residency = mission.residency.reserve_for("")

    def _out_of_time(self, mission: Mission) -> None:
        """Handle the mission's deadline; time spent waiting for a human does not count."""
        remaining = mission.ledger.left("seconds", self._now)
        if remaining > 0.0:
            mission.emit(c.SetDeadline(call_id=mission.id, seconds=max(remaining, 0.5)))
        else:
            self._interrupt(BudgetExhausted("seconds", mission.ledger.limit("seconds")))

    def _interrupt(self, reason: OpenRALError) -> None:
        if self._run is None or self.mission is None:
            return
        if self._interrupted:
            self.mission.late_cancellation = str(reason)
            for call_id in self.mission.calls.pending("execute_rskill"):
                self.mission.emit(c.CancelSkill(call_id=call_id))
            return
        self._interrupted = True
        self._step(None, reason)

    def _step(self, event: Event | None, reason: OpenRALError | None = None) -> None:
        """Resume the mission until it waits again or ends."""
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
        if mission.late_cancellation and ending.state is not MissionState.SUCCEEDED:
            ending = Ending(MissionState.CANCELLED, mission.late_cancellation)
        if any(call_id in self._unconfirmed for call_id in mission.calls.records):
            ending = replace(ending, reason=f"{ending.reason}; {UNCONFIRMED}")
        mission.calls.finish_all("INTERRUPTED")
        mission.close_every_span(ending.state.name)
        mission.state, mission.reason, mission.step = ending.state, ending.reason, "ended"
        mission.evidence = mission.evidence.with_conclusion(ending.evidence)
        mission.publish()
        mission.emit(c.ClearDeadline(call_id=mission.id))
        mission.emit(c.EndMission(mission_id=mission.id, state=ending.state, reason=ending.reason))
        self._outbox.extend(mission.drain())
        self._last, self._floor = mission.report(), mission.floor
        self.mission, self._run, self._wait = None, None, Wait("")
        self._residency.begin(mission.residency, mission.palette, self._now)
        if (queued_goal := self._queue.next()) is not None:
            self._start(queued_goal)

    def _drain(self) -> tuple[Command, ...]:
        if self.mission is not None:
            self._outbox.extend(self.mission.drain())
        batch, self._outbox = (*self._outbox, *self._residency.drain()), []
        return batch


def handle_safely(core: Core, event: Event, now: float, log: Callable[[str], None]) -> tuple[Command, ...]:
    """Process one event; if the core raises, end its mission as FAILED."""
    try:
        return core.handle(event, now)
    except Exception as error:
        log(f"the mission core raised an exception on {event.kind}:\n{traceback.format_exc()}")
        return core.abort(f"internal error on {event.kind}: {type(error).__name__}: {error}"[:500])
