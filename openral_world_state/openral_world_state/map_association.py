"""Association of observations with the map: its furniture and appliances, and its people where they stand.

What the map has is no object beside it; a piece that stands elsewhere than the map says is one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from openral_core.geometry import Pose
from openral_core.spatial_memory import SceneNode
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.box_overlap import nested_part
from openral_world_state.observation import Observation
from openral_world_state.people import is_person
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord, Triple
from openral_world_state.static_map import StaticMap

FURNITURE = "furniture"
_MARGIN = 0.1
"""Distance from a piece's box up to which views of it reach [m]: errors of map, localisation and lift."""
_LEAST, _LEAST_OTHER = 0.4, 0.7
"""Part of a view's box in the piece's own [1], of its name, and of another kind of furniture."""


@dataclass(frozen=True, slots=True)
class MapAssociator:
    """Tell which node of the map an observation shows."""

    home: StaticMap
    thesaurus: Thesaurus

    def node_of(self, box: Observation | ObjectRecord) -> SceneNode | None:
        """Return the node of the map whose space a box fills, of its name first; None if there is none."""
        best: tuple[bool, float, SceneNode] | None = None
        for node, pose, margin in self._boxes():
            part = part_within(box, pose, node.size, margin)
            is_named = part >= _LEAST and self._is_named(box.label, node)
            if not is_named and (part < _LEAST_OTHER or not self._is_furniture(box.label)):
                continue
            if best is None or (is_named, part) > best[:2]:
                best = is_named, part, node
        return best and best[2]

    def take_over(self, memory: SpatialMemory) -> None:
        """Merge records of what the map has into its nodes, but for what was held or an operator named."""
        for node, pose, margin in self._boxes():
            reach = margin + math.hypot(*node.size) / 2.0
            for record, _ in list(memory.near(pose.position, reach)):
                is_doubtful = record.map_epoch == node.map_epoch and not record.is_certain
                if is_doubtful and self.node_of(record) == node:
                    memory.forget(record.id, merged_into=node.id)

    def _boxes(self) -> Iterator[tuple[SceneNode, Pose, float]]:
        """Yield nodes with the poses of their boxes and how far a view reaches beyond [m]: a door swings."""
        for site in self.home.sites:
            if site.footprint is not None:
                yield site.node, site.node.pose, _MARGIN + (max(site.node.size[:2]) if site.interior else 0.0)
        yield from ((p.node, p.node.pose, _MARGIN) for p in self.home.parts if min(p.node.size) > 0.0)
        for agent in self.home.agents:
            x, y, z = agent.pose.position
            yield agent, replace(agent.pose, position=(x, y, z + agent.size[2] / 2.0)), _MARGIN

    def _is_named(self, label: str, node: SceneNode) -> bool:
        if node in self.home.agents:
            return is_person(label, self.thesaurus)
        names = (node.label, *node.aliases)
        return any(self.thesaurus.relation(label, name) is not TermRelation.NONE for name in names)

    def _is_furniture(self, label: str) -> bool:
        return self.thesaurus.relation(FURNITURE, label).is_hit


def part_within(box: Observation | ObjectRecord, pose: Pose, size: Triple, margin: float) -> float:
    """Part of the smaller box that lies in the other [1], one of the map with a margin [m]."""
    a, b, c = (side + 2.0 * margin for side in size)
    return nested_part(pose, (a, b, c), box.pose, box.size)
