"""Resolve a reference (room, place, furniture, person or object) to a base pose, a target and a route."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from openral_core.geometry import Pose
from openral_core.home_map import UNNAMED
from openral_core.spatial_memory import (
    NodeKind,
    Presence,
    ResolveQuery,
    ResolveResult,
    ResolveStatus,
    SceneNode,
)
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_core.text.noun_phrases import without_number
from openral_world_state.existence import is_confirmed
from openral_world_state.navigation import FloorGrid, Routes, choose_viewpoint
from openral_world_state.people import PERSON
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import SiteFixture, StaticMap, is_on_map


class ReferenceNames:
    """Fixed nodes by label and alias."""

    def __init__(self, home: StaticMap, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._names = {node.id: (node.label, *node.aliases) for node in home.nodes.values()}
        self._rooms = [area.node.id for area in home.areas]
        self._room_of = {site.node.id: site.room for site in home.sites}
        # Furniture without a name is called just that, and would be whatever is asked for.
        self._furniture = {s.node.id for s in home.sites if without_number(s.node.label) != UNNAMED}

    def matching(self, text: str) -> list[str]:
        """Ids by label, else by alias, by what is said with a room, by synonym, or by a narrower label.

        A label counts without its number, too, unless another one has none.

        Raises:
            UnreadableText: If the text names nothing.
        """
        in_room = self._in_room(text, _IN_ROOM)
        if in_room is not None:
            return in_room
        exact = self._exact(text)
        if exact:
            return exact
        in_room = self._in_room(text, _OF_ROOM)
        return self._related(text) if in_room is None else in_room

    def _exact(self, text: str) -> list[str]:
        phrase, labels = self._thesaurus.parse(text).text, self._names.items()
        by_label = [name for name, (label, *_) in labels if self._text(label) == phrase]
        by_alias = [name for name, (_, *rest) in labels if phrase in map(self._text, rest)]
        return by_label or by_alias or [n for n, (x, *_) in labels if self._text(without_number(x)) == phrase]

    def _related(self, text: str) -> list[str]:
        relations = self._relations(text)
        equal = [name for name, relation in relations.items() if relation is TermRelation.EQUAL]
        return equal or [name for name, relation in relations.items() if relation is TermRelation.NARROWER]

    def broader(self, text: str) -> list[str]:
        """Ids of furniture by a broader label: a bookshelf may be known as a shelf."""
        relations = self._relations(text)
        return [n for n, each in relations.items() if each is TermRelation.BROADER and n in self._furniture]

    def _relations(self, text: str) -> Mapping[str, TermRelation]:
        labels = {name: without_number(label) for name, (label, *_) in self._names.items()}
        return {name: self._thesaurus.relation(text, label) for name, label in labels.items()}

    def _in_room(self, text: str, pattern: str) -> list[str] | None:
        """Ids of furniture that is said with its room; None if no room, or no furniture, is named."""
        for room in self._rooms:
            for name in self._names[room]:
                match = re.fullmatch(pattern.format(re.escape(name)), text.strip(), re.IGNORECASE)
                what = match and match["what"]
                ids = what and (self._exact(what) or self._related(what) or self.broader(what))
                if ids:
                    return [each for each in ids if self._room_of.get(each) == room]
        return None

    def nearest(self, text: str) -> tuple[str, ...]:
        """Labels with the most similar spelling."""
        labels = [label for label, *_ in self._names.values()]
        similar = process.extract(
            text, labels, scorer=fuzz.ratio, processor=default_process, limit=3, score_cutoff=30.0
        )
        return tuple(label for label, *_ in similar)

    def _text(self, label: str) -> str:
        return self._thesaurus.parse(label).text


_IN_ROOM, _OF_ROOM = r"(?P<what>.+?) (?:in|of) (?:the )?{0}", r"(?:the )?{0} (?P<what>.+)"
"""Furniture that is said with its room, such as "sofa in the living room" or "living room sofa"."""


_ME = frozenset(("me", "myself", "requester", "here", "where i am", "the person who asked"))
_LAST_POSE = frozenset(("where i was", "where i was standing", "where i stood", "where i asked"))
_PERSON_DISTANCE = 0.9
"""Distance from the robot's base to a person it approaches [m]: Hall's personal space, 0.45 m to 1.2 m."""
_ROOM_TOLERANCE = 0.3
"""Distance from a room's middle at which the robot stops where the room has no place [m]."""


