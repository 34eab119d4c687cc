"""The active world: pose of the robot, visible and held objects, and what is not kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import TransformStamped
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection3DArray

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import Presence
from openral_msgs.msg import FailureTrigger, SkillCatalogue, WorldState
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.stamps import seconds, stamp_of
from openral_ros.qos import LATCHED, RELIABLE
from openral_world_state.ros import active_world, inputs
from openral_world_state.ros.inputs import FramePoses


class Told:
    """The last messages of one topic."""

    def __init__(self, graph: Any, kind: type, topic: str) -> None:
        self.all: list[Any] = []
        graph.robot.create_subscription(kind, topic, self.all.append, RELIABLE)

    @property
    def last(self) -> Any:
        return self.all[-1] if self.all else None


def moves(graph: Any, stamp: float, x: float = 2.0, child: str = "base_link") -> None:
    """The robot's own transform, as odometry tells it."""
    if not hasattr(graph.robot, "moving"):
        graph.robot.moving = graph.robot.create_publisher(TFMessage, "tf", 100)
        graph.until(lambda: graph.robot.moving.get_subscription_count() > 0)
    there = TransformStamped(child_frame_id=child, transform=transform_message(Pose((x, 3.0, 0.9))))
    there.header.frame_id, there.header.stamp = "map", stamp_of(stamp)
    graph.robot.moving.publish(TFMessage(transforms=[there]))


