"""A short life on the graph for one command."""
# MERGED One mission followed to its end, which is certain to come.
# MERGED Prompts that are repeated until the reasoner acknowledges them.

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Header

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_msgs.msg import MissionStatus, PromptReceipt, PromptStamped
from openral_reasoner_ros.topics import MISSION, PROMPT, RECEIPT
from openral_ros.qos import ENDINGS, RECEIPTS, RELIABLE


class NothingHeard(OpenRALError):
    """The graph did not say in time what was waited for."""

    exit_code = 4

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(
            f"{what} within {seconds:g} s: is the reasoner active in this ROS_DOMAIN_ID and namespace?"
        )


class CliSession:
    """One node, spun only while something is waited for."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor) -> None:
        self.node = node
        self._executor = executor

    def wait(self, condition: Callable[[], bool], seconds: float, otherwise: str) -> None:
        """Until the condition holds.

        Raises:
            NothingHeard: If it does not within ``seconds``.
        """
        if not self.spin_until(condition, seconds):
            raise NothingHeard(otherwise, seconds)

    def spin_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Spin until the condition holds or ``seconds`` have passed; whether it holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self._executor.spin_once(timeout_sec=0.05)
        return True


@contextmanager
def session(namespace: str) -> Iterator[CliSession]:
    """A node for as long as the block lasts."""
    context = rclpy.context.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("openral_cli", namespace=namespace, context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield CliSession(node, executor)
    finally:
        executor.shutdown(timeout_sec=1.0)
        node.destroy_node()
        rclpy.try_shutdown(context=context)


SILENCE = 20.0
"""Longest silence of a reasoner with a mission [s]; its `poll_period` is at most 5 s."""
GONE = 3.0
"""A publisher that is missing for this long has not just been rediscovered [s]."""


class MissionLost(OpenRALError):
    """The reasoner ended before the mission did."""

    exit_code = 4

    def __init__(self, mission_id: str, why: str) -> None:
        super().__init__(
            f"mission {mission_id} is lost: {why}; a mission is not resumed, so give the goal again"
        )


class MissionFollower:
    """Hears every status from its construction on, so that no end is missed."""

    def __init__(self, opened: CliSession, silence: float = SILENCE, gone: float = GONE) -> None:
        self._opened, self._silence, self._gone = opened, silence, gone
        self._statuses: dict[str, MissionStatus] = {}
        self._heard = time.monotonic()
        opened.node.create_subscription(MissionStatus, MISSION, self._take, ENDINGS)

    def wait_for_end(self, mission_id: str, tell: Callable[[str], object]) -> MissionStatus:
        """The mission's last status.

        Args:
            mission_id: Of the receipt.
            tell: Called with each question that the mission waits for.

        Raises:
            MissionLost: If the reasoner that took it is gone or silent.
        """
        reasoners, told, present = self._reasoners(), "", time.monotonic()
        self._heard = time.monotonic()
        while True:
            last = self._statuses.get(mission_id)
            if last is not None and MissionState(last.state).ended:
                return last
            if (
                last is not None
                and last.state == MissionStatus.STATE_WAITING_FOR_HUMAN
                and last.reason != told
            ):
                told = last.reason
                tell(f"waits for a human: {told}")
            now = time.monotonic()
            reasoners = reasoners or self._reasoners()
            present = now if not reasoners or reasoners & self._reasoners() else present
            if now - present > self._gone:
                raise MissionLost(mission_id, "the reasoner that took it has ended or was deactivated")
            if now - self._heard > self._silence:
                raise MissionLost(mission_id, f"the reasoner has been silent for {self._silence:g} s")
            self._opened.spin_until(lambda: False, 0.1)

    def _take(self, message: MissionStatus) -> None:
        self._heard = time.monotonic()
        self._statuses[message.mission_id] = message

    def _reasoners(self) -> set[tuple[int, ...]]:
        """Identities of the publishers of missions; a restarted reasoner is another one."""
        found = self._opened.node.get_publishers_info_by_topic(MISSION)
        return {tuple(each.endpoint_gid) for each in found}


REPEAT = 0.5
"""Time between two publications of an unacknowledged prompt [s]: a tenth of the default timeout."""


class NotAcknowledged(NothingHeard):
    """No receipt named the prompt in time."""

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(
            f"the reasoner has not acknowledged {text!r}, which it may or may not have heard,", seconds
        )


def deliver(opened: CliSession, timeout: float, **fields: str) -> PromptReceipt:
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
