"""Whatever is asked, bring-up lives and knows its nodes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticArray
from oddities import besiege, interrogate
from rclpy.node import Node

from openral_bringup.lifecycle_manager.node import BringupNode
from openral_ros.qos import RELIABLE

pytestmark = [pytest.mark.usefixtures("callback_errors"), pytest.mark.timeout(300)]


@pytest.fixture
def bringup(ros_domain: int) -> Iterator[BringupNode]:
    rclpy.init(args=["--ros-args", "-p", 'nodes:=["0:/sim"]', "-p", "poll:=0.1"])
    node = BringupNode()
    yield node
    node.close()
    node.destroy_node()
    rclpy.try_shutdown()


def test_bringup_reports_after_every_odd_message_and_request(
    bringup: BringupNode, spin_until: Callable[..., None]
) -> None:
    stranger, reported = Node("stranger"), list[Any]()

    def until(condition: Callable[[], object]) -> None:
        spin_until([bringup, stranger], condition, 10.0)

    besiege(bringup, stranger, until)
    interrogate(bringup.services, stranger, until)
    stranger.create_subscription(DiagnosticArray, "/diagnostics", reported.append, RELIABLE)
    until(lambda: any(status.name == "bringup: /sim" for item in reported for status in item.status))
    stranger.destroy_node()
