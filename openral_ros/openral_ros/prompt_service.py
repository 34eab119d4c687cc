"""Service that takes prompts of the operator and answers with the reasoner's receipt.

A skill server serves it: it hears stops itself on openral/prompt, so they count while the reasoner hangs.
Publishes openral/prompt until openral/prompt_receipt acknowledges it; serves openral/send_prompt.
"""

import time
import uuid
from functools import partial

from rclpy.node import Node
from rclpy.task import Future

from openral_core.missions import PromptOutcome
from openral_core.prompts import OPERATOR, STOP_SOURCES
from openral_core.text.stop_words import ends_motion
from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_msgs.srv import Prompt
from openral_ros.prompt_client import (
    PROMPT,
    RECEIPT,
    RECEIPT_TIMEOUT,
    Done,
    NotAcknowledged,
    PromptClient,
)
from openral_ros.qos import RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope

SEND_PROMPT = "openral/send_prompt"
STOP_TIMEOUT = 2.0
"""Longest wait for the reasoner's receipt of a stop [s], which the skill server has acted on by then."""
RELAY_TIME = 120.0
"""Longest time for which a stop is repeated for the reasoner [s]: several restarts on a loaded machine."""
RELAY_PERIOD = 0.5
"""Time between two repetitions [s]; a reasoner answers within milliseconds."""
MAX_PENDING = 64
"""Most prompts without a receipt; a further one is refused, unless it is a stop."""


class PromptService:
    """Sender of other processes' prompts: one that has discovered its peers, and stays."""

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._clock, self._client = node.get_clock(), PromptClient(scope, node, "service")
        scope.service(Prompt, SEND_PROMPT, self._on_request)

    def deliver(self, prompt: PromptStamped, on_done: Done) -> None:
        """Publish a prompt of the operator until it is acknowledged; a stop needs no receipt for long."""
        prompt.id = prompt.id or f"service-{uuid.uuid4().hex}"
        prompt.header.frame_id = OPERATOR
        if not (prompt.header.stamp.sec or prompt.header.stamp.nanosec):
            prompt.header.stamp = self._clock.now().to_msg()
        seconds = STOP_TIMEOUT if ends_motion(prompt.text) else RECEIPT_TIMEOUT
        self._client.deliver(prompt, on_done, seconds)

    async def _on_request(self, request: Prompt.Request, response: Prompt.Response) -> Prompt.Response:
        prompt, source = request.prompt, request.prompt.header.frame_id
        stops = ends_motion(prompt.text)
        if source not in STOP_SOURCES or (source != OPERATOR and prompt.in_reply_to and not stops):
            return _refuse(response, prompt, f"header.frame_id {source[:80]!r} is not 'operator'")
        if self._client.unacknowledged >= MAX_PENDING and not stops:
            why = f"the reasoner has not acknowledged {MAX_PENDING} earlier prompts"
            return _refuse(response, prompt, why)
        answered = Future()
        self.deliver(prompt, partial(_set_once, answered))
        outcome = await answered
        if isinstance(outcome, NotAcknowledged):
            refused = _refuse(response, prompt, str(outcome))
            if stops:
                refused.success, refused.receipt.outcome = True, int(PromptOutcome.STOPPED)
                refused.message = f"the skill server has stopped its goal; {outcome}"
                refused.receipt.message = refused.message
            return refused
        response.receipt, response.message = outcome, outcome.message
        response.success = outcome.outcome != PromptReceipt.OUTCOME_REFUSED
        return response


class StopRelay:
    """Repeats a stop for a reasoner that has not acknowledged it, such as one that is being restarted.

    Without it, a mission that is resumed would go on. It is silent while no reasoner is in the graph.
    """

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._node, self._receipts = node, node.resolve_topic_name(RECEIPT)
        self._id, self._stop = f"stop-{uuid.uuid4().hex}", PromptStamped()
        self._until = 0.0
        self._prompts = scope.publisher(PromptStamped, PROMPT, RELIABLE)
        scope.subscription(PromptReceipt, RECEIPT, self._on_receipt, RECEIPTS)
        self._timer = scope.timer(RELAY_PERIOD, self._repeat, autostart=False)

    def take(self, prompt: PromptStamped) -> bool:
        """Relay a stop until it is acknowledged; return False if it is the relayed one itself."""
        if prompt.id == self._id:
            return False
        self._stop = PromptStamped(header=prompt.header, id=self._id, text=prompt.text)
        self._until = time.monotonic() + RELAY_TIME
        self._timer.reset()
        return True

    def _on_receipt(self, receipt: PromptReceipt) -> None:
        if receipt.outcome == PromptReceipt.OUTCOME_STOPPED:
            self._timer.cancel()

    def _repeat(self) -> None:
        if time.monotonic() > self._until:
            self._timer.cancel()
        elif self._node.count_publishers(self._receipts):
            self._prompts.publish(self._stop)


def _refuse(response: Prompt.Response, prompt: PromptStamped, why: str) -> Prompt.Response:
    receipt = PromptReceipt(prompt_id=prompt.id[:200], outcome=int(PromptOutcome.REFUSED), message=why)
    response.success, response.message, response.receipt = False, why, receipt
    return response


def _set_once(answered: Future, outcome: PromptReceipt | NotAcknowledged) -> None:
    if not answered.done():
        answered.set_result(outcome)
