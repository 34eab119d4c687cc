"""Places that the robot sees well from where it stands, by the boxes of the scene graph.

A place counts as seen if it is open, in the same room, near enough for the object that is searched, and not
behind a taller piece of furniture.
"""

from cmath import phase
from math import dist, hypot, pi

from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneGraph, SceneNode
from openral_reasoner.likely_places.belief import likeness

EYE = 1.2
"""Height of a camera above which furniture hides what is behind it [m]."""
HALF_VIEW = 25.0 * pi / 180.0
"""Angle to the axis of a camera up to which it sees a place whole [rad]: most have views of 60 to 90 deg."""
RESOLUTION = 19.0
"""Distance per size of an object at which a detector still finds it [1]: 24 px of a VGA image of 70 deg."""
USUAL_SIZE = 0.1
"""Size of an object of whose kind memory has none: a mug [m]."""
FARTHEST = 3.0
"""Distance beyond which no place counts as seen [m]: depth and detections of most cameras get poor."""
Point = tuple[float, float, float]
_BELONGS = (Relation.IN_ROOM, Relation.PART_OF)


def reach_of_sight(graph: SceneGraph, term: str) -> float:
    """Return the distance up to which an object of this name is seen [m], by the size of its like."""
    sizes = [
        max(node.size)
        for node in graph.of_kind(NodeKind.OBJECT)
        if max(node.size) > 0.0 and likeness(term, node.label) == "same"
    ]
    return min(RESOLUTION * min(sizes, default=USUAL_SIZE), FARTHEST)


def places_in_sight(graph: SceneGraph, eye: Point, standing_at: str, term: str) -> frozenset[str]:
    """Return the ids of the places where the robot would see an object of this name.

    ``eye`` is its position in map [m], ``standing_at`` a place of its room.
    """
    rooms = {edge.source: edge.target for edge in graph.edges if edge.relation in _BELONGS}
    room = rooms.get(standing_at)
    if room is None:
        return frozenset()
    reach = reach_of_sight(graph, term)
    pieces = [node for node in graph.of_kind(NodeKind.PLACE) if rooms.get(node.id) == room]
    return frozenset(
        node.id
        for node in pieces
        if _is_open(node)
        and dist(eye[:2], node.pose.position[:2]) + max(node.size[:2]) / 2.0 <= reach
        and not any(_hides(other, eye, node) for other in pieces if other is not node)
    )


def places_in_view(graph: SceneGraph, eye: Point, facing: str, term: str) -> frozenset[str]:
    """Return those of the places in sight that a camera has in view while it faces the place ``facing``."""
    at = {node.id: node.pose.position for node in graph.nodes}
    in_sight = places_in_sight(graph, eye, facing, term)
    return frozenset(each for each in in_sight if _angle(eye, at[facing], at[each]) <= HALF_VIEW)


def _is_open(node: SceneNode) -> bool:
    return not (node.is_container and node.occludes_contents and node.opening is not Opening.OPEN)


def _angle(eye: Point, first: Point, second: Point) -> float:
    """Return the horizontal angle between two directions [rad]."""
    ways = [complex(point[0] - eye[0], point[1] - eye[1]) for point in (first, second)]
    return abs(phase(ways[1] / ways[0])) if all(ways) else 0.0


def _hides(piece: SceneNode, eye: Point, target: SceneNode) -> bool:
    """Return True if a piece as high as the camera crosses the line to a place; it is taken as round."""
    top = piece.pose.position[2] + piece.size[2] / 2.0
    radius = min(piece.size[:2]) / 2.0
    if top < EYE or radius <= 0.0:
        return False
    goal, centre = target.pose.position, piece.pose.position
    dx, dy = goal[0] - eye[0], goal[1] - eye[1]
    length = dx * dx + dy * dy
    along = ((centre[0] - eye[0]) * dx + (centre[1] - eye[1]) * dy) / length if length > 0.0 else 0.0
    if not 0.0 < along < 1.0:
        return False
    return hypot(eye[0] + along * dx - centre[0], eye[1] + along * dy - centre[1]) < radius
