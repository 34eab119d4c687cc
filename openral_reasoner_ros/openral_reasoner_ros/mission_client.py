"""Client of a reasoner that monitors missions. Used on the thread of its node."""

import time
from collections import OrderedDict, deque
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from openral_core.errors import OpenRALError
from openral_msgs.msg import Handoff, MissionStatus
from openral_reasoner_ros.topics import HANDOFF, MISSION
from openral_ros.mission_calls import CallHistory
from openral_ros.qos import LATCHED, LATCHED_HISTORY
from openral_ros.resources import ResourceScope

Message = TypeVar("Message")
SILENCE_TIMEOUT = 20.0
"""Longest silence of a reasoner with a mission [s]; its `poll_period` is at most 5 s."""
SHUTTING_DOWN = "the reasoner is shutting down"
"""Begin of the reason of a mission that was cancelled because its reasoner ended, and not by a person."""
MAX_KEPT = 64
"""Missions and questions that are kept, and changes of one mission."""


class MissionLost(OpenRALError):
    """The reasoner ended, or fell silent, before the mission ended."""

    condition = "MISSION_LOST"
    exit_code = 4

    def __init__(self, mission_id: str, why: str) -> None:
        super().__init__(
            f"mission {mission_id} is lost: {why}; unless a restarted reasoner continues it "
            "(`openral mission status`), send the goal again"
        )


@dataclass(frozen=True)
class MissionProgress:
    """Change of a mission's state or step, numbered from 1."""

    number: int
    state: int = MissionStatus.STATE_IDLE
    step: str = ""


class MissionMonitor:
    """Latest status and progress of each mission, and the open questions, from its construction on."""

    def __init__(self, scope: ResourceScope) -> None:
        self._lock, self._calls = Lock(), CallHistory()
        self._statuses: OrderedDict[str, MissionStatus] = OrderedDict()
        self._progress: OrderedDict[str, deque[MissionProgress]] = OrderedDict()
        self._questions: OrderedDict[str, Handoff] = OrderedDict()
        self._last_status = time.monotonic()
        scope.subscription(MissionStatus, MISSION, self._on_status, LATCHED_HISTORY)
        scope.subscription(Handoff, HANDOFF, self._on_question, LATCHED)

    def status(self, mission_id: str = "") -> MissionStatus | None:
        """Return the latest status of a mission, "" of the mission that reported last."""
        with self._lock:
            if mission_id:
                return self._statuses.get(mission_id)
            return next(reversed(self._statuses.values()), None)

    def progress(self, mission_id: str, after: int = 0) -> tuple[MissionProgress, ...]:
        """Return the changes of a mission's state or step after the one with a number."""
        with self._lock:
            return tuple(item for item in self._progress.get(mission_id, ()) if item.number > after)

    def open_question(self, status: MissionStatus) -> Handoff | None:
        """Return the question that a mission waits for."""
        if status.state != MissionStatus.STATE_WAITING_FOR_HUMAN:
            return None
        with self._lock:
            questions = [q for q in self._questions.values() if q.mission_id == status.mission_id]
        return questions[-1] if questions else None

    def question(self, question_id: str) -> Handoff | None:
        """Return a question by its id."""
        return self._questions.get(question_id)

    def expect_status(self) -> None:
        """Count silence from now on, because the reasoner has just answered."""
        self._last_status = time.monotonic()

    def check_silence(self, mission_id: str) -> None:
        """Check that the reasoner of a mission reports.

        Raises:
            MissionLost: If it has been silent for too long.
        """
        if time.monotonic() - self._last_status > SILENCE_TIMEOUT:
            raise MissionLost(mission_id, f"its reasoner has been silent for {SILENCE_TIMEOUT:g} s")

    def _on_status(self, message: MissionStatus) -> None:
        self._last_status = time.monotonic()
        self._calls.complete(message)
        self._keep(self._statuses, message.mission_id, message)
        self._note_progress(message)

    def _note_progress(self, message: MissionStatus) -> None:
        changes = self._progress.get(message.mission_id) or deque(maxlen=MAX_KEPT)
        last = changes[-1] if changes else MissionProgress(0)
        if (message.state, message.step) != (last.state, last.step):
            with self._lock:
                changes.append(MissionProgress(last.number + 1, message.state, message.step))
        self._keep(self._progress, message.mission_id, changes)

    def _on_question(self, message: Handoff) -> None:
        self._keep(self._questions, message.id, message)

    def _keep(self, messages: "OrderedDict[str, Message]", key: str, message: Message) -> None:
        with self._lock:
            messages[key] = message
            messages.move_to_end(key)
            while len(messages) > MAX_KEPT:
                messages.popitem(last=False)
