"""Reading tools against fake peers: results, typed misses, dead and lying peers."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
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
from openral_mcp import reading_tools
from openral_mcp.reading_tools import jpeg_of, places_of, scene_graph_json
from openral_ros.conversions.images import image_message

Call = Callable[..., Any]


def run_with(server: MCPServer, work: Callable[[Client], Any]) -> Any:
    async def main() -> Any:
        async with Client(server, cache=None) as client:
            return await work(client)

    return anyio.run(main)


def test_every_reading_tool_answers_from_the_graph(
    graph: Any, make_reasoner: Call, serve: Call, call: Call
) -> None:
    make_reasoner()

    async def work(client: Client) -> dict[str, Any]:
        calls = {
            "recall_object": {"query": "mug"},
            "resolve_place": {"reference": "dining table"},
            "locate_in_view": {"query": "red mug"},
            "list_places": {"room": "kitchen"},
            "mission_status": {},
            "explain_run": {},
        }
        return {tool: await call(client, tool, **arguments) for tool, arguments in calls.items()}

    with serve() as server:
        replies = run_with(server, work)
    assert replies["recall_object"]["status"] == "FOUND"
    assert replies["recall_object"]["matches"][0]["id"] == "mug_1"
    assert replies["resolve_place"]["id"] == "table_1"
    assert replies["locate_in_view"]["status"] in ("FOUND", "NOT_IN_VIEW")
    assert replies["locate_in_view"]["detector"] == "sim-groundtruth-locator"
    assert {"kitchen", "counter_1", "table_1", "ana"} >= {p["id"] for p in replies["list_places"]["places"]}
    assert replies["mission_status"]["status"] == "IDLE"
    assert replies["mission_status"]["unavailable"] == []
    assert replies["explain_run"]["status"] == "UNKNOWN_RUN"


def test_a_miss_is_typed_and_says_why(graph: Any, serve: Call, call: Call) -> None:
    async def work(client: Client) -> list[dict[str, Any]]:
        return [
            await call(client, "recall_object", query="unicorn"),
            await call(client, "resolve_place", reference="moon"),
            await call(client, "locate_in_view", query="mug", detector="no such"),
            await call(client, "list_places", room="moon"),
            await call(client, "mission_status", mission_id="none"),
        ]

    with serve() as server:
        replies = run_with(server, work)
    assert [reply["status"] for reply in replies] == [
        "NOT_IN_MEMORY",
        "NOT_FOUND",
        "UNKNOWN_DETECTOR",
        "UNKNOWN_ROOM",
        "UNKNOWN",
    ]
    assert "sim-groundtruth-locator" in replies[2]["message"]
    assert "kitchen" in replies[3]["message"]


def test_with_every_node_dead_each_tool_answers_and_names_them(serve: Call, call: Call) -> None:
    async def work(client: Client) -> list[dict[str, Any]]:
        replies: list[dict[str, Any]] = []

        async def ask(tool: str, **arguments: str) -> None:
            replies.append(await call(client, tool, **arguments))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: ask("recall_object", query="mug"))
            tasks.start_soon(lambda: ask("resolve_place", reference="kitchen"))
            tasks.start_soon(lambda: ask("locate_in_view", query="mug"))
            tasks.start_soon(lambda: ask("list_places"))
            tasks.start_soon(lambda: ask("mission_status"))
        return replies

    with serve() as server:
        replies = run_with(server, work)
    assert sorted(reply["status"] for reply in replies) == [
        "NO_DETECTOR",
        "UNAVAILABLE",
        "UNAVAILABLE",
        "UNAVAILABLE",
        "UNKNOWN",
    ]
    dead = ["world_state", "on-demand detector", "reasoner", "skill server"]
    assert all(reply["unavailable"] == dead for reply in replies)


def test_one_dead_detector_leaves_memory_usable(graph: Any, spinner: Any, serve: Call, call: Call) -> None:
    async def work(client: Client) -> tuple[dict[str, Any], dict[str, Any]]:
        assert (await call(client, "locate_in_view", query="mug"))["unavailable"] == ["reasoner"]
        await anyio.to_thread.run_sync(lambda: spinner.do(graph.remove_locator))
        looked = await call(client, "locate_in_view", query="mug")
        return looked, await call(client, "recall_object", query="mug")

    with serve() as server:
        looked, recalled = run_with(server, work)
    assert looked["status"] in ("UNAVAILABLE", "NO_DETECTOR")
    assert recalled["status"] == "FOUND"
    assert recalled["unavailable"] == ["on-demand detector", "reasoner"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"score": float("nan")}, "BAD_ANSWER"),
        ({"size": (float("inf"), 0.0, 0.0)}, "BAD_ANSWER"),
        ({"label": "\x1b[2J" + "x" * 100_000, "containers": ("box",) * 10_000}, "FOUND"),
    ],
)
def test_a_lying_memory_cannot_break_or_flood_a_reply(
    graph: Any,
    serve: Call,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    status: str,
) -> None:
    honest = graph.peers.recall

    def lie(query: Any) -> Any:
        result = honest(query)
        return replace(result, matches=tuple(replace(match, **changes) for match in result.matches))

    monkeypatch.setattr(graph.peers, "recall", lie)

    async def work(client: Client) -> dict[str, Any]:
        return await call(client, "recall_object", query="mug")

    with serve() as server:
        reply = run_with(server, work)
    assert reply["status"] == status
    assert len(str(reply)) < 5_000
    assert "\x1b" not in str(reply)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": ""},
        {"query": "m" * 201},
        {"query": "mug\x00"},
        {"query": "mug", "limit": 0},
        {"words": "mug"},
    ],
)
def test_bad_arguments_are_refused_with_the_reason(serve: Call, arguments: dict[str, Any]) -> None:
    async def work(client: Client) -> Any:
        return await client.call_tool("recall_object", arguments)

    with serve() as server:
        result = run_with(server, work)
    assert result.is_error
    assert "recall_object" in result.content[0].text


def node(name: str, kind: NodeKind) -> SceneNode:
    return SceneNode(name, kind, name, Pose())


def test_places_are_listed_by_kind_with_the_objects_there() -> None:
    graph = SceneGraph(
        nodes=(
            node("mug_1", NodeKind.OBJECT),
            node("table_1", NodeKind.PLACE),
            node("kitchen", NodeKind.ROOM),
            node("hall", NodeKind.ROOM),
            node("ana", NodeKind.AGENT),
        ),
        edges=(
            SceneEdge("mug_1", Relation.AT_PLACE, "table_1"),
            SceneEdge("mug_1", Relation.IN_ROOM, "kitchen"),
            SceneEdge("table_1", Relation.IN_ROOM, "kitchen"),
        ),
    )
    assert [(p.id, p.room, p.objects) for p in places_of(graph)] == [
        ("kitchen", "", 1),
        ("hall", "", 0),
        ("table_1", "kitchen", 1),
        ("ana", "", 0),
    ]
    assert [p.id for p in places_of(graph, "kitchen")] == ["kitchen", "table_1"]


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
    monkeypatch.setattr(reading_tools, "MAX_NODES", 3)
    monkeypatch.setattr(reading_tools, "MAX_EDGES", 1)
    nodes = tuple(SceneNode(f"n{i}", NodeKind.OBJECT, "mug", Pose()) for i in range(5))
    edges = tuple(SceneEdge(f"n{i}", Relation.NEAR, "n0") for i in range(1, 5))
    content = json.loads(scene_graph_json(SceneGraph(nodes, edges)))
    assert (len(content["nodes"]), content["nodes_left_out"]) == (3, 2)
    assert (len(content["edges"]), content["edges_left_out"]) == (1, 3)


def test_a_wide_image_is_scaled_down() -> None:
    wide = image_message(np.zeros((100, 4000, 3), np.uint8), "rgb8", 0.0, "head")
    decoded = cv2.imdecode(np.frombuffer(jpeg_of(wide), np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert decoded.shape == (32, reading_tools.MAX_WIDTH, 3)
