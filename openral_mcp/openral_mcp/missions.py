"""Missions of a robot: prompts to its reasoner, and the state that the reasoner publishes.

A prompt is all that goes out. The reasoner decides within its palette, policy and budget.
"""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence

from openral_core.missions import is_final, state_name
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt
from openral_reasoner.behaviors.human import is_approval
from openral_reasoner_ros.attendance import attended_id
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_ros.node_thread import NodeThread
from openral_ros.prompt_client import RECEIPT_TIMEOUT, PromptClient
from openral_ros.tracing import current_traceparent

ReportProgress = Callable[[str], Awaitable[None]]
"""Receives what the mission is doing, on change."""
FOLLOW_PERIOD = 0.02
"""Time between two looks at a mission's status [s]."""


class MissionClient:
    """Sender of prompts; only a server with permission has one. Construct it before its thread runs."""

    def __init__(self, thread: NodeThread, monitor: MissionMonitor) -> None:
        self._thread, self._monitor = thread, monitor
        self._prompts = PromptClient(thread.scope, thread.node, "mcp")

    async def deliver(
        self,
        text: str,
        requester: str = "",
        in_reply_to: str = "",
        objects: Sequence[str] = (),
        *,
        attended: bool = False,
    ) -> PromptReceipt:
        """Publish a prompt until the reasoner acknowledges it; an ``attended`` mission ends with this node.

        Raises:
            NotAcknowledged: If there is no receipt in time.
        """
        trace = current_traceparent()
        prompt_id = attended_id(self._thread.node.get_name(), uuid.uuid4().hex) if attended else ""
        return await self._thread.call(
            lambda deliver: self._prompts.send(
                deliver,
                RECEIPT_TIMEOUT,
                prompt_id,
                text=text,
                requester=requester,
                in_reply_to=in_reply_to,
                objects=objects,
                traceparent=trace,
            ),
            RECEIPT_TIMEOUT,
        )

    async def stop(self) -> PromptReceipt:
        """Stop the robot: the running mission and all queued ones.

        Raises:
            NotAcknowledged: If the reasoner does not acknowledge in time.
        """
        return await self.deliver("stop")

    async def follow(
        self, mission_id: str, seconds: float, report: ReportProgress, answered: str = ""
    ) -> MissionStatus | None:
        """Wait until a mission ends or asks a question.

        Args:
            mission_id: Of the receipt.
            seconds: Longest wait [s]; the mission continues after it.
            report: Called on every change of the state or step.
            answered: Id of a question that no longer counts as open.

        Returns:
            The last status, None if there is none yet.

        Raises:
            MissionLost: If the reasoner falls silent.
        """
        end, reported = time.monotonic() + seconds, 0
        self._monitor.expect_status()
        while True:
            status = self._monitor.status(mission_id)
            for change in self._monitor.progress(mission_id, reported):
                reported = change.number
                await report(f"{state_name(change.state)}: {change.step}")
            if status is not None:
                question = self._monitor.open_question(status)
                if is_final(status.state) or (question is not None and question.id != answered):
                    return status
            if time.monotonic() > end:
                return status
            self._monitor.check_silence(mission_id)
            await asyncio.sleep(FOLLOW_PERIOD)


def is_for_operator(question: Handoff) -> bool:
    """Return True for a request to approve a movement, which only a person may grant."""
    return is_approval(question.question, tuple(question.choices))
