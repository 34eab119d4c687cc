"""Resources that a client can read: scene graph, camera view with boxes, mission report."""

import asyncio
import json

import cv2
import numpy as np
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from sensor_msgs.msg import Image

from openral_core.errors import OpenRALError
from openral_core.spatial_memory import SceneGraph, SceneNode
from openral_mcp.reading_tools import ReadingTools
from openral_mcp.replies import MAX_TEXT
from openral_mcp.robot_reader import RobotReader
from openral_reasoner.context import plain
from openral_ros.conversions.images import rgb_of

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