@dataclass(frozen=True, slots=True)
class ResolveRequestHandler:
    """Answer resolve queries from the static map, then from memory.

    Args:
        home: Rooms, sites and agents.
        memory: Remembered objects.
        names: Labels and aliases of fixed nodes.
        floor: Grid of the floor plan; None without a map.
        routes: Routes between places; None without a map.
        viewpoint: Returns the base pose for a remembered object.
        last_pose_of: Returns the pose of an agent at their last message.
        map_epoch: Objects of another map have no usable pose.
        default_agent: Agent that "me" refers to if the query names none.
        people: People that were seen, by id; which way they face is not known.
        standoff: Distance to furniture without a base pose [m].
    """

    home: StaticMap
    memory: SpatialMemory
    names: ReferenceNames
    floor: FloorGrid | None
    routes: Routes | None
    viewpoint: Callable[[ObjectRecord], Pose | None]
    last_pose_of: Callable[[str], SceneNode | None]
    map_epoch: int = 0
    default_agent: str = ""
    people: Mapping[str, SceneNode] = field(default_factory=dict)
    standoff: float = 0.75

    def handle(self, query: ResolveQuery) -> ResolveResult:
        """Return a typed result; only FOUND has poses."""
        reference, agent = query.reference.strip(), query.requester or self.default_agent
        if query.start is not None and not is_on_map(query.start):
            return ResolveResult(
                ResolveStatus.BAD_QUERY, f"invalid start {query.start}: not a position on the map"
            )
        last_pose = self.last_pose_of(agent) if reference.casefold() in _LAST_POSE else None
        if last_pose is not None:
            return self._result_for(last_pose, query)
        if reference.casefold() in _ME | _LAST_POSE:
            reference = agent or reference
        try:
            ids = self._candidates(reference)
        except UnreadableText as error:
            return ResolveResult(ResolveStatus.BAD_QUERY, str(error))
        if len(ids) == 1:
            return self._resolve_id(ids[0], query)
        if not ids:
            return self._unknown(reference)
        message = f"{reference!r} is ambiguous; use one of the ids {', '.join(ids)}"
        return ResolveResult(ResolveStatus.AMBIGUOUS, message, candidates=tuple(ids))

    def _resolve_id(self, name: str, query: ResolveQuery) -> ResolveResult:
        fixed = self.home.nodes.get(name)
        if fixed is not None:
            return self._result_for(fixed, query)
        record = self.memory.get(name)
        if self._is_usable(record):
            return self._result_for(self.people.get(name) or record.node(), query)
        reason = (
            f"was last seen in map epoch {record.map_epoch}, and the current one is {self.map_epoch}"
            if record.map_epoch != self.map_epoch
            else "is gone: its last known place was seen empty"
        )
        message = f"the pose of {record.id!r} is unknown; it {reason}"
        kind = NodeKind.OBJECT.value
        return ResolveResult(ResolveStatus.NOT_FOUND, message, kind=kind, node_id=record.id)

    def _is_usable(self, record: ObjectRecord) -> bool:
        is_believed = record.presence is not Presence.GONE and is_confirmed(record)
        return is_believed and record.map_epoch == self.map_epoch

    def _candidates(self, reference: str) -> list[str]:
        if reference in self.home.nodes:
            return [reference]
        if reference in self.memory:
            return [self.memory.current_id(reference)]
        fixed = self.names.matching(reference)
        if fixed:
            return fixed
        hits = {record.id: record for record, _ in self.memory.hits(reference) if self._is_usable(record)}
        ranked = sorted(hits, key=lambda name: (hits[name].presence.value, -hits[name].confidence, name))[:5]
        return ranked or self.names.broader(reference)

    def _result_for(self, node: SceneNode, query: ResolveQuery) -> ResolveResult:
        name, goal = node.id, self._goal(node)
        if goal is None:
            message = f"{node.label!r} is unreachable: no free base pose is known for it"
            return ResolveResult(ResolveStatus.UNREACHABLE, message, kind=node.kind.value, node_id=name)
        path, length = self._path(goal, name, query)
        if math.isinf(length):
            message = f"{node.label!r} is unreachable: there is no path from the start"
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
            faced = (x + math.cos(node.pose.yaw), y + math.sin(node.pose.yaw))
            ahead = self._open_side(node) if node.id in self.people else faced
            return choose_viewpoint(self.floor, (x, y), _PERSON_DISTANCE, None, ahead) if self.floor else None
        if node.kind is NodeKind.OBJECT and node.id in self.memory:
            return self.viewpoint(self.memory.get(node.id))
        site = self.home.by_id.get(node.id)
        return self._beside(site) if site is not None else self._before(node)

    def _beside(self, site: SiteFixture) -> Pose | None:
        if site.base_pose is not None or self.floor is None:
            return site.base_pose
        (x, y, _), reach = site.node.pose.position, max(site.node.size[:2]) / 2.0 + self.standoff
        return choose_viewpoint(self.floor, (x, y), reach, None, None)

    def _before(self, part: SceneNode) -> Pose | None:
        """Return the base pose before a part of furniture, on the side that its front looks to."""
        if self.floor is None or part.kind is not NodeKind.OBJECT:
            return part.pose
        x, y, _ = part.pose.position
        ahead = (x + math.cos(part.pose.yaw), y + math.sin(part.pose.yaw))
        return choose_viewpoint(self.floor, (x, y), self.standoff, None, ahead)

    def _open_side(self, person: SceneNode) -> tuple[float, float] | None:
        """Return where most of the room is: a person is reached from there most easily."""
        room = self.home.nodes.get(self.home.room_at(person.pose.position))
        middle = self._in_room(room) if room is not None else None
        return (middle.position[0], middle.position[1]) if middle is not None else None

    def _in_room(self, room: SceneNode) -> Pose | None:
        """Return the base pose at the place nearest to the room's middle, preferably without furniture."""
        sites = [s for s in self.home.sites if s.room == room.id and s.base_pose is not None]
        spots = [s for s in sites if s.footprint is None] or sites
        poses = [s.base_pose for s in spots if s.base_pose is not None]
        if poses:
            return min(poses, key=lambda pose: pose.distance(room.pose))
        x, y, _ = room.pose.position
        return choose_viewpoint(self.floor, (x, y), _ROOM_TOLERANCE, None, None) if self.floor else None

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
        if reference.casefold() in _ME | _LAST_POSE:
            message = f"{reference!r} is unknown: no person was seen yet; search for a {PERSON!r}"
            return ResolveResult(ResolveStatus.NOT_FOUND, message)
        near = (*self.names.nearest(reference), *self.memory.labels.nearest(reference))[:5]
        message = f"unknown reference {reference!r}: no room, place, person or object matches it"
        return ResolveResult(ResolveStatus.NOT_FOUND, message, candidates=near)
