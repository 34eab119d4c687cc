"""The scene graph as a document."""

from openral_world_state.graphs.documents import SCHEMA_VERSION, read_graph, write_graph

__all__ = ["SCHEMA_VERSION", "read_graph", "write_graph"]
