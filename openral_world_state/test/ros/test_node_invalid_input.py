"""Invalid input of any kind is refused and counted, and the node goes on."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from sensor_msgs.msg import CameraInfo, RegionOfInterest

from openral_core.geometry import Pose
from openral_core.spatial_memory import ResolveQuery, ResolveStatus
from openral_msgs.msg import DetectorInfo, SkillCatalogue
from openral_msgs.srv import EditMemory, ObserveDetections, RecallObject, SaveSceneGraph
from openral_ros.conversions.images import image_message


def observe(graph: Any, shot: Any, camera: str = "", frame: str | None = None) -> ObserveDetections.Response:
    seen = graph.robot.seen(shot, graph.labels)
    if frame is not None:
        seen.header.frame_id = frame
    return graph.call(
        ObserveDetections,
        "observe",
        ObserveDetections.Request(detections=seen, camera=camera, detector="locator"),
    )


def told(graph: Any, shot: Any, **fields: object) -> CameraInfo:
    """The camera's info, but for some fields."""
    info = CameraInfo(width=640, height=480, k=shot.view.intrinsics.K.ravel().tolist(), **fields)
    info.header = graph.robot.header(shot.view.stamp)
    return info


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"distortion_model": "plumb_bob", "d": [0.1]}, "'plumb_bob' with 1 coefficients"),
        ({"distortion_model": "plumb_bob", "d": [0.1] * 9}, "'plumb_bob' with 9 coefficients"),
        ({"distortion_model": "kannala", "d": [0.1] * 4}, "'kannala' with 4 coefficients"),
        ({"distortion_model": "plumb_bob", "d": [math.nan] * 5}, "calibrate the camera"),
        ({"roi": RegionOfInterest(x_offset=600, width=100, height=480)}, "region of interest"),
        ({"binning_x": 10_000}, "calibrate the camera"),
    ],
)
def test_a_camera_that_cannot_be_used_is_told_and_others_go_on(
    make_graph: Callable[..., Any], fields: dict[str, object], words: str
) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    graph.look(shot)
    before = graph.objects()
    graph.robot.info.publish(told(graph, shot, **fields))
    graph.robot.objects.publish(graph.robot.seen(shot, graph.labels))
    refused = graph.node._active_world.inputs.refused
    graph.until(lambda: bool(refused))
    answer = observe(graph, shot)
    assert answer.status == ObserveDetections.Response.NO_FRAME
    assert words in answer.message
    assert graph.objects() == before
    graph.robot.info.publish(told(graph, shot))
    graph.look(shot)


