"""Resources: scene graph, camera view, mission report; typed errors without their publishers."""

import base64
import json
from collections.abc import Callable
from typing import Any

import anyio
import cv2
import numpy as np
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from rclpy.node import Node
from sensor_msgs.msg import Image

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_mcp import resources
from openral_mcp.resources import jpeg_of, scene_graph_json
from openral_ros.conversions.images import image_message

Call = Callable[..., Any]


def read(server: MCPServer, uri: str) -> Any:
    async def main() -> Any:
        async with Client(server, cache=None) as client:
            return (await client.read_resource(uri)).contents[0]

    return anyio.run(main)


def refusal(server: MCPServer, uri: str) -> str:
    async def main() -> str:
        async with Client(server, cache=None) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            return caught.value.error.message

    return anyio.run(main)


def test_resources_are_listed_with_types_and_descriptions(serve: Call) -> None:
    async def main(server: MCPServer) -> tuple[list[Any], list[Any]]:
        async with Client(server) as client:
            listed = (await client.list_resources()).resources
            return listed, (await client.list_resource_templates()).resource_templates

    with serve() as server:
        listed, templates = anyio.run(main, server)
    assert {(str(each.uri), each.mime_type) for each in listed} == {
        ("openral://scene_graph", "application/json"),
        ("openral://view", "image/jpeg"),
        ("openral://mission", "application/json"),
    }
    assert [each.uri_template for each in templates] == ["openral://view/{detector}"]
    assert all(each.description for each in (*listed, *templates))


def test_scene_graph_and_mission_are_json(graph: Any, make_reasoner: Call, serve: Call) -> None:
    make_reasoner()
    with serve() as server:
        scene = json.loads(read(server, "openral://scene_graph").text)
        mission = json.loads(read(server, "openral://mission").text)
    assert "mug_1" in {node["id"] for node in scene["nodes"]}
    assert scene["nodes_left_out"] == 0
    assert mission["status"] == "IDLE"


def test_the_view_of_a_detector_is_its_annotated_image(
    graph: Any, ros_context: Any, spinner: Any, serve: Call
) -> None:
    camera = Node("camera", context=ros_context)
    publisher = camera.create_publisher(Image, f"{graph.namespace_of_locator}/annotated", 1)
    pixels = np.full((48, 64, 3), (200, 30, 30), np.uint8)
    camera.create_timer(0.05, lambda: publisher.publish(image_message(pixels, "rgb8", 1.0, "head")))
    spinner.add(camera)
    with serve() as server:
        content = read(server, "openral://view/sim-groundtruth-locator")
    assert content.mime_type == "image/jpeg"
    seen = cv2.imdecode(np.frombuffer(base64.b64decode(content.blob), np.uint8), cv2.IMREAD_COLOR)
    assert seen is not None
    assert seen.shape == (48, 64, 3)
    assert abs(int(seen[24, 32, 2]) - 200) < 10


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("openral://view", "no continuous detector is active"),
        ("openral://view/unicorn", "not in the graph"),
        ("openral://view/sim-groundtruth-locator", "no image on"),
    ],
)
def test_a_view_that_cannot_be_had_says_why(
    graph: Any, serve: Call, monkeypatch: pytest.MonkeyPatch, uri: str, why: str
) -> None:
    monkeypatch.setattr("openral_mcp.robot_reader.IMAGE_DEADLINE", 0.5)
    with serve() as server:
        assert why in refusal(server, uri)


def test_without_world_state_the_scene_graph_is_unavailable(serve: Call) -> None:
    with serve() as server:
        assert "world_state" in refusal(server, "openral://scene_graph")


def test_a_large_graph_is_cut_and_the_rest_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "MAX_NODES", 3)
    monkeypatch.setattr(resources, "MAX_EDGES", 1)
    nodes = tuple(SceneNode(f"n{i}", NodeKind.OBJECT, "mug", Pose()) for i in range(5))
    edges = tuple(SceneEdge(f"n{i}", Relation.NEAR, "n0") for i in range(1, 5))
    content = json.loads(scene_graph_json(SceneGraph(nodes, edges)))
    assert (len(content["nodes"]), content["nodes_left_out"]) == (3, 2)
    assert (len(content["edges"]), content["edges_left_out"]) == (1, 3)


def test_a_wide_image_is_scaled_down() -> None:
    wide = image_message(np.zeros((100, 4000, 3), np.uint8), "rgb8", 0.0, "head")
    decoded = cv2.imdecode(np.frombuffer(jpeg_of(wide), np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert decoded.shape == (32, resources.MAX_WIDTH, 3)
