"""Tools that ask the robot to act; a server has them only with permission.

Each of them publishes a prompt, as an operator does. The reasoner decides within its palette, policy and
budget, and asks for approval where it must.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context
from pydantic import AfterValidator, Field, FiniteFloat

from openral_core.errors import OpenRALError
from openral_core.missions import PromptOutcome
from openral_core.prompts import MAX_OBJECTS, PROMPT_CHARACTERS
from openral_mcp.missions import MissionClient, is_for_operator
from openral_mcp.reading_tools import OptionalWords, ReadingTools, Words, printable
from openral_mcp.replies import MissionReply, StopReply, mission_reply
from openral_msgs.msg import PromptReceipt
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_ros.prompt_client import NotAcknowledged

DEFAULT_WAIT, MAX_WAIT = 600.0, 3600.0
"""Longest wait for the end of a mission [s]: the default, and the most that a call may ask for."""
Goal = Annotated[str, Field(min_length=1, max_length=PROMPT_CHARACTERS), AfterValidator(printable)]
Wait = Annotated[
    FiniteFloat,
    Field(
        ge=0.0, le=MAX_WAIT, description="longest wait [s]; the mission continues after it; 0 returns at once"
    ),
]
_log = logging.getLogger(__name__)


class ActingTools:
    """The tools. A call that is cancelled while it waits stops the robot."""

    def __init__(self, missions: MissionClient, monitor: MissionMonitor, reading: ReadingTools) -> None:
        self._missions, self._monitor, self._reading = missions, monitor, reading
        self._running_calls = 0

    async def start_mission(
        self,
        goal: Annotated[Goal, Field(description="the goal in plain words, such as 'bring me the red mug'")],
        ctx: Context[Any, Any],
        requester: Annotated[
            OptionalWords, Field(description="id of the person that the goal is for; empty for the default")
        ] = "",
        objects: Annotated[
            tuple[Words, ...],
            Field(
                max_length=MAX_OBJECTS,
                description="ids of what 'this' in the goal means, in order, as recall_object gave them; the "
                "robot acts on these alone",
            ),
        ] = (),
        wait: Wait = DEFAULT_WAIT,
    ) -> MissionReply:
        """Ask the robot to pursue a goal, and wait until it succeeds, fails or asks a question.

        The robot decides by itself how, and may refuse. Progress is reported as notifications. Cancelling
        this call stops the robot. Only SUCCEEDED is proven by evidence; CLAIMED is not.
        """

        async def run() -> MissionReply:
            receipt = await self._missions.deliver(
                goal, requester=requester, objects=objects, attended=wait > 0.0
            )
            return await self._followed(receipt, wait, ctx)

        return await self._stopping_on_cancel(run)

    async def answer(
        self,
        question_id: Annotated[Words, Field(description="id of the open question")],
        text: Annotated[Goal, Field(description="the answer in plain words")],
        ctx: Context[Any, Any],
        wait: Wait = DEFAULT_WAIT,
    ) -> MissionReply:
        """Answer the open question of a mission, and wait until the mission ends or asks again.

        A request to approve a movement is refused here: only a person at the robot may grant it.
        """

        async def run() -> MissionReply:
            refusal = self._refusal(question_id)
            if refusal is not None:
                return refusal
            receipt = await self._missions.deliver(text, in_reply_to=question_id)
            return await self._followed(receipt, wait, ctx, question_id)

        return await self._stopping_on_cancel(run)

    async def stop(self) -> StopReply:
        """Stop the robot at once: the running mission and all queued ones, also those of others."""
        try:
            receipt = await self._missions.stop()
        except NotAcknowledged as error:
            return await self._reading.failure(StopReply, error)
        return StopReply(
            status=_outcome(receipt).name, message=receipt.message, mission_id=receipt.mission_id
        )

    async def stop_awaited(self) -> None:
        """Stop the robot if a call waits for a mission; for the end of the server."""
        if self._running_calls:
            await self._stop_or_log()

    async def _followed(
        self, receipt: PromptReceipt, wait: float, ctx: Context[Any, Any], answered: str = ""
    ) -> MissionReply:
        outcome = _outcome(receipt)
        if outcome in (PromptOutcome.REFUSED, PromptOutcome.STOPPED):
            return MissionReply(status=outcome.name, message=receipt.message, mission_id=receipt.mission_id)
        notifications = 0

        async def progress(doing: str) -> None:
            nonlocal notifications
            notifications += 1
            await ctx.report_progress(notifications, message=doing)

        status = await self._missions.follow(receipt.mission_id, wait, progress, answered)
        if status is None:
            return MissionReply(status=outcome.name, message=receipt.message, mission_id=receipt.mission_id)
        return mission_reply(status, self._reading.question(status), message=receipt.message)

    async def _stopping_on_cancel(self, run: Callable[[], Awaitable[MissionReply]]) -> MissionReply:
        self._running_calls += 1
        try:
            return await run()
        except (OpenRALError, ValueError) as error:
            return await self._reading.failure(MissionReply, error)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._stop_or_log()
            raise
        finally:
            self._running_calls -= 1

    async def _stop_or_log(self) -> None:
        try:
            receipt = await self._missions.stop()
        except OpenRALError as error:
            _log.error("The robot may still be moving: %s", error)
        else:
            _log.info("Stopped because the call was cancelled: %s", receipt.message)

    def _refusal(self, question_id: str) -> MissionReply | None:
        question = self._monitor.question(question_id)
        if question is None:
            return MissionReply(status="UNKNOWN_QUESTION", message=f"no question {question_id!r} was asked")
        if is_for_operator(question):
            why = "a request to approve a movement must be answered by a person, as the operator"
            return MissionReply(status="NEEDS_OPERATOR", message=why, mission_id=question.mission_id)
        return None


def _outcome(receipt: PromptReceipt) -> PromptOutcome:
    """Return the outcome; one unknown to this version counts as a refusal."""
    return PromptOutcome(receipt.outcome) if receipt.outcome in set(PromptOutcome) else PromptOutcome.REFUSED
