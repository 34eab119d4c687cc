"""What does not move in a home, and the people in it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from openral_core.maps import Doorway, Room
from openral_core.scene_graph import SceneNode
from openral_world_state.homes.sites import Site, Triple

FARTHEST = 1e6
"""From the map's origin along an axis [m]: farther than any map of places that a robot drives to."""


def is_on_map(point: Iterable[float]) -> bool:
    """Whether coordinates can be those of a place; false for those that are not finite."""
    return all(abs(value) <= FARTHEST for value in point)


@dataclass(frozen=True)
class Area:
    """A room as a node, with its outline."""

    node: SceneNode
    outline: Room


@dataclass(frozen=True)
class Home:
    """Rooms, sites and agents by id; empty when nothing is known of the home."""

    areas: tuple[Area, ...] = ()
    sites: tuple[Site, ...] = ()
    agents: tuple[SceneNode, ...] = ()
    doorways: tuple[Doorway, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Site]:
        """Sites by id."""
        return {site.node.id: site for site in self.sites}

    @cached_property
    def nodes(self) -> Mapping[str, SceneNode]:
        """Every fixed node and agent by id."""
        parts = ((a.node for a in self.areas), (s.node for s in self.sites), self.agents)
        return {node.id: node for part in parts for node in part}

    @cached_property
    def containers(self) -> tuple[Site, ...]:
        """Sites that enclose something."""
        return tuple(site for site in self.sites if site.interior is not None)

    def room_at(self, point: Triple) -> str:
        """Id of the room a map point is in, "" outside of all."""
        return next((a.node.id for a in self.areas if a.outline.contains(point[0], point[1])), "")

    def container_at(self, point: Triple) -> Site | None:
        """The container that encloses a map point."""
        return next((site for site in self.containers if site.encloses(point)), None)

    def support_of(self, point: Triple, bottom: float) -> Site | None:
        """The site that a thing at ``point`` with its lowest point at ``bottom`` [m] lies on."""
        return next((site for site in self.sites if site.shelf_under(point, bottom) is not None), None)

    def nearest_site(self, point: Triple, within: float) -> Site | None:
        """The site of the same room nearest on the floor plan, at most ``within`` [m] away."""
        room = self.room_at(point)
        near = ((site.distance(point), site.node.id, site) for site in self.sites if site.room == room)
        distance, _, site = min(near, default=(within + 1.0, "", None), key=lambda each: each[:2])
        return site if distance <= within else None
