"""Where is this, and how does one get there?"""
# MERGED Names of rooms, places, furniture and people.

import math
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from openral_core.geometry import Pose
from openral_core.memory_queries import ResolveQuery, ResolveResult, ResolveStatus
from openral_core.scene_graph import NodeKind, Presence, SceneNode
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_world_state.home.model import StaticMap, is_on_map
from openral_world_state.navigation.grid import FloorGrid
from openral_world_state.navigation.routes import Routes, choose_viewpoint
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord


class ReferenceNames:
    """Fixed nodes by label and alias."""

    def __init__(self, home: StaticMap, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._names = {node.id: (node.label, *node.aliases) for node in home.nodes.values()}

    def answering(self, words: str) -> list[str]:
        """Ids whose label says exactly that, else an alias, else a synonym, else a narrower thing.

        Raises:
            UnreadableText: If the words name nothing.
        """
        asked = self._thesaurus.parse(words).text
        exact = [name for name, (label, *_) in self._names.items() if self._text(label) == asked]
        alias = [name for name, (_, *rest) in self._names.items() if asked in map(self._text, rest)]
        return (
            exact
            or alias
            or self._related(words, TermRelation.EQUAL)
            or self._related(words, TermRelation.NARROWER)
        )

    def nearest(self, words: str) -> tuple[str, ...]:
        """Labels that look most like the words."""
        return tuple(
            get_close_matches(words.casefold(), [label for label, *_ in self._names.values()], 3, 0.3)
        )

    def _related(self, words: str, relation: TermRelation) -> list[str]:
        return [
            n for n, (label, *_) in self._names.items() if self._thesaurus.relation(words, label) is relation
        ]

    def _text(self, label: str) -> str:
        return self._thesaurus.parse(label).text


_ME = frozenset(("me", "myself", "requester", "here", "where i am", "the person who asked"))
_STOOD = frozenset(("where i was", "where i was standing", "where i stood", "where i asked"))
_BESIDE_A_PERSON = 0.9


@dataclass(frozen=True, slots=True)
class ResolveRequestHandler:
    """Answers resolve queries from the home, then from memory.

    Args:
        home: Rooms, sites and agents.
        memory: Remembered objects.
        names: Names of what is fixed.
        floor: Where the robot fits; None when no map is known.
        routes: Ways between places; None when no map is known.
        viewpoint: Standing pose for a remembered object.
        stood: Where an agent stood when they last spoke.
        map_epoch: Objects of another map have no usable pose.
        default_agent: Who "me" is when the query does not say.
    """

    home: StaticMap
    memory: SpatialMemory
    names: ReferenceNames
    floor: FloorGrid | None
    routes: Routes | None
    viewpoint: Callable[[ObjectRecord], Pose | None]
    stood: Callable[[str], SceneNode | None]
    map_epoch: int = 0
    default_agent: str = ""
    standoff: float = 0.75

    def ask(self, query: ResolveQuery) -> ResolveResult:
        """A typed answer; FOUND alone carries poses."""
        reference, agent = query.reference.strip(), query.requester or self.default_agent
        if query.start is not None and not is_on_map(query.start):
            return ResolveResult(ResolveStatus.BAD_QUERY, f"start {query.start} is on no map")
        stood = self.stood(agent) if reference.casefold() in _STOOD else None
        if stood is not None:
            return self._answer(stood, query)
        if reference.casefold() in _ME | _STOOD:
            reference = agent or reference
        try:
            found = self._candidates(reference)
        except UnreadableText as error:
            return ResolveResult(ResolveStatus.BAD_QUERY, str(error))
        if len(found) == 1:
            return self._one(found[0], query)
        if not found:
            return self._unknown(reference)
        message = f"{reference!r} may be any of {', '.join(found)}: say which"
        return ResolveResult(ResolveStatus.AMBIGUOUS, message, candidates=tuple(found))

    def _one(self, name: str, query: ResolveQuery) -> ResolveResult:
        fixed = self.home.nodes.get(name)
        if fixed is not None:
            return self._answer(fixed, query)
        record = self.memory.get(name)
        if self._is_usable(record):
            return self._answer(record.node(), query)
        why = (
            f"was remembered in another map ({record.map_epoch}, this is {self.map_epoch})"
            if record.map_epoch != self.map_epoch
            else "was looked for and is gone"
        )
        message = f"{record.id!r} {why}: where it is will be known when it is seen again"
        kind = NodeKind.OBJECT.value
        return ResolveResult(ResolveStatus.NOT_FOUND, message, kind=kind, node_id=record.id)

    def _is_usable(self, record: ObjectRecord) -> bool:
        return record.presence is not Presence.GONE and record.map_epoch == self.map_epoch

    def _candidates(self, reference: str) -> list[str]:
        if reference in self.home.nodes:
            return [reference]
        if reference in self.memory:
            return [self.memory.current_id(reference)]
        fixed = self.names.answering(reference)
        return fixed or self._objects(reference)

    def _objects(self, reference: str) -> list[str]:
        hits = {record.id: record for record, _ in self.memory.hits(reference) if self._is_usable(record)}
        return sorted(hits, key=lambda name: (hits[name].presence.value, -hits[name].confidence, name))[:5]

    def _answer(self, node: SceneNode, query: ResolveQuery) -> ResolveResult:
        name, goal = node.id, self._goal(node)
        if goal is None:
            message = f"no standing place for {node.label!r} is known or free"
            return ResolveResult(ResolveStatus.UNREACHABLE, message, kind=node.kind.value, node_id=name)
        path, length = self._path(goal, name, query)
        if math.isinf(length):
            message = f"there is no way to {node.label!r} from where the robot is"
            return ResolveResult(ResolveStatus.UNREACHABLE, message, kind=node.kind.value, node_id=name)
        return ResolveResult(
            status=ResolveStatus.FOUND,
            message=f"{query.reference!r} is the {node.kind.value} {name} ({node.label})",
            goal_pose=goal,
            target_pose=node.pose,
            kind=node.kind.value,
            node_id=name,
            path=path,
            path_length=length,
        )

    def _goal(self, node: SceneNode) -> Pose | None:
        x, y, _ = node.pose.position
        if node.kind is NodeKind.ROOM:
            return self._in_room(node)
        if node.kind is NodeKind.AGENT:
            ahead = (x + math.cos(node.pose.yaw), y + math.sin(node.pose.yaw))
            return choose_viewpoint(self.floor, (x, y), _BESIDE_A_PERSON, None, ahead) if self.floor else None
        if node.kind is NodeKind.OBJECT and node.id in self.memory:
            return self.viewpoint(self.memory.get(node.id))
        site = self.home.by_id.get(node.id)
        if site is None:
            return node.pose
        if site.standing is not None or self.floor is None:
            return site.standing
        return choose_viewpoint(self.floor, (x, y), max(node.size[:2]) / 2.0 + self.standoff, None, None)

    def _in_room(self, room: SceneNode) -> Pose | None:
        """A free-standing place of the room, the one nearest its middle; else any of its places."""
        stands = [s for s in self.home.sites if s.room == room.id and s.standing is not None]
        spots = [s for s in stands if s.footprint is None] or stands
        poses = [s.standing for s in spots if s.standing is not None]
        if poses:
            return min(poses, key=lambda pose: pose.distance(room.pose))
        middle = room.pose.position
        return choose_viewpoint(self.floor, (middle[0], middle[1]), 0.3, None, None) if self.floor else None

    def _path(self, goal: Pose, name: str, query: ResolveQuery) -> tuple[tuple[str, ...], float]:
        if self.floor is None or query.start is None:
            return (), 0.0
        start, end = query.start[:2], goal.position[:2]
        length = self.floor.distances(start, [end])[0]
        if self.routes is None or math.isinf(length):
            return (), length
        last = name if name in self.routes.names else self.routes.nearest(end)
        route = self.routes.route(start, last) if last else None
        return (route.places if route else ()), length

    def _unknown(self, reference: str) -> ResolveResult:
        near = (*self.names.nearest(reference), *self.memory.labels.nearest(reference))[:5]
        message = f"{reference!r} is no room, place, person or object known here"
        return ResolveResult(ResolveStatus.NOT_FOUND, message, candidates=near)
