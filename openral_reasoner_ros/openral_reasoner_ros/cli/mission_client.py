"""Client of a running reasoner for one command: delivers prompts and follows a mission to its end."""

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
from openral_ros.qos import LATCHED_HISTORY, RECEIPTS, RELIABLE


class NoResponse(OpenRALError):
    """No message of the graph arrived in time."""

    exit_code = 4

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(
            f"{what} within {seconds:g} s: "
            "check that the reasoner is active in this ROS_DOMAIN_ID and namespace"
        )


class CliSession:
    """Node that is spun only while a condition is awaited."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor) -> None:
        self.node = node
        self._executor = executor

    def wait(self, condition: Callable[[], bool], seconds: float, problem: str) -> None:
        """Spin until the condition holds.

        Raises:
            NoResponse: Beginning with ``problem``, if it does not hold within ``seconds``.
        """
        if not self.spin_until(condition, seconds):
            raise NoResponse(problem, seconds)

    def spin_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Spin until the condition holds or ``seconds`` have passed; return whether it holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self._executor.spin_once(timeout_sec=0.05)
        return True


@contextmanager
def session(namespace: str) -> Iterator[CliSession]:
    """Provide a node for the duration of the block."""
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


STATUS_TIMEOUT = 20.0
"""Longest silence of a reasoner with a mission [s]; its `poll_period` is at most 5 s."""
PUBLISHER_TIMEOUT = 3.0
"""Absence of a publisher [s] that cannot be explained by discovery."""


class MissionLost(OpenRALError):
    """The reasoner ended before the mission did."""

    exit_code = 4

    def __init__(self, mission_id: str, why: str) -> None:
        super().__init__(
            f"mission {mission_id} is lost: {why}; missions are not resumed, so send the goal again"
        )


class MissionFollower:
    """Subscriber to mission status from its construction on, so that no end of a mission is missed."""

    def __init__(
        self,
        opened: CliSession,
        status_timeout: float = STATUS_TIMEOUT,
        publisher_timeout: float = PUBLISHER_TIMEOUT,
    ) -> None:
        self._opened = opened
        self._status_timeout, self._publisher_timeout = status_timeout, publisher_timeout
        self._statuses: dict[str, MissionStatus] = {}
        self._last_status = time.monotonic()
        opened.node.create_subscription(MissionStatus, MISSION, self._on_status, LATCHED_HISTORY)

    def wait_for_end(self, mission_id: str, log: Callable[[str], object]) -> MissionStatus:
        """Return the mission's final status.

        Args:
            mission_id: Of the receipt.
            log: Called with each question that the mission is waiting for.

        Raises:
            MissionLost: If the reasoner that accepted it has ended or fallen silent.
        """
        reasoners, logged, last_present = self._reasoners(), "", time.monotonic()
        self._last_status = time.monotonic()
        while True:
            last = self._statuses.get(mission_id)
            if last is not None and MissionState(last.state).ended:
                return last
            if (
                last is not None
                and last.state == MissionStatus.STATE_WAITING_FOR_HUMAN
                and last.reason != logged
            ):
                logged = last.reason
                log(f"waiting for a human: {logged}")
            now = time.monotonic()
            reasoners = reasoners or self._reasoners()
            last_present = now if not reasoners or reasoners & self._reasoners() else last_present
            if now - last_present > self._publisher_timeout:
                raise MissionLost(mission_id, "its reasoner has ended or was deactivated")
            if now - self._last_status > self._status_timeout:
                raise MissionLost(mission_id, f"its reasoner has been silent for {self._status_timeout:g} s")
            self._opened.spin_until(lambda: False, 0.1)

    def _on_status(self, message: MissionStatus) -> None:
        self._last_status = time.monotonic()
        self._statuses[message.mission_id] = message

    def _reasoners(self) -> set[tuple[int, ...]]:
        """Return the ids of the publishers of missions; a restarted reasoner has a new one."""
        publishers = self._opened.node.get_publishers_info_by_topic(MISSION)
        return {tuple(publisher.endpoint_gid) for publisher in publishers}


REPEAT_PERIOD = 0.5
"""Time between two publications of an unacknowledged prompt [s]: a twentieth of the default timeout."""


class NotAcknowledged(NoResponse):
    """No receipt of the prompt arrived in time."""

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(
            f"the reasoner has not acknowledged {text!r} (it may still have received it)", seconds
        )


def deliver(opened: CliSession, timeout: float, **fields: str) -> PromptReceipt:
    """Publish a prompt as the operator, always with the same id, until a receipt names that id.

    Args:
        opened: The session that publishes.
        timeout: Longest wait [s].
        fields: Fields of the `PromptStamped`.

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

        def acknowledged_or_new_subscriber(before: int = listeners) -> bool:
            """Return true for a new subscriber too: it missed the last publication."""
            return prompt.id in receipts or publisher.get_subscription_count() > before

        opened.spin_until(acknowledged_or_new_subscriber, min(REPEAT_PERIOD, end - time.monotonic()))
        if prompt.id in receipts:
            return receipts[prompt.id]
    raise NotAcknowledged(prompt.text, timeout)
