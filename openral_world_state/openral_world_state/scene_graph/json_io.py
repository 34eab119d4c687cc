"""Scene graphs as JSON documents, readable by networkx.node_link_graph, and the paths to save them to."""

import json
from pathlib import Path
from typing import Literal

from pydantic import Field, FiniteFloat

from openral_core.documents import Document, InvalidDocument, parse_document
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import (
    NodeKind,
    Opening,
    Presence,
    Relation,
    SceneEdge,
    SceneGraph,
    SceneNode,
)

SCHEMA_VERSION: Literal[1] = 1
"""Version of the document's format; a reader refuses any other."""
Vector = tuple[FiniteFloat, FiniteFloat, FiniteFloat]
Quaternion = tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]


class NodeDocument(Document):
    """One node; see `SceneNode` for meaning and units."""

    id: str = Field(min_length=1, max_length=200)
    kind: NodeKind
    label: str = Field(min_length=1, max_length=200)
    position: Vector
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)
    size: Vector = (0.0, 0.0, 0.0)
    aliases: tuple[str, ...] = ()
    votes: dict[str, FiniteFloat] = Field(default_factory=dict)
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
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps(document_from_graph(graph), indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def read_graph(path: Path) -> SceneGraph:
    """Read a graph from JSON.

    Raises:
        InvalidDocument: If it cannot be read, naming each wrong key.
        InvalidSceneGraph: If ids repeat or edges dangle.
        InvalidGeometry: If a quaternion has no direction.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidDocument(path, [str(error)]) from error
    if not isinstance(content, dict):
        raise InvalidDocument(path, [f"expected an object of keys, found {type(content).__name__}"])
    return graph_from_document(parse_document(GraphDocument, content, path))


def document_from_graph(graph: SceneGraph) -> dict[str, object]:
    """Convert a graph to plain JSON values."""
    header = Header(schema_version=SCHEMA_VERSION, map_epoch=graph.map_epoch, revision=graph.revision)
    document = GraphDocument(
        graph=header,
        nodes=tuple(map(_document_from_node, graph.nodes)),
        edges=tuple(
            EdgeDocument(source=e.source, target=e.target, key=e.relation, weight=e.weight)
            for e in graph.edges
        ),
    )
    return document.model_dump(mode="json")


def graph_from_document(document: GraphDocument) -> SceneGraph:
    """Convert a validated document to a graph."""
    return SceneGraph(
        nodes=tuple(map(_node_from_document, document.nodes)),
        edges=tuple(SceneEdge(e.source, e.key, e.target, e.weight) for e in document.edges),
        map_epoch=document.graph.map_epoch,
        revision=document.graph.revision,
    )


def _document_from_node(node: SceneNode) -> NodeDocument:
    return NodeDocument(
        position=node.pose.position,
        orientation=node.pose.orientation,
        votes=dict(node.votes),
        covariance=tuple(node.covariance),
        **{name: getattr(node, name) for name in _PLAIN},
    )


def _node_from_document(document: NodeDocument) -> SceneNode:
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
