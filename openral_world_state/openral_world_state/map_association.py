"""Association of observations with the map: its furniture and appliances, and its people where they stand.

What the map has is no object beside it; a piece that stands elsewhere than the map says is one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from openral_core.detectors import Box
from openral_core.geometry import Pose
from openral_core.spatial_memory import SceneNode
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.box_overlap import common_volume
from openral_world_state.depth_camera import DepthView
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
_SAME_OUTLINE = 0.4
"""Intersection over union of a view's box with a piece's outline in the image from which they are one [1]."""
_LATTICE = np.stack(np.meshgrid(*3 * [np.linspace(-0.5, 0.5, 7)]), axis=-1).reshape(-1, 3)
"""Points of a piece from whose pixels its outline is taken, along its sides from its middle [1]."""
_NEAREST = 0.1
"""Depth from which such a point is in front of the camera [m]."""


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

    def node_shown(self, view: DepthView, each: Observation) -> SceneNode | None:
        """Return the node whose space an observation fills, or else whose outline its box has in the image.

        The latter where depth is doubtful: it misses thin pieces, and is of the arm that is in front of them.
        """
        node = self.node_of(each)
        if node is not None or each.box is None or not (each.truncated or each.cut or each.ambiguous):
            return node
        shared = [
            (each.box.iou(shape), node.id, node)
            for node, pose, _ in self._boxes()
            if self._is_named(each.label, node) and (shape := outline(view, pose, node.size))
        ]
        part, _, node = max(shared, key=lambda entry: entry[:2], default=(0.0, "", None))
        return node if part >= _SAME_OUTLINE else None

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
    """Part of the smaller box that lies in the other with a margin [m] around it [1]."""
    volume, own = math.prod(size), math.prod(box.size)
    if own <= volume:
        common = common_volume(pose, _widened(size, margin), box.pose, box.size)
    else:
        common = common_volume(pose, size, box.pose, _widened(box.size, margin))
    smaller = min(own, volume)
    return common / smaller if smaller > 0.0 else 0.0


def _widened(size: Triple, margin: float) -> Triple:
    a, b, c = size
    return a + 2.0 * margin, b + 2.0 * margin, c + 2.0 * margin


def outline(view: DepthView, pose: Pose, size: Triple) -> Box | None:
    """Box in the image around an upright box in map; None if it is out of view."""
    c, s = math.cos(pose.yaw), math.sin(pose.yaw)
    points = _LATTICE * size @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + pose.position
    points = view.to_camera(points)
    pixels = view.intrinsics.project(points[points[:, 2] >= _NEAREST])
    pixels = pixels[np.isfinite(pixels).all(axis=1)]
    if not len(pixels) or not np.ptp(pixels, axis=0).all():
        return None
    (x_min, y_min), (x_max, y_max) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
    return Box(x_min, y_min, x_max, y_max).clipped(view.intrinsics.width, view.intrinsics.height)
