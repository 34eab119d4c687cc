"""Whatever is published, the reasoner lives and brings the baguette."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticStatus
from oddities import besiege, interrogate
from rclpy.node import Node

from openral_msgs.msg import MissionStatus
from openral_ros.emergency_stop import STOP_STATE
from openral_ros.qos import LATCHED

SpinUntil = Callable[..., None]
pytestmark = [pytest.mark.usefixtures("callback_errors"), pytest.mark.timeout(300)]


def test_the_reasoner_works_after_every_odd_message_and_request(
    ros_context: Any, graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    reasoner, stranger = make_reasoner(), Node("stranger", context=ros_context)
    nodes = [graph, operator, reasoner, stranger]

    def until(condition: Callable[[], object]) -> None:
        spin_until(nodes, condition, 30.0)

    until(lambda: "locate_in_view" in "".join(operator.palettes[-1:]))
    topics = besiege(reasoner, stranger, until)
    assert {"/openral/skills", "/openral/scene_graph", "/openral/world_state"} <= set(topics)
    assert any(topic.endswith("/info") for topic in topics)
    interrogate(reasoner.services, stranger, until)
    released = stranger.create_publisher(DiagnosticStatus, STOP_STATE, LATCHED)
    until(lambda: released.get_subscription_count() > 0)
    released.publish(DiagnosticStatus(level=DiagnosticStatus.OK, name="emergency_stop"))
    graph.announce_locator()
    until(lambda: "sim-groundtruth-locator" in operator.palettes[-1])
    operator.statuses.clear()
    operator.say("bring me the baguette")
    until(lambda: operator.ended and "baguette" in operator.statuses[-1].goal)
    assert operator.statuses[-1].state == MissionStatus.STATE_SUCCEEDED, operator.statuses[-1].reason
    stranger.destroy_node()
