"""The scene graph as a document."""

from openral_world_state.graphs.documents import SCHEMA_VERSION, read_graph, write_graph
from openral_world_state.graphs.saving import NotJson, OutsideSaveFolder, SaveRefused, path_to_save

__all__ = [
    "SCHEMA_VERSION",
    "NotJson",
    "OutsideSaveFolder",
    "SaveRefused",
    "path_to_save",
    "read_graph",
    "write_graph",
]
