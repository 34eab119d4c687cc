"""Tools and resources without side effects: memory, camera images, places, missions and recorded runs."""

import asyncio
import json
from typing import Annotated, TypeVar

import cv2
import numpy as np
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from pydantic import AfterValidator, Field, FiniteFloat
from sensor_msgs.msg import Image

from openral_core.errors import OpenRALError
from openral_core.spatial_memory import NodeKind, RecallQuery, Relation, ResolveQuery, SceneGraph, SceneNode
from openral_mcp.missions import is_for_operator
from openral_mcp.replies import (
    MAX_PLACES,
    MAX_TEXT,
    LocateReply,
    MissionReply,
    PlaceReply,
    PlacesReply,
    PlaceSummary,
    Question,
    RecallReply,
    RunReply,
    ToolReply,
    first,
    locate_reply,
    mission_reply,
    place_of,
    place_reply,
    question_of,
    recall_reply,
)
from openral_mcp.robot_reader import PeerSilent, RobotReader
from openral_mcp.runs import RunFolder
from openral_msgs.msg import MissionStatus
from openral_reasoner.context import plain
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_ros.conversions.images import rgb_of
from openral_ros.node_thread import NodeCallFailed

MAX_QUERY = 200
"""Longest query [characters], that of the reasoner's own tools."""
YEAR = 31_536_000.0
"""[s], the largest accepted age."""


def printable(text: str) -> str:
    """Return the text.

    Raises:
        ValueError: If it holds control characters or lone surrogates, which no message field can carry.
    """
    if plain(text, len(text)) != text:
        raise ValueError("control characters are not accepted")
    return text


AnyReply = TypeVar("AnyReply", bound=ToolReply)
Words = Annotated[str, Field(min_length=1, max_length=MAX_QUERY), AfterValidator(printable)]
OptionalWords = Annotated[str, Field(max_length=MAX_QUERY), AfterValidator(printable)]


class ReadingTools:
    """The tools; every call ends within its deadline with a typed status, whichever peer is dead."""

    def __init__(self, robot: RobotReader, monitor: MissionMonitor, runs: RunFolder) -> None:
        self._robot, self._monitor, self._runs = robot, monitor, runs

    async def recall_object(
        self,
        query: Annotated[Words, Field(description="the object in plain words, such as 'red mug'")],
        room: Annotated[OptionalWords, Field(description="only in this room, by id or name")] = "",
        limit: Annotated[int, Field(ge=1, le=50, description="most matches to return")] = 5,
        max_age: Annotated[
            FiniteFloat, Field(ge=0.0, le=YEAR, description="only seen within this time [s]; 0 is any")
        ] = 0.0,
    ) -> RecallReply:
        """Ask the robot's memory where an object was last seen. Read-only; no camera is used.

        A miss lists near misses: hints where to look, never the object itself.
        """
        try:
            result = await self._robot.recall(RecallQuery(query, limit, max_age=max_age, room=room))
            return recall_reply(result, await self._robot.unavailable())
        except (PeerSilent, NodeCallFailed, ValueError) as error:
            return await self.failure(RecallReply, error)

    async def resolve_place(
        self, reference: Annotated[Words, Field(description="words or id of a room, place, person or object")]
    ) -> PlaceReply:
        """Resolve words such as 'the kitchen' to an id and a position. Read-only."""
        try:
            result = await self._robot.resolve(ResolveQuery(reference))
            return place_reply(result, await self._robot.unavailable())
        except (PeerSilent, NodeCallFailed, ValueError) as error:
            return await self.failure(PlaceReply, error)

    async def locate_in_view(
        self,
        query: Annotated[Words, Field(description="the object in plain words")],
        camera: Annotated[OptionalWords, Field(description="camera id; empty for the primary one")] = "",
        detector: Annotated[OptionalWords, Field(description="detector id; empty for the default one")] = "",
    ) -> LocateReply:
        """Look for an object in the newest image of a camera. Read-only: nothing moves.

        Only NOT_IN_VIEW is evidence of absence. INACTIVE means that no image was evaluated; a detector is
        not activated for this tool.
        """
        try:
            result = await self._robot.locate(query, camera, detector)
            return locate_reply(result, await self._robot.unavailable())
        except (PeerSilent, NodeCallFailed, ValueError) as error:
            return await self.failure(LocateReply, error)

    async def list_places(
        self,
        room: Annotated[
            OptionalWords, Field(description="only in the room with this id; empty for all")
        ] = "",
    ) -> PlacesReply:
        """List the rooms, places and people that the robot knows, with their ids. Read-only."""
        try:
            graph = await self._robot.scene()
            if room and room not in {node.id for node in graph.of_kind(NodeKind.ROOM)}:
                rooms = ", ".join(node.id for node in first(graph.of_kind(NodeKind.ROOM)))
                return PlacesReply(status="UNKNOWN_ROOM", message=f"no room {room!r}; rooms: {rooms}")
            places = places_of(graph, room)
            return PlacesReply(
                status="FOUND",
                message=f"{len(places)} rooms, places and people",
                unavailable=await self._robot.unavailable(),
                places=places[:MAX_PLACES],
                left_out=max(0, len(places) - MAX_PLACES),
                revision=graph.revision,
            )
        except (PeerSilent, NodeCallFailed, ValueError) as error:
            return await self.failure(PlacesReply, error)

    async def mission_status(
        self,
        mission_id: Annotated[OptionalWords, Field(description="id of a mission; empty for the latest")] = "",
    ) -> MissionReply:
        """Report what the robot is doing, or how its last mission ended, with evidence. Read-only."""
        status = self._monitor.status(mission_id)
        try:
            unavailable = await self._robot.unavailable()
            if status is None:
                why = f"no mission {mission_id!r} is known" if mission_id else "the reasoner has not reported"
                return MissionReply(status="UNKNOWN", message=why, unavailable=unavailable)
            old = "the reasoner does not answer; this is its last report" if "reasoner" in unavailable else ""
            return mission_reply(status, self.question(status), unavailable, old)
        except (NodeCallFailed, ValueError) as error:
            return await self.failure(MissionReply, error)

    def explain_run(
        self,
        run: Annotated[OptionalWords, Field(description="name of a recorded run")] = "latest",
        offset: Annotated[int, Field(ge=0, le=10_000_000, description="first line to return")] = 0,
    ) -> RunReply:
        """Explain a recorded run: what the robot was asked, decided, did and found. Read-only."""
        return self._runs.explain(run, offset)

    def question(self, status: MissionStatus) -> Question | None:
        """Return the open question of a mission."""
        handoff = self._monitor.open_question(status)
        return None if handoff is None else question_of(handoff, is_for_operator(handoff))

    async def failure(self, kind: type[AnyReply], error: OpenRALError | ValueError) -> AnyReply:
        """Return a reply without a result; its status is the error's ``condition``."""
        stuck = isinstance(error, NodeCallFailed)
        unavailable = ("openral_mcp",) if stuck else await self._robot.unavailable()
        condition = getattr(error, "condition", "BAD_ANSWER")
        return kind(status=condition, message=str(error), unavailable=unavailable)


