"""Reading tools against fake peers: results, typed misses, dead and lying peers."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_mcp.reading_tools import places_of

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
