"""Client of a reasoner that repeats prompts until they are acknowledged; used on the thread of its node."""

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Header

from openral_core.errors import OpenRALError
from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_ros.qos import RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope

PROMPT, RECEIPT = "openral/prompt", "openral/prompt_receipt"
RECEIPT_TIMEOUT = 10.0
"""Longest time to repeat a prompt until it is acknowledged [s]; a reasoner answers within milliseconds."""
REPEAT_PERIOD = 0.5
"""Time between two publications of a prompt [s]: a twentieth of the timeout."""
CHECK_PERIOD = 0.05
"""Time between two checks of unacknowledged prompts [s]: a tenth of the repeat period."""


class NotAcknowledged(OpenRALError):
    """No receipt of a prompt arrived in time."""

    condition = "NOT_ACKNOWLEDGED"
    exit_code = 4

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(
            f"the reasoner has not acknowledged {text[:80]!r} within {seconds:g} s (it may still have "
            "received it): check that the reasoner is active in this ROS_DOMAIN_ID and namespace"
        )


Done = Callable[[PromptReceipt | NotAcknowledged], object]


@dataclass
class _Pending:
    """A prompt without a receipt."""

    prompt: PromptStamped
    seconds: float
    end: float
    on_done: list[Done]
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
        on_done: Done,
        seconds: float = RECEIPT_TIMEOUT,
        prompt_id: str = "",
        objects: Sequence[str] = (),
        **fields: str,
    ) -> None:
        """Publish a prompt until it is acknowledged.

        Args:
            on_done: Called once, with the receipt or the reason that there is none.
            seconds: Longest wait for the receipt [s].
            prompt_id: Id of the prompt, "" for a new one; a reasoner acts once on prompts of one id and text.
            objects: Ids of what "this" in the text means, in order.
            fields: Further fields of the `PromptStamped`.
        """
        header = Header(stamp=self._node.get_clock().now().to_msg(), frame_id="operator")
        name = prompt_id or f"{self._name}-{uuid.uuid4().hex}"
        prompt = PromptStamped(header=header, id=name, objects=list(objects), **fields)
        self.deliver(prompt, on_done, seconds)

    def deliver(self, prompt: PromptStamped, on_done: Done, seconds: float = RECEIPT_TIMEOUT) -> None:
        """Publish a prompt that has an id until it is acknowledged."""
        pending = _Pending(prompt, seconds, time.monotonic() + seconds, [on_done])
        if prompt.id in self._pending:  # of another sender, or repeated
            pending.on_done += self._pending[prompt.id].on_done
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
                self._end(pending.prompt.id, NotAcknowledged(pending.prompt.text, pending.seconds))
            elif now >= pending.repeat_at or subscribers > pending.subscribers:
                self._publish(pending)
        if not self._pending:
            self._timer.cancel()

    def _on_receipt(self, receipt: PromptReceipt) -> None:
        self._end(receipt.prompt_id, receipt)

    def _end(self, prompt_id: str, outcome: PromptReceipt | NotAcknowledged) -> None:
        pending = self._pending.pop(prompt_id, None)
        for on_done in pending.on_done if pending is not None else ():
            on_done(outcome)
