"""Missions of a robot: prompts to its reasoner, and the state that the reasoner publishes.

A prompt is all that goes out. The reasoner decides within its palette, policy and budget.
"""

import asyncio
import time
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from threading import Lock
from typing import TypeVar

from std_msgs.msg import Header

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_mcp.graph_thread import GraphThread
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt, PromptStamped
from openral_reasoner.behaviors.human import is_approval
from openral_reasoner_ros.topics import HANDOFF, MISSION, PROMPT, RECEIPT
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE
from openral_ros.tracing import current_traceparent

Message = TypeVar("Message")
Progress = Callable[[str], Awaitable[None]]
"""Receives what the mission is doing, on change."""
RECEIPT_TIMEOUT = 10.0
"""Longest time to repeat a prompt until it is acknowledged [s]; a reasoner answers within milliseconds."""
REPEAT_PERIOD = 0.5
"""Time between two publications of a prompt [s]: a twentieth of the timeout."""
FOLLOW_PERIOD = 0.1
"""Time between two looks at a mission's status [s]; the reasoner publishes changes at once."""
SILENCE_TIMEOUT = 20.0
"""Longest silence of a reasoner with a mission [s]; its `poll_period` is at most 5 s."""
MAX_KEPT = 64
"""Missions, receipts and questions that are kept."""


class PromptNotAcknowledged(OpenRALError):
    """No receipt of a prompt."""

    condition = "NOT_ACKNOWLEDGED"

    def __init__(self) -> None:
        super().__init__(
            f"the reasoner has not acknowledged the prompt within {RECEIPT_TIMEOUT:g} s (it may still have "
            "received it): check that the reasoner is active in this ROS domain and namespace"
        )


class MissionVanished(OpenRALError):
    """A mission whose reasoner fell silent."""

    condition = "MISSION_LOST"

    def __init__(self, mission_id: str) -> None:
        super().__init__(
            f"mission {mission_id!r} is lost: its reasoner has been silent for {SILENCE_TIMEOUT:g} s; "
            "missions are not resumed, so start it again"
        )


class MissionMonitor:
    """Latest status of each mission, receipts and open questions. Construct it before its thread runs."""

    def __init__(self, thread: GraphThread) -> None:
        scope, self._lock = thread.scope, Lock()
        self._statuses: OrderedDict[str, MissionStatus] = OrderedDict()
        self._receipts: OrderedDict[str, PromptReceipt] = OrderedDict()
        self._questions: OrderedDict[str, Handoff] = OrderedDict()
        self.last_status = time.monotonic()
        scope.subscription(MissionStatus, MISSION, self._on_status, LATCHED_HISTORY)
        scope.subscription(PromptReceipt, RECEIPT, self._on_receipt, RECEIPTS)
        scope.subscription(Handoff, HANDOFF, self._on_question, LATCHED)

    def status(self, mission_id: str = "") -> MissionStatus | None:
        """Return the latest status of a mission, "" of the mission that reported last."""
        with self._lock:
            if mission_id:
                return self._statuses.get(mission_id)
            return next(reversed(self._statuses.values()), None)

    def receipt(self, prompt_id: str) -> PromptReceipt | None:
        """Return the receipt of a prompt."""
        return self._receipts.get(prompt_id)

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

    def _on_status(self, message: MissionStatus) -> None:
        self.last_status = time.monotonic()
        self._keep(self._statuses, message.mission_id, message)

    def _on_receipt(self, message: PromptReceipt) -> None:
        self._keep(self._receipts, message.prompt_id, message)

    def _on_question(self, message: Handoff) -> None:
        self._keep(self._questions, message.id, message)

    def _keep(self, kept: "OrderedDict[str, Message]", key: str, message: Message) -> None:
        with self._lock:
            kept[key] = message
            kept.move_to_end(key)
            while len(kept) > MAX_KEPT:
                kept.popitem(last=False)


class MissionClient:
    """Sender of prompts; only a server with permission has one. Construct it before its thread runs."""

    def __init__(self, thread: GraphThread, monitor: MissionMonitor) -> None:
        self._thread, self._monitor = thread, monitor
        self._prompts = thread.scope.publisher(PromptStamped, PROMPT, RELIABLE)

    async def deliver(self, text: str, requester: str = "", in_reply_to: str = "") -> PromptReceipt:
        """Publish a prompt, always with the same id, until a receipt names that id.

        Raises:
            PromptNotAcknowledged: If there is none in time.
        """
        header = Header(stamp=self._thread.node.get_clock().now().to_msg(), frame_id="operator")
        prompt = PromptStamped(
            header=header,
            id=f"mcp-{uuid.uuid4().hex}",
            text=text,
            requester=requester,
            in_reply_to=in_reply_to,
            traceparent=current_traceparent(),
        )
        end = time.monotonic() + RECEIPT_TIMEOUT
        while (left := end - time.monotonic()) > 0.0:
            self._prompts.publish(prompt)
            if await self._thread.wait(
                lambda: bool(self._monitor.receipt(prompt.id)), min(REPEAT_PERIOD, left)
            ):
                break
        receipt = self._monitor.receipt(prompt.id)
        if receipt is None:
            raise PromptNotAcknowledged
        return receipt

    async def stop(self) -> PromptReceipt:
        """Stop the robot: the running mission and all queued ones.

        Raises:
            PromptNotAcknowledged: If the reasoner does not acknowledge in time.
        """
        return await self.deliver("stop")

    async def follow(
        self, mission_id: str, seconds: float, progress: Progress, answered: str = ""
    ) -> MissionStatus | None:
        """Wait until a mission ends or asks a question.

        Args:
            mission_id: Of the receipt.
            seconds: Longest wait [s]; the mission continues after it.
            progress: Called on every change of the state or step.
            answered: Id of a question that no longer counts as open.

        Returns:
            The last status, None if there is none yet.

        Raises:
            MissionVanished: If the reasoner falls silent.
        """
        end, told = time.monotonic() + seconds, ""
        self._monitor.last_status = time.monotonic()
        while True:
            status = self._monitor.status(mission_id)
            if status is not None:
                state = MissionState(status.state)
                if (doing := f"{state.name}: {status.step}") != told:
                    told = doing
                    await progress(doing)
                question = self._monitor.open_question(status)
                if state.ended or (question is not None and question.id != answered):
                    return status
            now = time.monotonic()
            if now > end:
                return status
            if now - self._monitor.last_status > SILENCE_TIMEOUT:
                raise MissionVanished(mission_id)
            await asyncio.sleep(FOLLOW_PERIOD)


def is_for_operator(question: Handoff) -> bool:
    """Return True for a request to approve a movement, which only a person may grant."""
    return is_approval(question.question, tuple(question.choices))
