"""Client of a reasoner: delivers prompts and monitors missions. Used on the thread of its node."""

import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Header

from openral_core.errors import OpenRALError
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt, PromptStamped
from openral_reasoner_ros.topics import HANDOFF, MISSION, PROMPT, RECEIPT
from openral_ros.mission_calls import CallHistory
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope

Message = TypeVar("Message")
RECEIPT_TIMEOUT = 10.0
"""Longest time to repeat a prompt until it is acknowledged [s]; a reasoner answers within milliseconds."""
REPEAT_PERIOD = 0.5
"""Time between two publications of a prompt [s]: a twentieth of the timeout."""
CHECK_PERIOD = 0.05
"""Time between two checks of unacknowledged prompts [s]: a tenth of the repeat period."""
SILENCE_TIMEOUT = 20.0
"""Longest silence of a reasoner with a mission [s]; its `poll_period` is at most 5 s."""
SHUTTING_DOWN = "the reasoner is shutting down"
"""Begin of the reason of a mission that was cancelled because its reasoner ended, and not by a person."""
MAX_KEPT = 64
"""Missions and questions that are kept, and changes of one mission."""


class NotAcknowledged(OpenRALError):
    """No receipt of a prompt arrived in time."""

    condition = "NOT_ACKNOWLEDGED"
    exit_code = 4

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(
            f"the reasoner has not acknowledged {text!r} within {seconds:g} s (it may still have received "
            "it): check that the reasoner is active in this ROS_DOMAIN_ID and namespace"
        )


class MissionLost(OpenRALError):
    """The reasoner ended, or fell silent, before the mission ended."""

    condition = "MISSION_LOST"
    exit_code = 4

    def __init__(self, mission_id: str, why: str) -> None:
        super().__init__(
            f"mission {mission_id} is lost: {why}; unless a restarted reasoner continues it "
            "(`openral mission status`), send the goal again"
        )


@dataclass
class _Pending:
    """A prompt without a receipt."""

    prompt: PromptStamped
    seconds: float
    end: float
    on_done: Callable[[PromptReceipt | NotAcknowledged], object]
    repeat_at: float = 0.0
    subscribers: int = 0


class PromptClient:
    """Publishes prompts as the operator, each with the same id until a receipt names that id.

    A prompt is repeated every `REPEAT_PERIOD`, and at once for a new subscriber, which missed the last one.

    Args:
        scope: Owns the interfaces.
        node: Its executor calls back.
        name: Name of the client, the prefix of the ids of its prompts.
        namespace: Namespace of the reasoner; "" is that of the node.
        qos: Quality of service of the prompts.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, name: str, namespace: str = "", qos: QoSProfile = RELIABLE
    ) -> None:
        self._node, self._name = node, name
        self._pending: dict[str, _Pending] = {}
        prefix = f"{namespace.rstrip('/')}/" if namespace else ""
        self._prompts = scope.publisher(PromptStamped, f"{prefix}{PROMPT}", qos)
        scope.subscription(PromptReceipt, f"{prefix}{RECEIPT}", self._on_receipt, RECEIPTS)
        self._timer = scope.timer(CHECK_PERIOD, self._check, autostart=False)

    @property
    def unacknowledged(self) -> int:
        """Number of prompts that wait for a receipt."""
        return len(self._pending)

    def send(
        self,
        on_done: Callable[[PromptReceipt | NotAcknowledged], object],
        seconds: float = RECEIPT_TIMEOUT,
        prompt_id: str = "",
        **fields: str,
    ) -> None:
        """Publish a prompt until it is acknowledged.

        Args:
            on_done: Called once, with the receipt or the reason that there is none.
            seconds: Longest wait for the receipt [s].
            prompt_id: Id of the prompt, "" for a new one; a reasoner acts once on prompts of one id and text.
            fields: Fields of the `PromptStamped`.
        """
        header = Header(stamp=self._node.get_clock().now().to_msg(), frame_id="operator")
        name = prompt_id or f"{self._name}-{uuid.uuid4().hex}"
        prompt = PromptStamped(header=header, id=name, **fields)
        pending = _Pending(prompt, seconds, time.monotonic() + seconds, on_done)
        self._pending[prompt.id] = pending
        self._publish(pending)
        self._timer.reset()

    def withdraw(self, prompt_id: str) -> None:
        """No longer publish a prompt; its outcome is not reported."""
        self._pending.pop(prompt_id, None)

    def _publish(self, pending: _Pending) -> None:
        pending.repeat_at = time.monotonic() + REPEAT_PERIOD
        pending.subscribers = self._prompts.get_subscription_count()
        self._prompts.publish(pending.prompt)

    def _check(self) -> None:
        now, subscribers = time.monotonic(), self._prompts.get_subscription_count()
        for pending in tuple(self._pending.values()):
            if now >= pending.end:
                del self._pending[pending.prompt.id]
                pending.on_done(NotAcknowledged(pending.prompt.text, pending.seconds))
            elif now >= pending.repeat_at or subscribers > pending.subscribers:
                self._publish(pending)
        if not self._pending:
            self._timer.cancel()

    def _on_receipt(self, receipt: PromptReceipt) -> None:
        pending = self._pending.pop(receipt.prompt_id, None)
        if pending is not None:
            pending.on_done(receipt)


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

    def _keep(self, kept: "OrderedDict[str, Message]", key: str, message: Message) -> None:
        with self._lock:
            kept[key] = message
            kept.move_to_end(key)
            while len(kept) > MAX_KEPT:
                kept.popitem(last=False)
