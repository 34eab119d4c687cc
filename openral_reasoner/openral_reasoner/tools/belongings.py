"""Read-only tool list_objects: what memory has in a place or room, and where each object belongs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.spatial_memory import (
    CONFIRMED,
    NodeKind,
    Opening,
    Presence,
    Relation,
    SceneGraph,
    SceneNode,
)
from openral_reasoner.behaviors.preconditions import may_be_held
from openral_reasoner.behaviors.requests import MEMORY, pause, read_scene, wait_for
from openral_reasoner.context import Frontier, ObjectSummary, ToolResult
from openral_reasoner.evidence import CARRIED, Listed, looked_at
from openral_reasoner.likely_places.belief import Belonging, belongings, keeping_places
from openral_reasoner.likely_places.immovable import may_be_carried
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import PlaceEntry, ToolPalette
from openral_reasoner.search import Point, RouteLengths, site_of
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool
from openral_reasoner.tools.exploration import seen_ago

MAX_LISTED = 40
"""Most objects, and most places, of one reply; those out of place come first."""
LOOKING = 4.0
"""Time in which the continuous detectors and memory take in what the robot faces [s]."""
IN_VIEW_WORDS = "; in_view is seen now, but has no place in the map and cannot be a target"
_IN_ROOM = (Relation.IN_ROOM, Relation.PART_OF)


class ListObjectsTool(Tool):
    """List remembered objects, misplaced first, where each belongs, and places not yet looked at."""

    tool: Literal["list_objects"] = "list_objects"
    within: str = Field(default="", max_length=128, description="place or room; empty: the home")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available

    @override
    def check(self, mission: Mission) -> None:
        if self.within and self.within not in _areas(mission.palette):
            raise InvalidCall("place or room", self.within, _areas(mission.palette))

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        yield from wait_for(mission, MEMORY)
        mission.spend("recalls")
        call_id = mission.next_id("list")
        mission.begin(call_id, "list_objects", within=self.within or "the home")
        if self.within and mission.base.faced_target == self.within and mission.palette.continuous_detectors:
            yield from pause(mission, LOOKING)
        graph, robot = yield from read_scene(mission)
        looks = mission.palette.continuous_detectors and not mission.palette.places
        is_answer = bool(graph.nodes or mission.in_view or looks)
        mission.finish(call_id, "LISTED" if is_answer else "UNAVAILABLE")
        if not is_answer:
            return ToolResult(status="UNAVAILABLE", text="memory did not answer")
        return _Listing(mission, graph, robot.position if robot else None, self.within).reply()


def _areas(palette: ToolPalette) -> tuple[str, ...]:
    return tuple(each.id for each in palette.places if each.kind is not NodeKind.AGENT)


class _Listing:
    """Objects and places within an area, from one scene graph."""

    def __init__(self, mission: Mission, graph: SceneGraph, start: Point | None, within: str) -> None:
        self.mission, self.graph, self.start, self.within = mission, graph, start, within
        self._ways, self._weights = RouteLengths(graph), mission.settings.weights
        self._rooms = {e.source: e.target for e in graph.edges if e.relation in _IN_ROOM}
        labels = {each: graph.by_id[room].label for each, room in self._rooms.items()}
        self._sites = {p.id: site_of(graph.by_id[p.id], labels) for p in self._places() if not p.on_floor}
        self._inside = {e.source: e.target for e in graph.edges if e.relation is Relation.IN}
        on = {(e.source, e.target) for e in graph.edges if e.relation is Relation.ON}
        self._kept_by = on | set(self._inside.items())
        self._furniture = {name.lower() for name in self._names_of_furniture()}

    def reply(self) -> ToolResult:
        """Note the list as evidence, learn its objects and return it."""
        all_belongings = belongings(self.graph, self._sites, self._weights)
        inside = [self._near_first(each) for each in all_belongings if self._is_listed(each)]
        inside.sort(key=lambda each: (not each.misplaced, self._trip(each), each.node.id))
        objects = [self._learn(each) for each in inside]
        misplaced = tuple(each.node.id for each in inside if each.misplaced)
        self.mission.note(Listed(self.within, tuple(each.node() for each in objects), misplaced))
        listed = tuple(map(self._summary, inside[:MAX_LISTED], objects))
        text = (
            f"memory has {len(inside)} objects here, {len(misplaced)} of them out of place; "
            "the ids below may be used as targets"
        )
        more = f"; {len(inside) - MAX_LISTED} more are not shown" if len(inside) > MAX_LISTED else ""
        in_view = () if self.within else self.mission.in_view[:MAX_LISTED]
        return ToolResult(
            status="LISTED",
            text=text + more + (IN_VIEW_WORDS if in_view else ""),
            found=(*self._held(), *listed),
            frontier=self._not_looked_at(),
            in_view=in_view,
        )

    def _near_first(self, each: Belonging) -> Belonging:
        """Prefer places in the room where the object is: any of them is as good as the best."""
        room = self._rooms.get(each.place or each.node.id, "")
        near = sorted(each.belongs_at, key=lambda place: self._rooms.get(place, "") != room)
        return replace(each, belongs_at=tuple(near))

    def _places(self) -> Iterator[PlaceEntry]:
        """Yield the places of the palette that the graph has too."""
        return (
            p for p in self.mission.palette.places if p.kind is NodeKind.PLACE and p.id in self.graph.by_id
        )

    def _is_listed(self, each: Belonging) -> bool:
        node = each.node
        carried = not each.place and may_be_held_by_name(node, self.mission.palette.holding)
        known_object = self.mission.objects.get(node.id)
        doubtful = node.presence is Presence.GONE or node.confidence < CONFIRMED
        refuted = doubtful or (known_object is not None and known_object.disproved)
        name = node.label.lower()
        movable = may_be_carried(node) and name not in self._furniture
        placed = bool(each.place or node.id in self._rooms)
        here = self._is_within(node.id, each.place)
        beside = self.within == each.place and not self._is_at(node.id, each.place)
        return placed and movable and here and not (carried or refuted or beside)

    def _names_of_furniture(self) -> Iterator[str]:
        """Yield the names of places, and of pieces that are no places, such as a plant of the map."""
        for site in self._sites.values():
            yield from site.names
        for edge in self.graph.edges:
            if edge.relation is Relation.AT_PLACE and edge.target not in self._sites:
                node = self.graph.by_id[edge.target]
                yield from (node.label, *node.aliases)

    def _is_at(self, node_id: str, place: str) -> bool:
        """Return True if an object is on or in a piece of furniture, and not on the floor beside it."""
        return place not in self._sites or (node_id, place) in self._kept_by

    def _is_within(self, node_id: str, place: str) -> bool:
        room = self._rooms.get(place or node_id, self._rooms.get(node_id, ""))
        return self.within in ("", place, room)

    def _trip(self, each: Belonging) -> tuple[float, float]:
        """Return the way to an object and on to where it belongs, and of it the way to the object [m]."""
        here = each.node.pose.position
        to = self._ways.between(self.start, here) if self.start else 0.0
        goal = self.graph.by_id[each.belongs_at[0]].pose.position if each.belongs_at else here
        return to + self._ways.between(here, goal), to

    def _closed(self, place: str) -> bool:
        node = self.graph.by_id.get(place)
        return node is not None and node.occludes_contents and node.opening is not Opening.OPEN

    def _learn(self, each: Belonging) -> MissionObject:
        node, container = each.node, self._inside.get(each.node.id, "")
        known_object = MissionObject(
            id=node.id,
            label=node.label,
            kind=NodeKind.OBJECT.value,
            pose=node.pose,
            words=node.label,
            size=node.size,
            room=self._rooms.get(each.place or node.id, ""),
            place=each.place,
            containers=(container,) if container else (),
            must_open=container if self._closed(container) else "",
            stale=node.presence is not Presence.PRESENT,
            why=seen_ago(node, self.mission.scene_time),
        )
        return self.mission.learn(known_object)

    def _summary(self, each: Belonging, known_object: MissionObject) -> ObjectSummary:
        places = each.belongs_at
        if set(places) == {self.within}:
            elsewhere = {place: site for place, site in self._sites.items() if place != self.within}
            places += keeping_places(SceneGraph(), elsewhere, each.node.label, self._weights)
        closed = tuple(filter(self._closed, places))
        placement = {"belongs_at": places, "closed": closed, "misplaced": each.misplaced}
        return known_object.summary().model_copy(update=placement)

    def _held(self) -> tuple[ObjectSummary, ...]:
        """Return the object in the hand, whatever was asked for: it has no place yet."""
        held_object = self.mission.objects.get(self.mission.hand.object_id)
        label = held_object.label if held_object else self.mission.palette.holding
        if not label:
            return ()
        to = keeping_places(SceneGraph(), self._sites, label, self._weights)
        shut = tuple(filter(self._closed, to))
        name = held_object.id if held_object else CARRIED
        return (
            ObjectSummary(id=name, label=label, belongs_at=to, closed=shut, misplaced=bool(to), held=True),
        )

    def _not_looked_at(self) -> tuple[Frontier, ...]:
        """Return the places within the area that no skill faced yet, each the nearest to the one before."""
        looked = looked_at(self.mission.evidence)
        unseen = [p for p in self._places() if p.id not in looked and self._is_within(p.id, p.id)]
        order, here = list[PlaceEntry](), self.start
        while unseen and len(order) < MAX_LISTED:
            nearest = min(unseen, key=lambda p: (self._way_to(p.id, here), p.id))
            unseen.remove(nearest)
            order.append(nearest)
            here = self.graph.by_id[nearest.id].pose.position
        return tuple(
            Frontier(
                id=p.id, label=p.label, why="not looked at in this mission", must_open=self._closed(p.id)
            )
            for p in order
        )

    def _way_to(self, place: str, start: Point | None) -> float:
        return self._ways.between(start, self.graph.by_id[place].pose.position) if start else 0.0


def may_be_held_by_name(node: SceneNode, holding: str) -> bool:
    """Return True if an object's label may be that of the held one."""
    named = MissionObject(id=node.id, label=node.label, kind=NodeKind.OBJECT.value, pose=None)
    return bool(holding) and may_be_held(named, "", holding)
