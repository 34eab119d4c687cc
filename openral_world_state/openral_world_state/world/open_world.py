"""Open the world model of a map and a memory file, and keep the home that was found with memory.

Without a map, the home is the one that memory keeps: rooms, furniture and people, imported or found.
"""

import json
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from openral_core.errors import OpenRALError
from openral_core.home_map import HomeMap
from openral_core.spatial_memory import NodeKind, SceneGraph
from openral_core.text import Thesaurus
from openral_world_state.scene_graph import (
    GraphDocument,
    document_from_graph,
    graph_from_document,
    read_graph,
)
from openral_world_state.spatial_memory.errors import reading
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import record_from_node
from openral_world_state.static_map import StaticMap, static_map_from_graph, static_map_from_home
from openral_world_state.world.map_change import bring_along
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

_HOME = "home"
_GRAPH: TypeAdapter[GraphDocument | None] = TypeAdapter(GraphDocument | None)


def open_world(
    home_map: HomeMap | None,
    memory_path: str,
    settings: WorldModelSettings,
    thesaurus: Thesaurus,
    *,
    newest_map: bool = False,
) -> WorldModel:
    """Open the world model of a map and a memory file.

    Args:
        home_map: Rooms and furniture; None for those stored in the memory file.
        memory_path: "" for a memory that ends with the process; ``*.json`` is read once and not written;
            any other path is the SQLite file of memory, created if missing.
        thesaurus: Relates labels to the words of a query.
        newest_map: Use the newest map epoch in memory instead of that of the settings.

    Raises:
        InvalidDocument: If the JSON is not a graph.
        MemoryRefused: If the file cannot be used as memory; it is left untouched.
    """
    if memory_path.endswith(".json"):
        graph = read_graph(Path(memory_path))
        memory = SpatialMemory(None, thesaurus)
        import_graph(memory, graph)
    else:
        memory = SpatialMemory(Path(memory_path) if memory_path else None, thesaurus, settings.limits.objects)
    try:
        if newest_map:
            nodes = (*memory, *stored_graph(memory).nodes)
            settings = replace(settings, map_epoch=max((node.map_epoch for node in nodes), default=0))
        epoch = settings.map_epoch
        mark_old_map_missing(memory, epoch)
        home = static_map_from_home(home_map, epoch) if home_map else stored_home(memory, epoch)
        bring_along(memory, home, epoch)
        return WorldModel(memory, home, settings, thesaurus)
    except OpenRALError:
        memory.abandon()
        raise


def import_graph(memory: SpatialMemory, graph: SceneGraph) -> None:
    """Import the objects of a graph, replacing those of the same ids, and its fixed part as the home."""
    for node in graph.of_kind(NodeKind.OBJECT):
        if node.source != "map":
            memory.touch(record_from_node(node))
    put_home(memory, graph)


def keep_home(world: WorldModel) -> None:
    """Keep rooms, furniture and people with memory, as the home of a start without a map."""
    put_home(world.memory, world.graph())
    bring_along(world.memory, world.home, world.settings.map_epoch)


def mark_old_map_missing(memory: SpatialMemory, map_epoch: int) -> None:
    """Mark objects of an older map as missing, so that the next one seen of their label updates them."""
    for record in memory:
        if record.map_epoch < map_epoch and not record.misses:
            record.misses = 1
            memory.touch(record)
    memory.commit()


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
