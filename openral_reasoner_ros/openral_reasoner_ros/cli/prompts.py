"""Prompts that are repeated until the reasoner acknowledges them."""

import time
import uuid

from std_msgs.msg import Header

from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_reasoner_ros.cli.sessions import NothingHeard, Session
from openral_reasoner_ros.names import PROMPT, RECEIPT
from openral_ros.qos import RECEIPTS, RELIABLE

REPEAT = 0.5
"""Time between two publications of an unacknowledged prompt [s]: a tenth of the default timeout."""


class NotAcknowledged(NothingHeard):
    """No receipt named the prompt in time."""

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(
            f"the reasoner has not acknowledged {text!r}, which it may or may not have heard,", seconds
        )


def deliver(opened: Session, timeout: float, **fields: str) -> PromptReceipt:
    """Publish a prompt as the operator, with one id, until a receipt names that id.

    Args:
        opened: The node that speaks.
        timeout: Longest wait [s].
        fields: Of the `PromptStamped`.

    Raises:
        NotAcknowledged: If there is no receipt within ``timeout``.
    """
    receipts: dict[str, PromptReceipt] = {}
    opened.node.create_subscription(
        PromptReceipt,
        RECEIPT,
        lambda receipt: receipts.setdefault(receipt.prompt_id, receipt),
        RECEIPTS,
    )
    publisher = opened.node.create_publisher(PromptStamped, PROMPT, RELIABLE)
    header = Header(stamp=opened.node.get_clock().now().to_msg(), frame_id="operator")
    prompt = PromptStamped(header=header, id=f"cli-{uuid.uuid4().hex}", **fields)
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        listeners = publisher.get_subscription_count()
        publisher.publish(prompt)

        def worth_a_look(before: int = listeners) -> bool:
            """Acknowledged, or a reader was discovered that has not got the last publication."""
            return prompt.id in receipts or publisher.get_subscription_count() > before

        opened.spin_until(worth_a_look, min(REPEAT, end - time.monotonic()))
        if prompt.id in receipts:
            return receipts[prompt.id]
    raise NotAcknowledged(prompt.text, timeout)
