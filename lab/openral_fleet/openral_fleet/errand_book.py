"""Book of the errands of a list: changes of their records, and the commands that follow from them."""

from typing import Any

from openral_fleet.events import AskHuman, Command, SendPrompt, StopRobot, WithdrawPrompt
from openral_fleet.records import Attempt, ErrandRecord, ErrandState, FleetState, Purpose
from openral_fleet.settings import (
    MAX_SENDS,
    PROMPT_LIFESPAN,
    REPEATS_FOR,
    RESEND_PERIOD,
    STOP_PERIOD,
    FleetSettings,
)
from openral_fleet.takeover import CHOICES, NextStep, Ruling, goal_of_check, question_of


class ErrandBook:
    """Records with the time of their changes, and an outbox of commands.

    Attributes:
        state: All that a restarted dispatcher must know.
        now: Time of the present event [s].
    """

    def __init__(self, settings: FleetSettings, state: FleetState) -> None:
        self.state, self.now = state, 0.0
        self._settings = settings
        self._prompts: dict[str, list[float]] = {}
        self._questions: set[str] = set()
        self._outbox: list[Command] = []
        self._stopped_at: dict[str, float] = {}

    def drain(self) -> tuple[Command, ...]:
        """Return the commands since the last call."""
        commands, self._outbox = tuple(self._outbox), []
        return commands

    def in_state(self, *states: ErrandState) -> list[ErrandRecord]:
        """Return the records in these states, in the order of the list."""
        return [record for record in self.state.records if record.state in states]

    def with_prompt(self, prompt_id: str) -> ErrandRecord | None:
        """Return the record of a present or past mission."""
        for record in self.state.records:
            missions = (*record.past, record.attempt) if record.attempt is not None else record.past
            if any(mission.prompt_id == prompt_id for mission in missions):
                return record
        return None

    def put(self, record: ErrandRecord, **changes: object) -> ErrandRecord:
        """Store a record with changes; a change of its state is timed."""
        changed = record.having(**changes)
        old = self.state.record(record.id)
        if old is not None and old.state is not changed.state:
            changed = changed.having(since=self.now)
        self.state = self.state.with_record(changed)
        return changed

    def end(self, record: ErrandRecord, state: ErrandState, reason: str, *evidence: str) -> None:
        """End an errand."""
        history = (*record.evidence, *evidence)
        self.put(record.without_attempt(question=""), state=state, reason=reason, evidence=history)

    def cancel(self, record: ErrandRecord, reason: str) -> None:
        """End an errand by a person's word, and stop the robot that has it."""
        self.withdraw(record)
        if record.attempt is not None:
            self.stop_robot(record.attempt.robot, reason)
        self.end(record, ErrandState.CANCELLED, reason)

    def send(self, record: ErrandRecord, attempt: Attempt) -> None:
        """Send the prompt of a mission, and extend its lease: a prompt that is repeated may start it."""
        limit = self._settings.mission_seconds + self._settings.lease_margin
        self.put(record, lease=self.now + REPEATS_FOR + PROMPT_LIFESPAN + limit)
        self._prompts.setdefault(attempt.prompt_id, []).append(self.now)
        is_check = attempt.purpose is Purpose.CHECK
        text = goal_of_check(record) if is_check else record.errand.goal
        names = (attempt.robot, attempt.session, attempt.prompt_id)
        self._outbox.append(SendPrompt(*names, text, record.errand.requester))

    def send_again_if_due(self, record: ErrandRecord, attempt: Attempt) -> None:
        """Send a prompt that has no receipt again, or for the first time in this process."""
        times = self._prompts.get(attempt.prompt_id, [])
        if not times or (len(times) < MAX_SENDS and self.now - times[-1] >= RESEND_PERIOD):
            self.send(record, attempt)

    def withdraw(self, record: ErrandRecord) -> None:
        """No longer repeat a prompt."""
        if record.attempt is not None:
            self._outbox.append(WithdrawPrompt(record.attempt.robot, record.attempt.prompt_id))

    def stop_robot(self, robot: str, reason: str) -> None:
        """Stop a robot, at most once per `STOP_PERIOD`."""
        if self.now - self._stopped_at.get(robot, -STOP_PERIOD) >= STOP_PERIOD:
            self._stopped_at[robot] = self.now
            self._outbox.append(StopRobot(robot, reason))

    def decide(self, record: ErrandRecord, judgement: Ruling, why: str) -> None:
        """Carry out a judgement about an errand that no robot has."""
        reason = f"{why}; {judgement.reason}"
        verdict = judgement.verdict
        if verdict is NextStep.DONE:
            self.end(record, ErrandState.DONE, reason, judgement.reason)
        elif verdict is NextStep.DROP:
            self.end(record, ErrandState.CANCELLED, reason)
        elif verdict is NextStep.ASK:
            self.ask(record, reason)
        elif verdict is NextStep.LOOK:
            self.put(record, state=ErrandState.UNKNOWN, looked=False, quiet_since=None, reason=reason)
        elif record.missions >= self._settings.max_missions:
            self.end(record, ErrandState.FAILED, f"broken off {record.missions} times; {reason}")
        else:
            self.put(record, state=ErrandState.QUEUED, quiet_since=None, question="", reason=reason)

    def ask(self, record: ErrandRecord, reason: str) -> None:
        """Ask a person if an errand was done."""
        question = f"fleet-{self.state.run}-{record.id}-asks-{record.missions}"
        changes: dict[str, Any] = {"question": question, "looked": False, "reason": reason}
        self.publish_question(self.put(record, state=ErrandState.ASKED, **changes))

    def publish_question(self, record: ErrandRecord) -> None:
        """Publish the question about an errand, once in this process."""
        if record.question in self._questions:
            return
        self._questions.add(record.question)
        attempts = tuple(f"{each.robot}: {each.purpose.value}" for each in record.past)
        text = question_of(record)
        self._outbox.append(AskHuman(record.question, record.id, record.errand.goal, text, CHOICES, attempts))
