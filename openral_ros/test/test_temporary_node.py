import pytest

pytest.importorskip("rclpy")
from std_msgs.msg import Empty

from openral_ros.qos import RELIABLE
from openral_ros.temporary_node import TemporaryNode


@pytest.mark.usefixtures("ros_domain")
def test_it_spins_until_a_condition_holds_or_its_time_is_up() -> None:
    with TemporaryNode("temporary", "/robot") as temporary:
        assert temporary.node.get_fully_qualified_name() == "/robot/temporary"
        received: list[Empty] = []
        temporary.scope.subscription(Empty, "signal", received.append, RELIABLE)
        assert not temporary.spin_until(lambda: received, 0.1)
        publisher = temporary.scope.publisher(Empty, "signal", RELIABLE)
        temporary.scope.timer(0.05, lambda: publisher.publish(Empty()))
        assert temporary.spin_until(lambda: received, 20.0)
