"""The dispatcher: events in, commands out, without clock, IO or randomness.

No errand is with two robots at a time. A robot that falls silent keeps its errand until its lease ends; then
what is known of its mission decides (`openral_fleet.takeover`). Write `state` to the disk before carrying
out the commands: a dispatcher that is made anew from it goes on.
"""

from collections.abc import Callable, Mapping
from typing import Any

from openral_core.missions import MissionState, PromptOutcome
from openral_fleet.auction import allocate, refusal
from openral_fleet.errand_book import ErrandBook
from openral_fleet.events import (
    Command,
    ErrandDropped,
    Event,
    HumanAnswered,
    MissionReported,
    PromptAnswered,
    RobotLost,
    RobotReported,
    StopHeard,
)
from openral_fleet.goal_traits import traits_of
from openral_fleet.records import Attempt, ErrandRecord, ErrandState, FleetState, Purpose
from openral_fleet.robot_views import RobotViews
from openral_fleet.robots import RobotState, bid
from openral_fleet.settings import LEASE_STEP, LOOK_SETTLES, REFUSAL_PAUSE, RESUMES_WITHIN, FleetSettings
from openral_fleet.takeover import Ruling, has_acted, judge_answer, judge_broken_off, judge_look, origin_of

_ENDS: Mapping[MissionState, ErrandState] = {
    MissionState.SUCCEEDED: ErrandState.DONE,
    MissionState.CLAIMED: ErrandState.CLAIMED,
    MissionState.FAILED: ErrandState.FAILED,
    MissionState.HANDED_OVER: ErrandState.HANDED_OVER,
    MissionState.CANCELLED: ErrandState.CANCELLED,
}
_ACCEPTED = (PromptOutcome.STARTED, PromptOutcome.QUEUED)


def renewed(lease: float, needed: float) -> float:
    """Return a lease that lasts as long as needed [s]; it changes seldom, since each change is written."""
    return lease if lease - 3 * LEASE_STEP <= needed <= lease else needed + LEASE_STEP


