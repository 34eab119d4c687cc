"""Scene graph: relations and locations from geometry, and the graph as a JSON document.

The document is readable by networkx.node_link_graph; it is only written below the folders for saved files.
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, FiniteFloat

from openral_core.documents import Document, parse_document, read_json
from openral_core.errors import OpenRALError
from openral_core.files import replace_file
from openral_core.geometry import Pose
from openral_core.home_map import Point3
from openral_core.spatial_memory import (
    NodeKind,
    Opening,
    Presence,
    Relation,
    SceneEdge,
    SceneGraph,
    SceneNode,
)
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import SiteFixture, StaticMap

NEAR = 0.5
"""Distance up to which two objects are near each other [m]: the edge length of the spatial index."""
_MAX_NEAR = 4
"""Largest number of NEAR edges per object [1], so that a cluttered table does not flood the graph."""
_MAX_PLACE_DISTANCE = 0.8
"""Distance from a site up to which an object is at that place [m]: within an arm's reach of it."""
_SUPPORT_TOLERANCE = 0.03
"""Height above a support up to which an object stands on it [m]: the error of lifted heights."""
_MIN_RISE = 0.005
"""Height above another object's lowest point from which one can stand in or on it [m]."""


@dataclass(frozen=True, slots=True)
class HomeLocation:
    """Room and place ids ("" unknown), and the site that the object is ``on`` or ``inside``, if any."""

    room: str
    place: str
    on: SiteFixture | None = None
    inside: SiteFixture | None = None

    @property
    def site(self) -> SiteFixture | None:
        """Site that the object is in or on."""
        return self.inside or self.on


def locate_in_home(record: ObjectRecord, home: StaticMap) -> HomeLocation:
    """Locate an object from geometry alone; a carried one has a room, but no place."""
    point = record.pose.position
    room = home.room_at(point)
    if record.carried:
        return HomeLocation(room, "")
    inside = home.container_at(point)
    if inside is not None:
        return HomeLocation(inside.room or room, inside.node.id, inside=inside)
    on = home.support_of(point, point[2] - record.size[2] / 2.0)
    if on is not None:
        return HomeLocation(on.room or room, on.node.id, on=on)
    near = home.nearest_site(point, _MAX_PLACE_DISTANCE)
    return HomeLocation(room, near.node.id if near else "")


def must_open(inside: SiteFixture | None, openings: dict[str, Opening]) -> str:
    """Id of the occluding container to open before its contents can be reached; "" if there is none."""
    if inside is None or not inside.node.occludes_contents:
        return ""
    return "" if openings.get(inside.node.id, inside.node.opening) is Opening.OPEN else inside.node.id


def home_edges(home: StaticMap) -> Iterator[SceneEdge]:
    """Yield the rooms of sites and agents, and what is part of which furniture."""
    for part in home.parts:
        yield SceneEdge(part.node.id, Relation.PART_OF, part.of)
        if part.room:
            yield SceneEdge(part.node.id, Relation.IN_ROOM, part.room)
    for site in home.sites:
        if site.room:
            yield SceneEdge(site.node.id, Relation.IN_ROOM, site.room)
    for agent in home.agents:
        if room := home.room_at(agent.pose.position):
            yield SceneEdge(agent.id, Relation.IN_ROOM, room)


def route_edges(routes: Iterable[tuple[str, str, float]]) -> Iterator[SceneEdge]:
    """Yield the places that the robot can drive between, in both directions."""
    for first, second, length in routes:
        yield SceneEdge(first, Relation.TRAVERSABLE_TO, second, length)
        yield SceneEdge(second, Relation.TRAVERSABLE_TO, first, length)


def object_edges(
    record: ObjectRecord, home: StaticMap, memory: SpatialMemory, map_epoch: int = 0
) -> Iterator[SceneEdge]:
    """Yield what an object is in, on, at and near; nothing for one that is gone, or of another map epoch."""
    if not _has_place(record, map_epoch):
        return
    location = locate_in_home(record, home)
    if location.room:
        yield SceneEdge(record.id, Relation.IN_ROOM, location.room)
    if location.place:
        yield SceneEdge(record.id, Relation.AT_PLACE, location.place)
    if location.inside is not None:
        yield SceneEdge(record.id, Relation.IN, location.inside.node.id)
        yield SceneEdge(location.inside.node.id, Relation.CONTAINS, record.id)
    elif location.on is not None:
        yield SceneEdge(record.id, Relation.ON, location.on.node.id)
    around = sorted(memory.near(record.pose.position, NEAR), key=lambda pair: (pair[1], pair[0].id))
    others = [(o, d) for o, d in around if o.id != record.id and _has_place(o, map_epoch)]
    holder = next((other for other, _ in others if is_supported_by(record, other)), None)
    if holder is not None:
        yield SceneEdge(record.id, Relation.ON, holder.id)
    for other, distance in others[:_MAX_NEAR]:
        yield SceneEdge(record.id, Relation.NEAR, other.id, round(distance, 3))


def _has_place(record: ObjectRecord, map_epoch: int) -> bool:
    return record.presence is not Presence.GONE and record.map_epoch == map_epoch


def is_supported_by(upper: ObjectRecord, lower: ObjectRecord) -> bool:
    """Tell if one object stands on another, or in its hollow."""
    (x, y, z), (u, v, w) = upper.pose.position, lower.pose.position
    inside = math.dist((x, y), (u, v)) <= max(lower.size[0], lower.size[1]) / 2.0
    bottom, top, floor = z - upper.size[2] / 2.0, w + lower.size[2] / 2.0, w - lower.size[2] / 2.0
    wider = max(lower.size[:2]) > max(upper.size[:2])
    return inside and wider and floor + _MIN_RISE < bottom <= top + _SUPPORT_TOLERANCE


