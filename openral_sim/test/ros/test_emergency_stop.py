"""An emergency stop of the simulated robot, over the graph: halted, refused, released, kept."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
from nav_msgs.msg import Odometry
from std_msgs.msg import String
from std_srvs.srv import Trigger

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus
from openral_msgs.msg import FailureTrigger, SkillCatalogue
from openral_ros.qos import LATCHED, RELIABLE

pytestmark = pytest.mark.xdist_group("sim_node")
NEAR = Pose.planar(1.6, 2.0, 0.0)
FAR = Pose.planar(8.6, 0.8, 0.0)


def call(bench: Any, name: str) -> Trigger.Response:
    client = bench.client.create_client(Trigger, name)
    bench.until(client.service_is_ready)
    answer = bench.wait(client.call_async(Trigger.Request()))
    bench.client.destroy_client(client)
    return answer


def stop(bench: Any, reason: str) -> None:
    publisher = bench.client.create_publisher(String, "openral/stop", RELIABLE)
    bench.until(publisher.get_subscription_count)
    publisher.publish(String(data=reason))


def test_a_stop_ends_the_goal_halts_the_base_and_refuses_goals_until_the_release(bench: Any) -> None:
    failures = bench.listen(FailureTrigger, "openral/failure/skill_server", RELIABLE)
    driving = bench.send("navigate", goal=FAR)
    bench.until(lambda: any(told.stage == "driving" and told.progress > 0.02 for told in driving.feedback))
    stop(bench, "person on the floor")
    result = driving.result()
    assert result.status is SkillStatus.CANCELLED
    assert result.evidence == {"emergency_stop": "person on the floor"}
    assert "emergency stop: person on the floor; stopped while driving" in result.message
    halted = bench.hear(Odometry, "odom", RELIABLE)
    refused = bench.send("navigate", goal=NEAR).result()
    assert refused.status is SkillStatus.INACTIVE
    assert refused.evidence == {"emergency_stop": "person on the floor"}
    assert "openral release" in refused.message
    assert bench.hear(SkillCatalogue, "openral/skills", LATCHED).verbs == []
    later = bench.hear(Odometry, "odom", RELIABLE)
    for odometry in (halted, later):
        twist = odometry.twist.twist
        assert np.hypot(twist.linear.x, twist.linear.y) < 0.01
    moved = (later.pose.pose.position.x - halted.pose.pose.position.x,)
    assert np.abs(moved).max() < 1e-3
    bench.until(lambda: any(told.kind == "emergency_stop" for told in failures))
    assert call(bench, "openral/release").success
    assert bench.send("navigate", goal=NEAR).result().success


def test_a_deactivated_robot_is_still_stopped_when_it_is_active_again(bench: Any) -> None:
    assert call(bench, "openral/emergency_stop").success
    bench.node.trigger_deactivate()
    bench.node.trigger_activate()
    assert bench.send("navigate", goal=NEAR).result().status is SkillStatus.INACTIVE
    assert call(bench, "openral/release").success
    assert bench.send("navigate", goal=NEAR).result().success


def test_a_node_that_died_stopped_comes_back_stopped(
    sim_context: Any, make_node: Any, tmp_path: Path
) -> None:
    file = tmp_path / "stop.json"
    file.write_text('{"reason": "person on the floor", "since": 1.0}')
    node = make_node("/again", stop_file=str(file))
    node.trigger_configure()
    try:
        (state,) = [p for p in node.publishers if p.topic_name.endswith("/stop_state")]
        assert state.topic_name == "/again/openral/stop_state"
        assert "person on the floor" in file.read_text()
    finally:
        node.close()
        node.destroy_node()