class Dispatcher:
    """Allocates the errands of one list, and follows them to their ends."""

    def __init__(self, settings: FleetSettings, state: FleetState) -> None:
        self.settings, self.robots = settings, RobotViews()
        self._book = ErrandBook(settings, state)
        self._handlers: Mapping[type, Callable[[Any], None]] = {
            RobotReported: lambda event: self.robots.report(event.robot, self._book.now),
            PromptAnswered: self._prompt_answered,
            MissionReported: self._mission_reported,
            StopHeard: self._stop,
            ErrandDropped: self._dropped,
            HumanAnswered: self._human_answered,
            RobotLost: self._robot_lost,
        }

    @property
    def state(self) -> FleetState:
        """All that a restarted dispatcher must know."""
        return self._book.state

    def handle(self, event: Event, now: float) -> tuple[Command, ...]:
        """Process one event and return its commands; ``now`` is steady time [s]."""
        self._book.now = max(self._book.now, now)
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)
        for record in self.state.records:
            if record.attempt is not None:
                self._follow(record, record.attempt)
        self._settle()
        self._end_hopeless()
        self._allocate_looks()
        self._allocate()
        return self._book.drain()

    # Allocation

    def _allocate(self) -> None:
        finished = {each.id for each in self._book.in_state(ErrandState.DONE)}
        queued = self._book.in_state(ErrandState.QUEUED)
        ready = [each for each in queued if finished.issuperset(each.errand.after)]
        for award in allocate(ready, self._idle()):
            for overtaken in filter(None, map(self.state.record, award.overtaken)):
                self._book.put(overtaken, overtaken=overtaken.overtaken + 1)
            record = self.state.record(award.errand)
            assert record is not None
            self._offer(record, self.robots.state(award.robot), Purpose.DO)

    def _allocate_looks(self) -> None:
        """Send a robot to look for each object of which nothing is known, the cheapest one first."""
        for record in self._book.in_state(ErrandState.UNKNOWN):
            idle = self._idle()
            if record.looked:
                continue
            if record.missions >= self.settings.max_missions:
                self._book.ask(record, f"{record.missions} missions ended without a result")
            elif idle:
                traits, last = traits_of(record.errand.goal), record.robot
                robot = min(idle, key=lambda each: (each.name == last, bid(traits, each), each.name))
                self._offer(record, robot, Purpose.CHECK)

    def _idle(self) -> list[RobotState]:
        held = {each.attempt.robot for each in self.state.records if each.attempt is not None}
        return [each for each in self.robots.idle(self._book.now) if each.name not in held]

    def _offer(self, record: ErrandRecord, robot: RobotState, purpose: Purpose) -> None:
        prompt_id = f"fleet-{self.state.run}-{record.id}-{record.missions + 1}"
        attempt = Attempt(robot=robot.name, session=robot.session, prompt_id=prompt_id, purpose=purpose)
        changes: dict[str, Any] = {"calls": ()} if purpose is Purpose.DO else {"checked_from": robot.clock}
        if purpose is Purpose.DO and not record.missions:
            changes["origin"], changes["kinds"] = origin_of(record.errand.goal, robot)
        changes |= {"quiet_since": None, "reason": f"offered to {robot.name}"}
        offered = self._book.put(record, state=ErrandState.OFFERED, attempt=attempt, **changes)
        self._book.send(offered, attempt)

    # What robots report

    def _prompt_answered(self, event: PromptAnswered) -> None:
        record = self._book.with_prompt(event.prompt_id)
        if record is None:
            return
        if record.attempt is None or record.attempt.prompt_id != event.prompt_id:
            if event.outcome in _ACCEPTED:
                self._book.stop_robot(event.robot, f"errand {record.id} is no longer its")
        elif record.state is not ErrandState.OFFERED:
            return
        elif event.outcome in _ACCEPTED:
            changes = {"mission_id": event.mission_id, "reason": event.message[:200]}
            self._book.put(record, state=ErrandState.ASSIGNED, **changes)
        elif event.outcome is PromptOutcome.REFUSED:
            self._refused(record, event)
        else:
            reason = f"{event.robot} took the goal as a stop or an answer: {event.message[:200]}"
            self._book.end(record, ErrandState.CANCELLED, reason)

    def _refused(self, record: ErrandRecord, event: PromptAnswered) -> None:
        """Return an errand to the queue: a refused goal was not begun."""
        self.robots.pause(event.robot, self._book.now + REFUSAL_PAUSE)
        state = ErrandState.UNKNOWN if record.is_check else ErrandState.QUEUED
        refused = (*record.refused, event.robot)
        reason = f"{event.robot} refused: {event.message[:200]}"
        self._book.put(record.without_attempt(), state=state, refused=refused, reason=reason)

    def _mission_reported(self, event: MissionReported) -> None:
        self.robots.note(event, self._book.now)
        record = self._book.with_prompt(event.prompt_id)
        if record is None:
            return
        attempt = record.attempt
        if attempt is None or attempt.prompt_id != event.prompt_id:
            self._reported_late(record, event)
        elif event.state.ended:
            self._mission_ended(record, event)
        elif event.state is not MissionState.IDLE:
            self._running(record, attempt, event)

    def _running(self, record: ErrandRecord, attempt: Attempt, event: MissionReported) -> None:
        session = self.robots.state(event.robot).session or attempt.session
        self._book.put(
            record,
            state=ErrandState.RUNNING,
            attempt=attempt.model_copy(update={"session": session}),
            mission_id=event.mission_id,
            lease=renewed(record.lease, self._book.now + event.seconds_left + self.settings.lease_margin),
            quiet_since=None,
            reason=f"{event.robot} has it" if event.state is MissionState.ACTIVE else event.reason[:200],
            calls=record.calls if record.is_check else event.calls,
        )

    def _reported_late(self, record: ErrandRecord, event: MissionReported) -> None:
        """Handle news of a mission that was given up: stop it if it runs, believe it if it succeeded."""
        if not event.state.ended and event.state is not MissionState.IDLE:
            self._book.stop_robot(event.robot, f"errand {record.id} is no longer its")
            return
        did = any(a.prompt_id == event.prompt_id and a.purpose is Purpose.DO for a in record.past)
        if did and event.state is MissionState.SUCCEEDED and not record.state.ended:
            if record.attempt is not None:
                self._book.withdraw(record)
                self._book.stop_robot(record.attempt.robot, f"{event.robot} has done errand {record.id}")
            reason = f"{event.robot} reported late: {event.reason}"
            self._book.end(record, ErrandState.DONE, reason, *event.evidence)

    def _mission_ended(self, record: ErrandRecord, event: MissionReported) -> None:
        if record.is_check:
            looked = {"looked": True, "reason": f"{event.robot} looked: {event.reason}"}
            self._book.put(record.without_attempt(), state=ErrandState.UNKNOWN, **looked)
        elif event.state is MissionState.CANCELLED and event.shutting_down:
            self._broken_off(record.having(calls=event.calls), f"{event.robot} was shut down")
        elif event.state is MissionState.FAILED and not has_acted(event.calls) and self._another(record):
            failed = (*record.failed, event.robot)
            reason = f"{event.robot} failed: {event.reason}"
            self._book.put(record.without_attempt(), state=ErrandState.QUEUED, failed=failed, reason=reason)
        else:
            reason = f"{event.robot}: {event.reason}"
            self._book.end(record, _ENDS[event.state], reason, *event.evidence)

    def _another(self, record: ErrandRecord) -> bool:
        """Return True if another robot that is present may do an errand."""
        others = (each for each in self.robots.present(self._book.now) if each.name != record.robot)
        return any(not refusal(record, each) for each in others)

    # Silence, leases and takeover

    def _follow(self, record: ErrandRecord, attempt: Attempt) -> None:
        """Follow an errand that a robot has: note its silence, and take it back when it must have ended."""
        now, view = self._book.now, self.robots.view(attempt.robot, self._book.now)
        if view.says_nothing_of(record):
            since = record.quiet_since if record.quiet_since is not None else now
            state = record.state if view.is_present else ErrandState.SUSPENDED
            record = self._book.put(record, quiet_since=since, state=state)
            presumed_off = 0.0 < self.settings.presumed_off <= now - since and not view.state.busy
            if view.is_free_since(since, RESUMES_WITHIN) if view.is_present else presumed_off:
                self._broken_off(record, f"{attempt.robot} no longer has it")
                return
        elif record.quiet_since is not None:
            back = ErrandState.ASSIGNED if record.state is ErrandState.SUSPENDED else record.state
            record = self._book.put(record, quiet_since=None, state=back)
        if now >= record.lease:
            self._broken_off(record.having(failed=(*record.failed, attempt.robot)), "its lease has ended")
        elif record.state is ErrandState.OFFERED and view.is_present and record.quiet_since is None:
            self._book.send_again_if_due(record, attempt)

    def _broken_off(self, record: ErrandRecord, why: str) -> None:
        """Take an errand from its robot, and decide by what is known of its mission."""
        self._book.withdraw(record)
        if record.is_check:
            self._book.put(record.without_attempt(), state=ErrandState.UNKNOWN, reason=why)
        else:
            self._book.decide(record.without_attempt(), judge_broken_off(record), why)

    def _settle(self) -> None:
        """Judge the looks that have settled, and ask again what an earlier process has asked."""
        for record in self._book.in_state(ErrandState.UNKNOWN):
            if record.looked and self._book.now - record.since >= LOOK_SETTLES:
                judgement = judge_look(record, self.robots.state(record.robot))
                self._book.decide(record.having(looked=False), judgement, "it was looked for")
        for record in self._book.in_state(ErrandState.ASKED):
            if self._book.now - record.since >= self.settings.answer:
                self._book.end(record, ErrandState.HANDED_OVER, f"{record.reason}; no answer")
            else:
                self._book.publish_question(record)

    # People

    def _human_answered(self, event: HumanAnswered) -> None:
        verdict = judge_answer(event.text)
        for record in self._book.in_state(ErrandState.ASKED):
            if record.question == event.question and verdict is not None:
                judgement = Ruling(verdict, f"the operator said {event.text[:80]!r}")
                self._book.decide(record, judgement, record.reason)

    def _dropped(self, event: ErrandDropped) -> None:
        record = self.state.record(event.errand)
        if record is not None and not record.state.ended:
            self._book.cancel(record, "the operator dropped it")

    def _stop(self, event: StopHeard) -> None:
        """Stop every robot and end every errand."""
        for name in self.robots.names:
            self._book.stop_robot(name, event.reason)
        for record in self.state.records:
            if not record.state.ended:
                self._book.cancel(record, f"stopped: {event.reason}")

    def _robot_lost(self, event: RobotLost) -> None:
        for record in self.state.records:
            if record.attempt is not None and record.attempt.robot == event.robot:
                self._book.stop_robot(event.robot, "the operator said that it is off")
                self._broken_off(record, f"the operator said that {event.robot} is off")

    # Errands that cannot begin

    def _end_hopeless(self) -> None:
        """End what is too late, or waits for an errand that was not done, or for a robot that is missing."""
        for record in self._book.in_state(ErrandState.QUEUED):
            self._end_if_blocked(record)
        is_alone = not self.robots.present(self._book.now)
        for record in self._book.in_state(ErrandState.UNKNOWN):
            if not record.looked and self._has_waited(record, is_alone):
                self._book.ask(record, f"{record.reason}; no robot can look")

    def _end_if_blocked(self, record: ErrandRecord) -> None:
        deadline, needed = record.errand.deadline, map(self.state.record, record.errand.after)
        missing = [each for each in needed if each is not None and each.state is not ErrandState.DONE]
        ended = next((each for each in missing if each.state.ended), None)
        reason = ""
        if ended is not None:
            reason = f"it needs {ended.id}, which ended {ended.state.value}"
        elif deadline and self._book.now - self.state.started > deadline:
            reason = f"not begun within its deadline of {deadline:g} s"
        elif not missing:
            refusals = [refusal(record, robot) for robot in self.robots.present(self._book.now)]
            reasons = "; ".join(filter(None, refusals)) or "no robot is present"
            if self._has_waited(record, all(refusals)):
                reason = f"no robot can do it: {reasons}"
        if reason:
            self._book.end(record, ErrandState.FAILED, reason)

    def _has_waited(self, record: ErrandRecord, is_without_robot: bool) -> bool:
        """Return True if an errand has been without a robot that can do it for longer than the patience."""
        since = record.quiet_since if record.quiet_since is not None else self._book.now
        changed = since if is_without_robot else None
        if changed != record.quiet_since:
            self._book.put(record, quiet_since=changed)
        return is_without_robot and self._book.now - since >= self.settings.patience
