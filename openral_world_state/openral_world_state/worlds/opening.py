"""A world from its files."""

import json
from pathlib import Path

from openral_core.maps import HomeMap
from openral_core.scene_graph import NodeKind, SceneGraph
from openral_core.text import Thesaurus
from openral_world_state.graphs.documents import GraphDocument, document_of, graph_of, read_graph
from openral_world_state.homes import Home, home_of_graph, home_of_map
from openral_world_state.memories import Memory, record_of
from openral_world_state.worlds.settings import Settings
from openral_world_state.worlds.world import World

_HOME = "home"


def open_world(home_map: HomeMap | None, memory_path: str, settings: Settings, thesaurus: Thesaurus) -> World:
    """The world that a map and a memory file describe.

    Args:
        home_map: Rooms and furniture; None takes those of the memory file.
        memory_path: "" for a memory that dies with the process; ``*.json`` is read once and stays as
            it is; anything else is the SQLite file that memory lives in, made when missing.
        settings: Limits and gates.
        thesaurus: Decides which label answers which words.

    Raises:
        InvalidDocument: If the JSON is not a graph.
        UnreadableMemory: If the file is no memory; it is left untouched.
        NewerMemory: If a later version wrote it; it is left untouched.
        MemoryInUse: If another process writes it.
    """
    if memory_path.endswith(".json"):
        graph = read_graph(Path(memory_path))
        memory = Memory(None, thesaurus)
        import_graph(memory, graph)
    else:
        memory = Memory(Path(memory_path) if memory_path else None, thesaurus)
    _unanchor(memory, settings.map_epoch)
    home = home_of_map(home_map, settings.map_epoch) if home_map else _remembered_home(memory)
    return World(memory, home, settings, thesaurus)


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


def _remembered_home(memory: Memory) -> Home:
    text = memory.facts.get(_HOME)
    return home_of_graph(graph_of(GraphDocument.model_validate_json(text))) if text else Home()
