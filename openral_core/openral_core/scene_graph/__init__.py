"""The scene graph's types: objects, places, rooms, agents and how they relate."""

from openral_core.scene_graph.edges import Relation, SceneEdge
from openral_core.scene_graph.graph import InvalidSceneGraph, SceneGraph
from openral_core.scene_graph.nodes import NodeKind, Opening, Presence, SceneNode

__all__ = [
    "InvalidSceneGraph",
    "NodeKind",
    "Opening",
    "Presence",
    "Relation",
    "SceneEdge",
    "SceneGraph",
    "SceneNode",
]