SCHEMA_VERSION: Literal[1] = 1
"""Version of the document's format; a reader refuses any other."""
Quaternion = tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]


class NodeDocument(Document):
    """One node; see `SceneNode` for meaning and units."""

    id: str = Field(min_length=1, max_length=200)
    kind: NodeKind
    label: str = Field(min_length=1, max_length=200)
    position: Point3
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)
    size: Point3 = (0.0, 0.0, 0.0)
    aliases: tuple[str, ...] = ()
    votes: dict[str, FiniteFloat] = Field(default_factory=dict)
    unprompted: tuple[str, ...] = ()
    covariance: tuple[FiniteFloat, ...] = Field(default=(0.0,) * 9, min_length=9, max_length=9)
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    presence: Presence = Presence.PRESENT
    is_container: bool = False
    occludes_contents: bool = False
    opening: Opening = Opening.UNKNOWN
    first_seen: FiniteFloat = 0.0
    last_seen: FiniteFloat = 0.0
    observations: int = Field(default=0, ge=0)
    source: str = ""
    map_epoch: int = Field(default=0, ge=0)
    affordance: str = ""


class EdgeDocument(Document):
    """One relation; ``key`` is the relation, because two nodes may have several."""

    source: str
    target: str
    key: Relation
    weight: FiniteFloat = 0.0


class Header(Document):
    """Version, map epoch and revision of the document."""

    schema_version: Literal[1]
    map_epoch: int = Field(default=0, ge=0)
    revision: int = Field(default=0, ge=0)


class GraphDocument(Document):
    """A node-link document."""

    directed: Literal[True] = True
    multigraph: Literal[True] = True
    graph: Header
    nodes: tuple[NodeDocument, ...] = ()
    edges: tuple[EdgeDocument, ...] = ()


def write_graph(graph: SceneGraph, path: Path) -> None:
    """Write a graph as JSON, atomically replacing the file."""
    replace_file(path, json.dumps(document_from_graph(graph), indent=1) + "\n")


def read_graph(path: Path) -> SceneGraph:
    """Read a graph from JSON.

    Raises:
        InvalidDocument: If it cannot be read, naming each wrong key.
        InvalidSceneGraph: If ids repeat or edges dangle.
        InvalidGeometry: If a quaternion has no direction.
    """
    return graph_from_document(parse_document(GraphDocument, read_json(path), path))


def document_from_graph(graph: SceneGraph) -> dict[str, object]:
    """Convert a graph to plain JSON values."""
    header = Header(schema_version=SCHEMA_VERSION, map_epoch=graph.map_epoch, revision=graph.revision)
    document = GraphDocument(
        graph=header,
        nodes=tuple(map(document_from_node, graph.nodes)),
        edges=tuple(
            EdgeDocument(source=e.source, target=e.target, key=e.relation, weight=e.weight)
            for e in graph.edges
        ),
    )
    return document.model_dump(mode="json")


def graph_from_document(document: GraphDocument) -> SceneGraph:
    """Convert a validated document to a graph."""
    return SceneGraph(
        nodes=tuple(map(node_from_document, document.nodes)),
        edges=tuple(SceneEdge(e.source, e.key, e.target, e.weight) for e in document.edges),
        map_epoch=document.graph.map_epoch,
        revision=document.graph.revision,
    )


def document_from_node(node: SceneNode) -> NodeDocument:
    """Convert a node to its JSON document."""
    return NodeDocument(
        position=node.pose.position,
        orientation=node.pose.orientation,
        votes=dict(node.votes),
        covariance=tuple(node.covariance),
        **{name: getattr(node, name) for name in _PLAIN},
    )


def node_from_document(document: NodeDocument) -> SceneNode:
    """Convert a JSON document to its node."""
    return SceneNode(
        pose=Pose(document.position, document.orientation),
        votes=dict(document.votes),
        covariance=document.covariance,
        **{name: getattr(document, name) for name in _PLAIN},
    )


_PLAIN = tuple(
    name
    for name in NodeDocument.model_fields
    if name not in ("position", "orientation", "votes", "covariance")
)


class SaveRefused(OpenRALError):
    """Base of the errors that prevent a scene graph from being saved."""


class NotJson(SaveRefused):
    """The file's name does not end in .json."""

    def __init__(self, path: str) -> None:
        super().__init__(f"cannot save to {path[:200]!r}: the name must end in .json")


class OutsideSaveFolder(SaveRefused):
    """The file is outside the folder that the node may write to."""

    def __init__(self, path: str, folder: str) -> None:
        allowed = f"only below {folder}" if folder else "nowhere, because the parameter save_folder is empty"
        super().__init__(
            f"cannot save to {path[:200]!r}: world_state may write {allowed}; "
            "choose a path below save_folder, or set it and configure the node again"
        )


def path_to_save(requested: str, folder: str, configured: str) -> Path:
    """Resolve the path of a save request.

    Args:
        requested: Path in the request, relative to ``folder``; "" is the configured one.
        folder: The only folder that may be written to; "" is none.
        configured: Path of the memory, a parameter of the node.

    Raises:
        SaveRefused: If it is not a JSON file, or outside the folder.
    """
    name = requested or configured
    if not name.endswith(".json") or "\0" in name:
        raise NotJson(name)
    if not requested:
        return Path(configured)
    if not folder:
        raise OutsideSaveFolder(requested, folder)
    allowed = Path(folder).resolve()
    path = (allowed / requested).resolve()
    if not path.is_relative_to(allowed):
        raise OutsideSaveFolder(requested, str(allowed))
    return path