def test_without_a_transform_the_robot_is_nowhere(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    reported = Told(graph, WorldState, "openral/world_state")
    graph.activate()
    graph.until(lambda: len(reported.all) > 2)
    assert not reported.last.robot_pose_known


def test_where_the_robot_is_needs_no_box(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    reported = Told(graph, WorldState, "openral/world_state")
    graph.activate()
    for step in range(60):
        moves(graph, 100.0 + step, 2.0 + 0.01 * step)
    graph.until(lambda: reported.last is not None and reported.last.robot_pose.position.x > 2.58)
    assert reported.last.robot_pose_known
    assert reported.last.robot_room == "kitchen"


def test_where_the_robot_was_long_ago_is_not_where_it_is(
    make_graph: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make_graph()
    reported = Told(graph, WorldState, "openral/world_state")
    graph.activate()
    moves(graph, 100.0)
    graph.until(lambda: reported.last is not None and reported.last.robot_pose_known)
    monkeypatch.setattr(inputs, "MAX_TRANSFORM_AGE", 0.2)
    graph.until(lambda: not reported.last.robot_pose_known)
    moves(graph, 101.0)
    graph.until(lambda: reported.last.robot_pose_known)
    moves(graph, 1.0)  # time began anew
    graph.until(lambda: reported.last.robot_pose_known)


def test_what_is_grasped_is_carried_without_a_stream_of_boxes(make_graph: Callable[..., Any]) -> None:
    graph = make_graph(gripper_frame="gripper")
    graph.activate()
    graph.look(graph.kitchen())
    world = graph.node._active_world.world
    graph.robot.skills.publish(SkillCatalogue(holding="bread"))
    graph.spin(0.3)
    assert world.held_object.held == ""  # the pose of the gripper is still unknown
    for step in range(30):
        moves(graph, 50.0 + step, 2.3, "gripper")
    graph.until(lambda: world.held_object.held != "")
    name = world.held_object.held
    for step in range(30):
        moves(graph, 80.0 + step, 2.0, "gripper")
    graph.until(lambda: world.memory.get(name).pose.position == (2.0, 3.0, 0.9))


def test_boxes_of_a_detector_that_went_silent_are_not_told_any_more(
    make_graph: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make_graph()
    reported, seen = (
        Told(graph, WorldState, "openral/world_state"),
        Told(graph, Detection3DArray, "openral/world_state/objects"),
    )
    graph.activate()
    graph.until(lambda: graph.node._active_world._publishers._objects.get_subscription_count() > 0)
    graph.look(graph.kitchen())
    graph.until(lambda: reported.last is not None and len(reported.last.detected_objects.detections) == 3)
    boxes = reported.last.detected_objects
    graph.until(lambda: seen.last is not None)
    stamps = {
        seconds(item.header.stamp) for item in (boxes, *boxes.detections, seen.last, *seen.last.detections)
    }
    assert stamps == {10.0}
    monkeypatch.setattr(active_world, "MAX_FRAME_AGE", 0.1)
    graph.until(lambda: not reported.last.detected_objects.detections)


def test_memory_on_a_full_disk_is_told_once_and_goes_on(
    make_graph: Callable[..., Any], tmp_path: Path
) -> None:
    path = str(tmp_path / "memory.sqlite")
    graph = make_graph(spatial_memory_path=path)
    failures = Told(graph, FailureTrigger, "openral/failure/world_state")
    health = Told(graph, DiagnosticArray, "/diagnostics")
    graph.activate()
    graph.until(lambda: graph.node._failures._publisher.get_subscription_count() > 0)
    world = graph.node._active_world.world
    connection = world.memory._store._connection
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    world.memory.put_fact("ballast", "x" * 100_000)
    graph.look(graph.kitchen())
    graph.until(lambda: bool(failures.all))
    before = len(health.all)
    graph.until(lambda: len(health.all) > before + 5)
    assert [failure.kind for failure in failures.all] == ["memory_not_written"]
    assert "full" in failures.last.message
    assert health.last.status[0].level == DiagnosticStatus.ERROR
    assert graph.recall("bread").matches
    connection.execute("PRAGMA max_page_count = 1000000")
    graph.until(lambda: health.last.status[0].level == DiagnosticStatus.OK)
    graph.close()
    again = make_graph(spatial_memory_path=path)
    again.activate()
    assert again.recall("bread").matches


def test_a_memory_that_is_kept_over_two_simulations_forgets_what_was_taken_away(
    make_graph: Callable[..., Any], tmp_path: Path
) -> None:
    path = str(tmp_path / "memory.sqlite")
    first = make_graph(spatial_memory_path=path)
    first.activate()
    first.look(first.kitchen(500.0))
    first.close()
    graph = make_graph(spatial_memory_path=path)
    graph.activate()
    gone = graph.recall("bread").matches[0].node_id
    graph.until(lambda: graph.node._active_world.world.vocabularies._labels != {})
    for look in range(10):
        empty = graph.kitchen(1.0 + 0.5 * look, without=("baguette",))
        graph.robot.show(empty)
        graph.robot.objects.publish(graph.robot.seen(empty, {"left": "mug", "right": "mug"}))
        graph.spin(0.15)
    memory = graph.node._active_world.world.memory
    graph.until(lambda: memory.get(gone).presence is Presence.GONE)
    assert not graph.recall("bread").matches
    assert np.isfinite([record.last_seen for record in memory]).all()


def test_frames_that_never_were_are_not_known() -> None:
    class Nothing:
        def newest(self, target: str, source: str) -> float:
            return float("inf")

        def lookup(self, target: str, source: str, stamp: float) -> np.ndarray:
            return np.full((4, 4), np.nan)

    assert FramePoses(Nothing(), "map").pose("base_link") is None


def test_a_home_that_the_mapper_found_is_taken_over_and_nonsense_is_counted(
    make_graph: Callable[..., Any],
) -> None:
    graph = make_graph(map="", perceived_home=True)
    told = graph.robot.create_publisher(String, "home_map", LATCHED)
    diagnostics = Told(graph, DiagnosticArray, "/diagnostics")
    graph.activate()
    told.publish(String(data="{}"))
    graph.until(lambda: diagnostics.last is not None and "InvalidHomeMap" in str(diagnostics.last))
    home = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
    told.publish(String(data=home.model_dump_json()))
    rooms = {room.id for room in home.rooms}
    graph.until(lambda: bool(graph.robot.graphs) and rooms <= {n.id for n in graph.robot.graphs[-1].nodes})