def test_a_binned_camera_sees_things_where_they_are(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    graph.robot.show(shot)
    graph.robot.info.publish(told(graph, shot, binning_x=2, binning_y=2))
    graph.spin(0.3)
    seen = graph.robot.seen(shot, {"baguette": "bread"})
    box = seen.detections[0].bbox
    box.center.position.x, box.center.position.y = box.center.position.x / 2.0, box.center.position.y / 2.0
    box.size_x, box.size_y = box.size_x / 2.0, box.size_y / 2.0
    graph.call(ObserveDetections, "observe", ObserveDetections.Request(detections=seen, detector="locator"))
    at = graph.recall("bread").matches[0].pose.position
    assert math.dist((at.x, at.y, at.z), (2.3, 4.15, 0.93)) < 0.03


def test_depth_of_another_camera_is_refused_by_name(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    graph.robot.show(shot)
    graph.spin(0.2)
    graph.robot.depth.publish(image_message(shot.view.depth, "32FC1", shot.view.stamp, "head_depth_frame"))
    graph.spin(0.2)
    answer = observe(graph, shot)
    assert answer.status == ObserveDetections.Response.NO_FRAME
    assert "in frame 'head_depth_frame'" in answer.message
    assert "align depth to colour" in answer.message


def test_boxes_of_no_camera_are_refused_where_there_are_several(make_graph: Callable[..., Any]) -> None:
    graph = make_graph(cameras=["head", "wrist"])
    shot = graph.kitchen()
    graph.activate()
    graph.look(shot)
    before = graph.objects()
    seen = graph.robot.seen(shot, graph.labels)
    seen.header.frame_id = ""
    graph.robot.objects.publish(seen)
    refused = graph.node._active_world.inputs.refused
    graph.until(lambda: refused["UnknownCamera"] == 1)
    answer = observe(graph, shot, frame="")
    assert answer.status == ObserveDetections.Response.UNKNOWN_CAMERA
    assert "no camera or frame given; known cameras: 'head', 'wrist'" in answer.message
    assert graph.objects() == before


@pytest.mark.parametrize("holding", ["?", "x" * 10_000, "\x07"], ids=["mark", "long", "control"])
def test_a_hand_that_holds_nothing_readable_is_counted(make_graph: Callable[..., Any], holding: str) -> None:
    graph = make_graph(gripper_frame="base_link")
    graph.activate()
    graph.look(graph.kitchen())
    graph.robot.skills.publish(SkillCatalogue(holding=holding))
    refused = graph.node._active_world.inputs.refused
    graph.until(lambda: refused["UnreadableText"] == 1)
    assert graph.recall("bread").status == RecallObject.Response.FOUND


@pytest.mark.parametrize("x", [1e308, -1e308, 1e7, math.inf, math.nan])
def test_nothing_is_moved_out_of_every_map(make_graph: Callable[..., Any], x: float) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(graph.kitchen())
    name = graph.recall("bread").matches[0].node_id
    request = EditMemory.Request(operation=EditMemory.Request.MOVE, node_id=name)
    request.position.x = x
    answer = graph.call(EditMemory, "edit_memory", request)
    assert answer.status == EditMemory.Response.BAD_POSITION
    assert graph.recall("bread").matches[0].pose.position.x == pytest.approx(2.3, abs=0.05)


def test_a_message_of_a_hundred_thousand_detections_is_not_even_read(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    graph.look(shot)
    seen = graph.robot.seen(shot, {"baguette": "bread"})
    seen.detections = list(seen.detections) * 100_000
    graph.robot.objects.publish(seen)
    refused = graph.node._active_world.inputs.refused
    graph.until(lambda: refused["MessageTooLarge"] == 1, 60.0)
    assert len(graph.node._active_world.world.memory) == 3


def test_no_more_detectors_are_heard_than_a_robot_has(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.activate()
    feeds = graph.node._active_world._subscriptions
    for number in range(200):
        feeds._subscribe(f"/openral/perception/detector_{number}")
    assert len(feeds._subscribed) == 64
    assert graph.node._active_world.inputs.refused["TooManyDetectors"] >= 136


def test_what_a_detector_says_of_itself_is_bounded_and_its_own(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.activate()
    session = graph.node._active_world.inputs
    graph.robot.told.publish(DetectorInfo(id="x" * 10_000, slug="other"))
    graph.until(lambda: session.refused["InvalidName"] == 1)
    labels = ["cup", "x" * 10_000] * 10_000
    graph.robot.told.publish(DetectorInfo(id="greedy", slug="other", labels=labels))
    graph.until(lambda: session._detector_ids.get("sim_groundtruth") == "greedy")
    assert "other" not in session._detector_ids
    assert len(session.world.vocabularies._labels["greedy"]) <= 5_000
    assert set(session.world.vocabularies._labels["greedy"]) == {"cup"}


def test_only_below_the_configured_folder_a_graph_is_written(
    make_graph: Callable[..., Any], tmp_path: Path
) -> None:
    theirs = tmp_path / "package.json"
    theirs.write_text("{}")
    (tmp_path / "saved").mkdir()
    graph = make_graph(save_folder=str(tmp_path / "saved"))
    graph.activate()
    for asked in (str(theirs), "../package.json"):
        answer = graph.call(SaveSceneGraph, "save_scene_graph", SaveSceneGraph.Request(path=asked))
        assert not answer.success
        assert answer.message.startswith("OutsideSaveFolder: ")
    assert theirs.read_text() == "{}"
    answer = graph.call(SaveSceneGraph, "save_scene_graph", SaveSceneGraph.Request(path="graph.json"))
    assert (answer.success, answer.path) == (True, str(tmp_path / "saved" / "graph.json"))


@pytest.mark.parametrize("x", [1e308, -1e12, math.nan])
def test_what_is_asked_of_nowhere_is_a_bad_query(make_graph: Callable[..., Any], x: float) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(graph.kitchen())
    near = RecallObject.Request(query="bread", has_near=True, radius=1.0)
    near.near.x = x
    assert graph.call(RecallObject, "recall_object", near).status == RecallObject.Response.BAD_QUERY
    answer = graph.node._active_world.world.resolve(ResolveQuery("fridge", start=(x, 0.0, 0.0)))
    assert answer.status is ResolveStatus.BAD_QUERY
    assert "not a position on the map" in answer.message


@pytest.mark.parametrize("x", [1e308, 1e9])
def test_a_robot_off_every_map_is_nowhere(make_graph: Callable[..., Any], x: float) -> None:
    graph = make_graph(patience=0.1)
    shot = graph.kitchen()
    graph.activate()
    graph.look(shot)
    far = shot.view.T_map_camera.copy()
    far[0, 3] = x
    graph.robot._place(far, Pose.planar(x, 0.0, 0.0))
    graph.until(lambda: graph.node._active_world.inputs.robot is None)
    graph.robot.objects.publish(graph.robot.seen(shot, graph.labels))
    refused = graph.node._active_world.inputs.refused
    graph.until(lambda: refused["InvalidGeometry"] > 0)
    assert graph.recall("bread").status == RecallObject.Response.FOUND


@pytest.mark.parametrize("field", ["query", "room"])
@pytest.mark.parametrize("text", ["\x07", "mug\x1b[2J", "\ud800", "?", "x" * 1000])
def test_an_unreadable_recall_is_a_bad_query(make_graph: Callable[..., Any], field: str, text: str) -> None:
    graph = make_graph()
    graph.activate()
    request = RecallObject.Request(query="mug")
    setattr(request, field, text.encode("utf-8", "replace").decode())
    answer = graph.call(RecallObject, "recall_object", request)
    assert answer.status == RecallObject.Response.BAD_QUERY
    assert "expected 1 to 200 characters" in answer.message
