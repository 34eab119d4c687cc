"""An immutable snapshot of the whole graph."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from openral_core.errors import OpenRALError, listed
from openral_core.scene_graph.edges import Relation, SceneEdge
from openral_core.scene_graph.nodes import NodeKind, SceneNode


class InvalidSceneGraph(OpenRALError):
    """Nodes and edges that contradict each other."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("scene graph is not consistent: " + "; ".join(problems))


@dataclass(frozen=True)
class SceneGraph:
    """Nodes by id and the relations between them, at one ``revision`` of one ``map_epoch``.

    Raises:
        InvalidSceneGraph: If an id is given twice or an edge names a missing node.
    """

    nodes: tuple[SceneNode, ...] = ()
    edges: tuple[SceneEdge, ...] = ()
    map_epoch: int = 0
    revision: int = 0

    def __post_init__(self) -> None:
        problems = []
        if len(self.by_id) != len(self.nodes):
            ids = [node.id for node in self.nodes]
            problems.append(f"ids given twice: {listed(sorted({i for i in ids if ids.count(i) > 1}))}")
        ends = {end for edge in self.edges for end in (edge.source, edge.target)}
        if missing := sorted(ends - self.by_id.keys()):
            problems.append(f"edges name missing nodes: {listed(missing)}")
        if problems:
            raise InvalidSceneGraph(problems)

    @cached_property
    def by_id(self) -> Mapping[str, SceneNode]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    def of_kind(self, kind: NodeKind) -> tuple[SceneNode, ...]:
        """Every node of one kind, in order."""
        return tuple(node for node in self.nodes if node.kind is kind)

    def targets(self, source: str, relation: Relation) -> tuple[str, ...]:
        """Ids that ``source`` points at by ``relation``."""
        return tuple(e.target for e in self.edges if e.source == source and e.relation is relation)

    def sources(self, relation: Relation, target: str) -> tuple[str, ...]:
        """Ids that point at ``target`` by ``relation``."""
        return tuple(e.source for e in self.edges if e.target == target and e.relation is relation)
