"""The home that memory keeps: rooms, furniture and people, imported or found."""

import json

from pydantic import TypeAdapter

from openral_core.spatial_memory import NodeKind, SceneGraph
from openral_world_state.scene_graph import GraphDocument, document_from_graph, graph_from_document
from openral_world_state.spatial_memory.errors import reading
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.static_map import StaticMap, static_map_from_graph

_HOME = "home"
_GRAPH: TypeAdapter[GraphDocument | None] = TypeAdapter(GraphDocument | None)


def put_home(memory: SpatialMemory, graph: SceneGraph) -> None:
    """Keep the fixed part of a graph with memory, as the home of a start without a map."""
    fixed = [n for n in graph.nodes if n.kind is not NodeKind.OBJECT or n.source == "map"]
    ids = {node.id for node in fixed}
    edges = tuple(e for e in graph.edges if e.source in ids and e.target in ids)
    memory.put_fact(_HOME, json.dumps(document_from_graph(SceneGraph(tuple(fixed), edges))))
    memory.commit()


def stored_graph(memory: SpatialMemory) -> SceneGraph:
    """Read the fixed part that was imported into memory; empty if there is none."""
    document = memory.fact(_HOME, _GRAPH, None)
    with reading(memory.name):
        return SceneGraph() if document is None else graph_from_document(document)


def stored_home(memory: SpatialMemory, map_epoch: int) -> StaticMap:
    """Build the static map from the fixed part that was imported into memory, of this map epoch."""
    graph = stored_graph(memory)
    nodes = tuple(node for node in graph.nodes if node.map_epoch == map_epoch)
    ids = {node.id for node in nodes}
    return static_map_from_graph(
        SceneGraph(nodes, tuple(e for e in graph.edges if {e.source, e.target} <= ids))
    )
