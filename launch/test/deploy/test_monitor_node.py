"""Malformed messages of any node never end the monitor."""

from collections.abc import Callable

import pytest

pytest.importorskip("rclpy")
import rclpy
from rclpy.context import Context

from openral_bringup.deploy.monitor_node import MonitorNode
from openral_core.missions import MissionState
from openral_msgs.msg import MissionStatus
from openral_ros.qos import LATCHED


def test_a_state_of_a_newer_version_does_not_end_what_is_heard(
    ros_domain: int, ros_context: Context, spin_until: Callable[..., None]
) -> None:
    reasoner = rclpy.create_node("reasoner", context=ros_context)
    publisher = reasoner.create_publisher(MissionStatus, "openral/mission", LATCHED)
    observer = MonitorNode("", (), {}, ros_domain)
    try:
        spin_until(reasoner, lambda: publisher.get_subscription_count() > 0)
        for state in (int(MissionState.ACTIVE), 250, int(MissionState.SUCCEEDED)):
            publisher.publish(MissionStatus(mission_id="m", goal="find the mug", state=state))
            spin_until(reasoner, lambda: True)
        spin_until(reasoner, lambda: observer.snapshot.mission.state is MissionState.SUCCEEDED)
    finally:
        observer.close()
        reasoner.destroy_node()
