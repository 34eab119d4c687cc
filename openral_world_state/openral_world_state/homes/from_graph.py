"""A home as a stored scene graph describes it, where no map file is given."""

from openral_core.maps import Room
from openral_core.maps.geometry import Box, Pose2, Rectangle
from openral_core.scene_graph import NodeKind, Relation, SceneGraph, SceneNode
from openral_world_state.homes.home import Area, Home
from openral_world_state.homes.sites import Shelf, Site

_WALL = 0.02


def home_of_graph(graph: SceneGraph) -> Home:
    """Rooms and places from their boxes: a place has its top to lie on, a container what its walls leave."""
    places = [
        *graph.of_kind(NodeKind.PLACE),
        *(n for n in graph.of_kind(NodeKind.OBJECT) if n.source == "map"),
    ]
    return Home(
        areas=tuple(Area(node, _outline(node)) for node in graph.of_kind(NodeKind.ROOM)),
        sites=tuple(_site(node, graph) for node in places),
        agents=graph.of_kind(NodeKind.AGENT),
    )


def _outline(node: SceneNode) -> Room:
    (x, y, _), (dx, dy, _) = node.pose.position, node.size
    a, b = max(dx, 0.1) / 2.0, max(dy, 0.1) / 2.0
    corners = ((x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b))
    return Room(id=node.id, name=node.label, aliases=node.aliases, polygon=corners)


def _site(node: SceneNode, graph: SceneGraph) -> Site:
    (x, y, z), (depth, width, height) = node.pose.position, node.size
    rooms = graph.targets(node.id, Relation.IN_ROOM)
    frame = Pose2(x=x, y=y, yaw=node.pose.yaw)
    if min(node.size) <= 0.0:
        return Site(node, rooms[0] if rooms else "", frame, standing=node.pose)
    area = Rectangle(min=(-depth / 2.0, -width / 2.0), max=(depth / 2.0, width / 2.0))
    low, high = z - height / 2.0, z + height / 2.0
    inside = Box(
        min=(area.min[0] + _WALL, area.min[1] + _WALL, low),
        max=(area.max[0] - _WALL, area.max[1] - _WALL, high),
    )
    return Site(
        node=node,
        room=rooms[0] if rooms else "",
        frame=frame,
        footprint=area,
        height=high,
        shelves=(Shelf(high, area),),
        interior=inside if node.is_container else None,
    )
