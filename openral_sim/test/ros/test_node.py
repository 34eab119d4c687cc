"""The node's lifecycle: refusals in words, time that does not jump, a broken loop that is told."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from lifecycle_msgs.msg import State
from rclpy.lifecycle import TransitionCallbackReturn
from rosgraph_msgs.msg import Clock

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus
from openral_msgs.msg import FailureTrigger, SkillCatalogue
from openral_ros.conversions.stamps import nanoseconds
from openral_ros.qos import LATCHED, RELIABLE
from openral_sim.ros.node import SimNode
from openral_sim.ros.state_publishers import TransformTopics

pytestmark = pytest.mark.xdist_group("sim_node")
SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


@pytest.fixture
def node(make_node: Callable[..., SimNode]) -> Iterator[SimNode]:
    """A node apart from the one of the other tests."""
    node = make_node(namespace="apart")
    yield node
    node.close()
    node.destroy_node()


def test_a_scene_that_is_not_there_refuses_to_configure(
    make_node: Callable[..., SimNode], capfd: pytest.CaptureFixture[str]
) -> None:
    node = make_node(scene="nowhere/home.yaml")
    assert node.trigger_configure() == FAILURE
    assert "nowhere/home.yaml" in capfd.readouterr().err
    node.destroy_node()


def test_without_a_drawing_platform_activation_is_refused_naming_what_to_install(
    node: SimNode, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert node.trigger_configure() == SUCCESS
    with monkeypatch.context() as patch:
        patch.delenv("MUJOCO_GL")
        assert node.trigger_activate() == FAILURE
    assert "apt-get install" in capfd.readouterr().err
    assert node.trigger_activate() == SUCCESS


def test_time_goes_on_where_it_stopped_and_inactive_goals_are_answered(bench: Any) -> None:
    times = bench.listen(Clock, "/clock", RELIABLE)
    bench.until(lambda: len(times) > 5)
    assert bench.node.trigger_deactivate() == SUCCESS
    result = bench.send("look-at", target=Pose((1.0, 4.2, 0.9))).result()
    assert result.status is SkillStatus.INACTIVE
    assert list(bench.hear(SkillCatalogue, "openral/skills", LATCHED).verbs) == []
    before = nanoseconds(times[-1].clock)
    times.clear()
    assert bench.node.trigger_activate() == SUCCESS
    bench.until(lambda: times)
    assert nanoseconds(times[0].clock) == before + 20_000_000


def test_deactivating_ends_the_goal_on_the_way(bench: Any) -> None:
    goal = bench.send("navigate", goal=Pose.planar(8.6, 0.8, 0.0))
    bench.until(lambda: goal.feedback)
    assert bench.node.trigger_deactivate() == SUCCESS
    assert goal.result().status is SkillStatus.INACTIVE
    assert bench.node.trigger_activate() == SUCCESS
    assert bench.send("look-at", target=Pose((1.0, 4.2, 0.9))).result().success


def test_a_loop_that_breaks_is_told_and_leaves_the_node_inactive_and_able_to_go_on(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = bench.listen(FailureTrigger, "openral/failure/skill_server", RELIABLE)
    bench.until(lambda: bench.node.count_subscribers("openral/failure/skill_server"))

    def break_down(topics: TransformTopics, time: float, stamp: float) -> None:
        raise ZeroDivisionError("gimbal")

    with monkeypatch.context() as patch:
        patch.setattr(TransformTopics, "publish", break_down)
        bench.until(lambda: heard)
    assert (heard[0].kind, heard[0].severity) == ("simulation_stopped", FailureTrigger.SEVERITY_FATAL)
    assert "gimbal" in heard[0].message
    bench.until(lambda: state_of(bench.node) == State.PRIMARY_STATE_INACTIVE)
    assert bench.node.trigger_activate() == SUCCESS


def test_cleaning_up_takes_every_topic_away_and_configuring_again_brings_each_once(node: SimNode) -> None:
    node.trigger_configure()
    node.trigger_cleanup()
    assert node.count_publishers("tf") == node.count_publishers("head/image_raw") == 0
    assert node.trigger_configure() == SUCCESS
    assert node.count_publishers("tf") == node.count_publishers("head/image_raw") == 1


def state_of(node: SimNode) -> int:
    return int(node._state_machine.current_state[0])
