"""A world from its files."""

import json
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from openral_core.errors import OpenRALError
from openral_core.maps import HomeMap
from openral_core.scene_graph import NodeKind, SceneGraph
from openral_core.text import Thesaurus
from openral_world_state.graphs.documents import GraphDocument, document_of, graph_of, read_graph
from openral_world_state.homes import Home, home_of_graph, home_of_map
from openral_world_state.memories import Memory, reading, record_of
from openral_world_state.worlds.settings import Settings
from openral_world_state.worlds.world import World

_HOME = "home"
_GRAPH: TypeAdapter[GraphDocument | None] = TypeAdapter(GraphDocument | None)


def open_world(
    home_map: HomeMap | None,
    memory_path: str,
    settings: Settings,
    thesaurus: Thesaurus,
    *,
    newest_map: bool = False,
) -> World:
    """The world that a map and a memory file describe.

    Args:
        home_map: Rooms and furniture; None takes those of the memory file.
        memory_path: "" for a memory that dies with the process; ``*.json`` is read once and stays as
            it is; anything else is the SQLite file that memory lives in, made when missing.
        settings: Limits and gates.
        thesaurus: Decides which label answers which words.
        newest_map: Take the newest map epoch that memory holds, whatever the settings say.

    Raises:
        InvalidDocument: If the JSON is not a graph.
        MemoryRefused: If the file cannot be used as memory; it is left untouched.
    """
    if memory_path.endswith(".json"):
        graph = read_graph(Path(memory_path))
        memory = Memory(None, thesaurus)
        import_graph(memory, graph)
    else:
        memory = Memory(Path(memory_path) if memory_path else None, thesaurus)
    try:
        if newest_map:
            settings = replace(settings, map_epoch=_newest_map(memory))
        epoch = settings.map_epoch
        _unanchor(memory, epoch)
        home = home_of_map(home_map, epoch) if home_map else _remembered_home(memory, epoch)
        return World(memory, home, settings, thesaurus)
    except OpenRALError:
        memory.abandon()
        raise


def import_graph(memory: Memory, graph: SceneGraph) -> None:
    """Take the objects of a graph in, over those of the same ids, and its fixed part as the home."""
    for node in graph.of_kind(NodeKind.OBJECT):
        if node.source != "map":
            memory.touch(record_of(node))
    fixed = [n for n in graph.nodes if n.kind is not NodeKind.OBJECT or n.source == "map"]
    ids = {node.id for node in fixed}
    edges = tuple(e for e in graph.edges if e.source in ids and e.target in ids)
    memory.put_fact(_HOME, json.dumps(document_of(SceneGraph(tuple(fixed), edges))))
    memory.commit()


def _unanchor(memory: Memory, map_epoch: int) -> None:
    """Objects of an older map are not where their pose says: the next one seen of their name is theirs."""
    for record in memory:
        if record.map_epoch < map_epoch and not record.misses:
            record.misses = 1
            memory.touch(record)
    memory.commit()


def _newest_map(memory: Memory) -> int:
    graph = _remembered_graph(memory)
    return max((each.map_epoch for each in (*memory, *graph.nodes)), default=0)


def _remembered_graph(memory: Memory) -> SceneGraph:
    document = memory.fact(_HOME, _GRAPH, None)
    with reading(memory.name):
        return SceneGraph() if document is None else graph_of(document)


def _remembered_home(memory: Memory, map_epoch: int) -> Home:
    """The fixed part that was imported into memory, as far as it is of this map."""
    graph = _remembered_graph(memory)
    nodes = tuple(node for node in graph.nodes if node.map_epoch == map_epoch)
    ids = {node.id for node in nodes}
    return home_of_graph(SceneGraph(nodes, tuple(e for e in graph.edges if {e.source, e.target} <= ids)))
