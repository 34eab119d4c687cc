"""Depth images are received while a detector may need them."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_core.detectors import LifecycleState
from openral_msgs.msg import DetectorInfo
from openral_world_state.ros import depth_subscription
from openral_world_state.ros.depth_subscription import LINGER, DepthDemand

ACTIVE, INACTIVE, UNKNOWN = LifecycleState.ACTIVE, LifecycleState.INACTIVE, LifecycleState.UNKNOWN


def test_depth_is_needed_while_no_detector_is_known() -> None:
    assert DepthDemand().is_needed(1e9)


def test_depth_is_needed_until_a_while_after_the_last_detector_became_inactive() -> None:
    demand = DepthDemand().reported("one", ACTIVE, 0.0).reported("two", INACTIVE, 0.0)
    assert demand.is_needed(1e9)
    demand = demand.reported("one", INACTIVE, 10.0)
    for now in (10.5, 11.0, 11.5):  # the state is repeated
        demand = demand.reported("two", INACTIVE, now)
    assert demand.is_needed(10.0 + LINGER - 0.1)
    assert not demand.is_needed(10.0 + LINGER)


@pytest.mark.parametrize("state", [ACTIVE, UNKNOWN, 13, 200])
def test_depth_is_needed_as_soon_as_a_detector_may_detect(state: int) -> None:
    asleep = DepthDemand().reported("one", INACTIVE, 0.0)
    assert not asleep.is_needed(60.0)
    assert asleep.reported("one", state, 60.0).is_needed(1e9)


def test_detections_of_an_unknown_node_need_depth_for_a_while() -> None:
    demand = DepthDemand().reported("one", INACTIVE, 0.0).used(60.0)
    assert demand.is_needed(60.0 + LINGER / 2)
    assert not demand.reported("one", INACTIVE, 61.0).is_needed(60.0 + LINGER)


def test_the_node_receives_no_depth_while_its_detector_is_inactive(
    make_graph: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(depth_subscription, "LINGER", 0.0)
    graph = make_graph()
    graph.activate()
    robot, shot = graph.robot, graph.kitchen()

    def report(state: LifecycleState) -> None:
        robot.told.publish(DetectorInfo(id="sim-groundtruth", slug="sim_groundtruth", lifecycle_state=state))

    graph.look(shot)
    report(INACTIVE)
    graph.until(lambda: robot.depth.get_subscription_count() == 0)
    assert robot.info.get_subscription_count() == 0
    cameras = graph.node._active_world.inputs.cameras
    assert not cameras[0]._images
    assert cameras[0].intrinsics is not None, "the field of view is drawn all the time"
    report(ACTIVE)
    graph.until(lambda: robot.depth.get_subscription_count() > 0)
    graph.look(graph.kitchen(stamp=20.0))
