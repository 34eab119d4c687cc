"""The real node on real DDS: from boxes and depth images to answers."""

import copy
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openral_core.detectors import Box, Detection

rclpy = pytest.importorskip("rclpy")
from builtin_interfaces.msg import Time
from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray

from openral_core.geometry import Pose
from openral_core.spatial_memory import EditOperation, MemoryEdit, NodeKind
from openral_msgs.msg import ObjectState, PromptStamped, SceneNode, SkillCatalogue, StateReport
from openral_msgs.srv import EditMemory, ObserveDetections, RecallObject, ResolvePlace, SaveSceneGraph
from openral_ros.conversions.detections import detections_message
from openral_ros.stream_watchdog import UPDATE_PERIOD, StreamsLost, SuspensionPolicy
from openral_world_state.ros.live_cli import EditRefused, NoLiveMemory, export_live, live_edit, live_graph
from openral_world_state.scene_graph import read_graph


def test_tells_the_story_of_the_baguette(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    graph.look(shot)

    miss = graph.recall("baguette")
    assert miss.status == RecallObject.Response.NOT_IN_MEMORY
    assert not miss.matches
    assert (miss.near_misses[0].label, miss.near_misses[0].place) == ("bread", "kitchen_counter")

    asked = graph.robot.seen(shot, {"baguette": "baguette"})
    request = ObserveDetections.Request(detections=asked, camera="head", detector="sim-groundtruth-locator")
    seen = graph.call(ObserveDetections, "observe", request)
    assert seen.status == ObserveDetections.Response.REMEMBERED

    found = graph.recall("baguette")
    assert found.status == RecallObject.Response.FOUND
    match = found.matches[0]
    assert match.node_id == miss.near_misses[0].node_id
    assert np.allclose(
        (match.pose.position.x, match.pose.position.y, match.pose.position.z), (2.3, 4.15, 0.93), atol=0.02
    )
    assert match.viewpoint_known
    assert match.viewpoint.position.y < 3.6

    mugs = graph.recall("the mug")
    assert mugs.status == RecallObject.Response.AMBIGUOUS
    assert [item.label for item in mugs.matches] == ["mug", "mug"]


def test_resolves_the_requester_from_where_the_robot_stands(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(graph.kitchen())
    answer = graph.call(ResolvePlace, "resolve_place", ResolvePlace.Request(reference="me"))
    assert answer.status == ResolvePlace.Response.FOUND
    assert (answer.kind, answer.node_id) == ("agent", "requester")
    assert answer.path_length > 3.0


def test_answers_inactive_before_it_is_active(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.node.trigger_configure()
    assert graph.recall("mug").status == RecallObject.Response.INACTIVE


def test_ten_thousand_hostile_boxes_are_refused_by_name(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.activate()
    shot = graph.kitchen()
    graph.look(shot)
    hostile = [("", 20.0), ("mug\x1b[2J", 20.0), ("x" * 1_000, 20.0), ("mug", math.inf), ("mug", -5.0)]
    seen = graph.robot.seen(shot, dict.fromkeys(["left"], "mug"))
    found = [copy.deepcopy(seen.detections[0]) for _ in hostile]
    for detection, (label, size) in zip(found, hostile, strict=True):
        detection.results[0].hypothesis.class_id, detection.bbox.size_x = label, size
    seen.detections = found * 400
    for _ in range(5):
        graph.robot.objects.publish(seen)
    refused = graph.node._active_world.inputs.refused
    graph.until(lambda: refused["UnreadableText"] >= 400)
    assert refused["InvalidDetection"] >= 400
    assert len(graph.node._active_world.world.memory) == 3
    assert graph.recall("bread").status == RecallObject.Response.FOUND


def test_hostile_boxes_are_refused_and_the_node_lives(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    graph.look(shot)
    message = graph.robot.seen(shot, graph.labels)
    message.detections[0].bbox.size_x = float("nan")
    message.detections[1].results[0].hypothesis.class_id = "x" * 10_000
    message.detections[2].bbox.center.position.x = 1e6
    graph.robot.objects.publish(message)
    wrong = Detection2DArray(header=Header(frame_id="nowhere", stamp=Time(sec=10)))
    graph.robot.objects.publish(wrong)
    refused = graph.node._active_world.inputs.refused
    graph.until(
        lambda: {"InvalidDetection", "UnreadableText", "OutsideImage", "UnknownCamera"} <= set(refused)
    )
    assert graph.recall("bread").status == RecallObject.Response.FOUND


@pytest.mark.parametrize(
    ("camera", "stamp", "status", "words"),
    [
        ("tail", 10.0, ObserveDetections.Response.UNKNOWN_CAMERA, "known cameras: 'head'"),
        (
            "head",
            99.0,
            ObserveDetections.Response.NO_FRAME,
            "no depth image with intrinsics at 99.000 s",
        ),
    ],
)
def test_says_why_nothing_could_be_observed(
    make_graph: Callable[..., Any], camera: str, stamp: float, status: int, words: str
) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    graph.look(shot)
    seen = detections_message([Detection(Box(1, 1, 9, 9), "mug", 0.5)], graph.robot.header(stamp))
    answer = graph.call(
        ObserveDetections, "observe", ObserveDetections.Request(detections=seen, camera=camera)
    )
    assert answer.status == status
    assert words in answer.message


def test_memory_outlives_the_node(make_graph: Callable[..., Any], tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    first = make_graph(spatial_memory_path=path)
    first.activate()
    first.look(first.kitchen())
    first.close()
    second = make_graph(spatial_memory_path=path)
    second.activate()
    assert second.recall("bread").status == RecallObject.Response.FOUND


def test_what_the_gripper_holds_goes_with_it(make_graph: Callable[..., Any]) -> None:
    graph = make_graph(gripper_frame="base_link")
    graph.activate()
    graph.look(graph.kitchen())
    node = graph.recall("bread").matches[0].node_id
    graph.node._active_world.world.memory.get(node).pose = Pose((2.0, 3.2, 0.9))
    graph.robot.skills.publish(SkillCatalogue(holding="bread"))
    graph.until(lambda: graph.node._active_world.world.held_object.held == node)
    graph.robot.skills.publish(SkillCatalogue())
    graph.until(lambda: not graph.node._active_world.world.held_object.held)
    assert np.allclose(graph.node._active_world.world.memory.get(node).pose.position, (2.0, 3.0, 0.0))


def test_writes_the_graph_as_json(make_graph: Callable[..., Any], tmp_path: Path) -> None:
    graph = make_graph(save_folder=str(tmp_path))
    graph.activate()
    graph.look(graph.kitchen())
    path = tmp_path / "graph.json"
    answer = graph.call(SaveSceneGraph, "save_scene_graph", SaveSceneGraph.Request(path=str(path)))
    assert answer.success
    again = make_graph(map="", spatial_memory_path=str(path))
    again.node.trigger_configure()
    again.node.trigger_activate()
    assert len(again.node._active_world.world.memory) == 3


def test_an_operator_puts_memory_right_while_the_node_runs(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(graph.kitchen())
    name = graph.recall("bread").matches[0].node_id
    for request, status in (
        (EditMemory.Request(operation=EditMemory.Request.RENAME, node_id=name, label="baguette"), "EDITED"),
        (EditMemory.Request(operation=EditMemory.Request.FORGET, node_id="bred_99"), "UNKNOWN_OBJECT"),
        (EditMemory.Request(operation=77, node_id=name), "BAD_OPERATION"),
    ):
        answer = graph.call(EditMemory, "edit_memory", request)
        assert answer.status == getattr(EditMemory.Response, status), answer.message
        assert (name in answer.known) == (status == "UNKNOWN_OBJECT")
    assert graph.recall("baguette").status == RecallObject.Response.FOUND


def test_edits_are_refused_while_inactive(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.node.trigger_configure()
    answer = graph.call(EditMemory, "edit_memory", EditMemory.Request(node_id="mug_1"))
    assert answer.status == EditMemory.Response.INACTIVE


def test_the_command_line_speaks_to_the_running_node(make_graph: Callable[..., Any], tmp_path: Path) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(graph.kitchen())
    name = graph.recall("bread").matches[0].node_id
    with ThreadPoolExecutor(1) as aside:

        def meanwhile(call: Callable[..., Any], *arguments: object) -> Any:
            future = aside.submit(call, *arguments)
            graph.until(future.done, 20.0)
            return future.result()

        reported = meanwhile(live_graph, "/")
        assert name in {node.id for node in reported.of_kind(NodeKind.OBJECT)}
        meanwhile(export_live, tmp_path / "live.json", "/")
        assert read_graph(tmp_path / "live.json").nodes == reported.nodes
        moved = MemoryEdit(EditOperation.MOVE, name, position=(2.0, 4.2, 0.95))
        assert meanwhile(live_edit, "/", moved) == f"moved {name} to (2.00, 4.20, 0.95) m"
        with pytest.raises(EditRefused, match="UNKNOWN_OBJECT: unknown object 'unicorn_1'"):
            meanwhile(live_edit, "/", MemoryEdit(EditOperation.FORGET, "unicorn_1"))
    assert graph.recall("bread").matches[0].pose.position.y == 4.2


def test_without_a_node_the_live_command_says_where_it_looked(ros_domain: int) -> None:
    with pytest.raises(NoLiveMemory, match="no answer on /robot_7/openral/edit_memory"):
        live_edit("/robot_7", MemoryEdit(EditOperation.FORGET, "mug_1"), timeout=0.2)


def test_remembers_where_the_operator_stood_at_the_prompt(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(graph.kitchen())
    graph.until(lambda: graph.robot.prompts.get_subscription_count() > 0)
    standing = graph.node._active_world.world.agent_poses
    words = {"requester": "visitor", "text": "bring me the mug"}
    graph.robot.prompts.publish(
        PromptStamped(header=Header(frame_id="reasoner"), requester="nobody", text="?")
    )
    graph.robot.prompts.publish(PromptStamped(header=Header(frame_id="operator"), **words))
    graph.until(lambda: standing.last_pose_of("visitor") is not None)
    assert standing.last_pose_of("nobody") is None
    request = ResolvePlace.Request(reference="where I was standing", requester="visitor")
    answer = graph.call(ResolvePlace, "resolve_place", request)
    assert answer.status == ResolvePlace.Response.FOUND
    assert np.allclose((answer.goal_pose.position.x, answer.goal_pose.position.y), (2.0, 3.0), atol=1e-6)


def test_lives_through_stamps_from_the_future_and_a_clock_that_jumps_back(
    make_graph: Callable[..., Any],
) -> None:
    graph = make_graph(patience=0.1)
    graph.activate()
    graph.look(graph.kitchen(100.0))
    for stamp in (0.0, 2e9, 95.0):
        seen = detections_message([Detection(Box(1, 1, 9, 9), "mug", 0.5)], graph.robot.header(stamp))
        graph.robot.objects.publish(seen)
    refused = graph.node._active_world.inputs.refused
    graph.until(lambda: refused["NoDepthFrame"] == 3)
    graph.look(graph.kitchen(1.0))
    assert len(graph.node._active_world.inputs.cameras[0]._images) == graph.images
    assert len(graph.node._active_world.world.memory) == 3
    assert graph.recall("bread").status == RecallObject.Response.FOUND


def test_follows_the_doors_that_skills_move(make_graph: Callable[..., Any]) -> None:
    graph = make_graph()
    graph.activate()
    graph.until(lambda: graph.robot.states.get_subscription_count() > 0)
    for node_id in ("no such thing", "fridge"):
        opened = StateReport(node_id=node_id, name="opening", measured=1.0, unit="1", source=1)
        graph.robot.states.publish(opened)

    def told() -> dict[str, int]:
        return {node.id: node.opening for node in graph.robot.graphs[-1].nodes} if graph.robot.graphs else {}

    graph.until(lambda: told().get("fridge") == SceneNode.OPENING_OPEN)
    assert graph.node._active_world.inputs.refused["UnknownObject"] == 1


def test_follows_what_skills_switch_and_fill_and_what_the_operator_says(
    make_graph: Callable[..., Any],
) -> None:
    graph = make_graph()
    graph.activate()
    graph.until(lambda: graph.robot.states.get_subscription_count() > 0)
    graph.look(graph.kitchen(1.0))
    name = graph.recall("bread").matches[0].node_id
    there = graph.recall("bread").matches[0].pose
    switched = StateReport(node_id="floor_lamp", name="power", value="on", source=1)
    filled = StateReport(name="filling", value="full", source=1, position=there.position)
    filled.header.frame_id = "map"
    unknown = StateReport(node_id="no such lamp", name="power", value="off", source=1)
    nonsense = StateReport(node_id="floor_lamp", name="power", value="open", source=1)
    for message in (unknown, nonsense, switched, filled):
        graph.robot.states.publish(message)
    request = EditMemory.Request(operation=EditMemory.Request.STATE, node_id=name, label="dirty")
    assert graph.call(EditMemory, "edit_memory", request).status == EditMemory.Response.EDITED
    broken = EditMemory.Request(operation=EditMemory.Request.STATE, node_id=name, label="broken")
    assert graph.call(EditMemory, "edit_memory", broken).status == EditMemory.Response.BAD_STATE

    def told(node_id: str) -> dict[str, int]:
        nodes = graph.robot.graphs[-1].nodes if graph.robot.graphs else []
        return {s.value: s.source for node in nodes if node.id == node_id for s in node.states}

    graph.until(lambda: told("floor_lamp") == {"on": ObjectState.SOURCE_REPORTED})
    graph.until(lambda: told(name) == {"full": ObjectState.SOURCE_REPORTED, "dirty": ObjectState.SOURCE_TOLD})
    assert {state.value for state in graph.recall("bread").matches[0].states} == {"full", "dirty"}
    refused = graph.node._active_world.inputs.refused
    assert (refused["UnknownObject"], refused["InvalidStateReport"]) == (1, 1)
    (control,) = [n for n in graph.robot.graphs[-1].nodes if n.id == "floor_lamp_switch"]
    assert control.affordance == "switch"


@pytest.mark.slow
def test_a_process_that_stood_still_and_hears_no_depth_any_more_ends_itself(
    make_graph: Callable[..., Any],
) -> None:
    graph = make_graph()
    shot = graph.kitchen()
    graph.activate()
    for _ in range(20):
        graph.robot.show(shot)
        graph.spin(0.1)
    standing = time.monotonic() + SuspensionPolicy().gap + UPDATE_PERIOD
    while time.monotonic() < standing:
        time.sleep(UPDATE_PERIOD)
    with pytest.raises(StreamsLost, match="'/head/depth'"):
        graph.spin(30.0)
