"""Read-only tool plan_deliveries: the order of several deliveries with the shortest way."""

from collections import abc
from collections.abc import Iterator
from itertools import permutations
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import override

from openral_core.spatial_memory import NodeKind, Opening, Presence, SceneGraph, SceneNode
from openral_core.text import UnreadableText
from openral_reasoner.behaviors.requests import MEMORY, read_scene, wait_for
from openral_reasoner.context import ToolResult
from openral_reasoner.likely_places.belief import thesaurus
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import Sequence
from openral_reasoner.search import Point, RouteLengths
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool

MAX_DELIVERIES = 12
"""Most deliveries of one call."""
MAX_EXACT = 6
"""Most deliveries of which every order is compared (720 orders); of more, the nearest is next."""
Name = Annotated[str, Field(min_length=1, max_length=200)]
Leg = tuple[Point, ...]
"""Points on the way of one delivery, from the first stop to the receiver."""


class PlanDeliveriesTool(Tool):
    """Order the deliveries left by the shortest way."""

    only_for = (Sequence,)
    tool: Literal["plan_deliveries"] = "plan_deliveries"
    objects: tuple[Name, ...] = Field(min_length=2, max_length=MAX_DELIVERIES)
    receivers: tuple[Name, ...] = Field(min_length=2, max_length=MAX_DELIVERIES, description="one per object")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available

    @override
    def check(self, mission: Mission) -> None:
        if len(self.receivers) != len(self.objects):
            raise InvalidCall("number of receivers", str(len(self.receivers)), (str(len(self.objects)),))

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        yield from wait_for(mission, MEMORY)
        mission.spend("recalls")
        call_id = mission.next_id("plan")
        mission.begin(call_id, "plan_deliveries", count=len(self.objects))
        graph, robot = yield from read_scene(mission)
        mission.finish(call_id, "PLANNED" if graph.nodes else "UNAVAILABLE")
        if not graph.nodes:
            return ToolResult(status="UNAVAILABLE", text="memory did not answer")
        start = robot.position if robot else None
        to = [mission.requester if each == "me" else each for each in self.receivers]
        legs = [_leg(graph, *each, start) for each in zip(self.objects, to, strict=True)]
        placed = [index for index, leg in enumerate(legs) if leg]
        order = [placed[at] for at in shortest_order([legs[i] for i in placed], start, RouteLengths(graph))]
        order += [index for index, leg in enumerate(legs) if not leg]
        text = f"numbers of the deliveries in the order to do them; memory has {len(placed)} of the objects"
        return ToolResult(status="PLANNED", text=text, order=tuple(index + 1 for index in order))


def shortest_order(legs: abc.Sequence[Leg], start: Point | None, ways: RouteLengths) -> tuple[int, ...]:
    """Return the indices of the legs in the order of the shortest way; of equal ones, the given order.

    Args:
        legs: Way of each delivery [m].
        start: Position of the robot in map [m], if known.
        ways: Lengths of routes.
    """
    inner = [sum(map(ways.between, leg, leg[1:])) for leg in legs]

    def length(order: abc.Sequence[int]) -> float:
        here, total = start, 0.0
        for index in order:
            total += inner[index] + (ways.between(here, legs[index][0]) if here else 0.0)
            here = legs[index][-1]
        return round(total, 6)

    if len(legs) <= MAX_EXACT:
        return min(permutations(range(len(legs))), key=length)
    order, remaining = list[int](), list(range(len(legs)))
    while remaining:
        order.append(min(remaining, key=lambda index: length((*order, index))))
        remaining.remove(order[-1])
    return tuple(order)


def _leg(graph: SceneGraph, words: str, to: str, start: Point | None) -> Leg:
    """Return the way of a delivery: a closed receiver is opened with the empty hand first; () if unknown."""
    objects = [node for node in _named(graph, words) if node.kind is NodeKind.OBJECT]
    receivers = [node for node in _named(graph, to) if node.kind is not NodeKind.OBJECT]
    ways = RouteLengths(graph)
    if not objects:
        return ()
    position = _nearest(objects, start, ways).pose.position
    if not receivers:
        return (position,)
    receiver = _nearest(receivers, position, ways)
    closed = receiver.occludes_contents and receiver.opening is not Opening.OPEN
    end = receiver.pose.position
    return (end, position, end) if closed else (position, end)


def _nearest(nodes: abc.Sequence[SceneNode], start: Point | None, ways: RouteLengths) -> SceneNode:
    return min(nodes, key=lambda each: ways.between(start, each.pose.position) if start else 0.0)


def _named(graph: SceneGraph, words: str) -> Iterator[SceneNode]:
    """Yield the present nodes that words mean, by id, label or alias."""
    for node in graph.nodes:
        names = (node.label, *node.aliases)
        if node.presence is not Presence.GONE and (words == node.id or any(_means(words, n) for n in names)):
            yield node


def _means(words: str, name: str) -> bool:
    try:
        return thesaurus().relation(words, name).is_hit
    except UnreadableText:
        return False