def places_of(graph: SceneGraph, room: str = "") -> tuple[PlaceSummary, ...]:
    """Return rooms, then places, then people, only those of one room if it is named."""
    rooms = {edge.source: edge.target for edge in graph.edges if edge.relation is Relation.IN_ROOM}
    there: dict[str, int] = {}
    for edge in graph.edges:
        if edge.relation in (Relation.AT_PLACE, Relation.IN_ROOM):
            is_object = graph.by_id[edge.source].kind is NodeKind.OBJECT
            there[edge.target] = there.get(edge.target, 0) + is_object
    nodes = (node for kind in (NodeKind.ROOM, NodeKind.PLACE, NodeKind.AGENT) for node in graph.of_kind(kind))
    return tuple(
        place_of(node, rooms.get(node.id, ""), there.get(node.id, 0))
        for node in nodes
        if room in ("", node.id, rooms.get(node.id))
    )


MAX_NODES, MAX_EDGES = 1000, 4000
"""Most nodes and edges of the scene graph in one answer: about half a megabyte of JSON."""
MAX_WIDTH = 1280
"""Largest width of an image [px]; larger ones are scaled down."""
JPEG_QUALITY = 85
"""[%]: an image of 1280x720 takes about 200 kB."""
SCENE_GRAPH, VIEW, MISSION = "openral://scene_graph", "openral://view", "openral://mission"


def add_resources(server: MCPServer, robot: RobotReader, tools: ReadingTools) -> None:
    """Register the resources."""

    @server.resource(SCENE_GRAPH, mime_type="application/json")
    async def scene_graph() -> str:
        """Read the scene graph: objects, places, rooms and people with positions in the map frame [m]."""
        try:
            return scene_graph_json(await robot.scene())
        except OpenRALError as error:
            raise ResourceError(str(error)) from error

    @server.resource(VIEW, mime_type="image/jpeg")
    async def view() -> bytes:
        """Read the next camera image of the continuous detector, with its boxes."""
        return await _image(robot, "")

    @server.resource(VIEW + "/{detector}", mime_type="image/jpeg")
    async def view_of_detector(detector: str) -> bytes:
        """Read the next camera image of one detector, with its boxes."""
        return await _image(robot, detector)

    @server.resource(MISSION, mime_type="application/json")
    async def mission() -> str:
        """Read the report of the running mission, or of the last one."""
        return (await tools.mission_status()).model_dump_json()


def scene_graph_json(graph: SceneGraph) -> str:
    """Return a scene graph as JSON; what exceeds the limits is counted, not listed."""
    nodes, edges = graph.nodes[:MAX_NODES], graph.edges[:MAX_EDGES]
    content = {
        "frame": "map",
        "revision": graph.revision,
        "nodes": [_node(node) for node in nodes],
        "edges": [[edge.source, edge.relation.value, edge.target] for edge in edges],
        "nodes_left_out": len(graph.nodes) - len(nodes),
        "edges_left_out": len(graph.edges) - len(edges),
    }
    return json.dumps(content)


def jpeg_of(image: Image) -> bytes:
    """Encode an image as JPEG, at most `MAX_WIDTH` wide.

    Raises:
        OpenRALError: If the message is no valid image.
    """
    rgb = rgb_of(image)
    height, width = rgb.shape[:2]
    if width > MAX_WIDTH:
        size = (MAX_WIDTH, max(1, round(height * MAX_WIDTH / width)))
        rgb = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
    bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return bytes(data)


async def _image(robot: RobotReader, detector: str) -> bytes:
    try:
        return await asyncio.to_thread(jpeg_of, await robot.image(detector))
    except OpenRALError as error:
        raise ResourceError(str(error)) from error


def _node(node: SceneNode) -> dict[str, object]:
    return {
        "id": node.id,
        "kind": node.kind.value,
        "label": plain(node.label, MAX_TEXT),
        "position": [round(value, 3) for value in node.pose.position],
        "size": [round(value, 3) for value in node.size],
        "presence": node.presence.value,
        "opening": node.opening.value if node.is_container else None,
        "last_seen": node.last_seen,
    }
