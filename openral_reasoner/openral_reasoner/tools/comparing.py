"""Read-only tool compare_objects: the order of objects or places by what memory has measured of them."""

from dataclasses import replace
from math import atan2, dist, prod, remainder, tau
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import override

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneGraph
from openral_reasoner.behaviors.requests import MEMORY, read_scene, wait_for
from openral_reasoner.context import ToolResult
from openral_reasoner.evidence import Compared
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import AskCompare
from openral_reasoner.request.measures import Measure
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool
from openral_reasoner.tools.exploration import seen_ago

_LITRE = 1e-3
"""Unit of a size [m^3]."""
_Id = Annotated[str, Field(min_length=1, max_length=128)]


class CompareObjectsTool(Tool):
    """Order ids that were looked at, the most first."""

    only_for = (AskCompare,)
    tool: Literal["compare_objects"] = "compare_objects"
    by: Measure
    targets: tuple[_Id, ...] = Field(min_length=1, max_length=40)
    near: str = Field(default="", max_length=128, description="for distance")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available

    @override
    def check(self, mission: Mission) -> None:
        valid = (*(place.id for place in mission.palette.places), *mission.objects)
        for each in (*self.targets, *([self.near] if self.near else [])):
            if each not in valid:
                raise InvalidCall("target", each, valid)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        yield from wait_for(mission, MEMORY)
        mission.spend("recalls")
        call_id = mission.next_id("compare")
        mission.begin(call_id, "compare_objects", by=self.by, count=len(self.targets))
        graph, robot = yield from read_scene(mission)
        measures = {each: self._measure(graph, each, robot) for each in dict.fromkeys(self.targets)}
        values = {each: value for each, value in measures.items() if value}
        mission.finish(call_id, "COMPARED" if values else "UNAVAILABLE")
        if not values:
            return ToolResult(status="UNAVAILABLE", text=f"memory has no {self.by} of any of them")
        order = sorted(values, key=lambda each: -values[each])
        nodes = [_known(mission, graph, each) for each in order]
        mission.note(Compared(self.by, tuple(each.node() for each in nodes), self.near))
        sides = _sides(nodes, robot)
        lines = [
            f"{each.label}{sides.get(each.id, '')}: "
            f"{value_in_words(self.by, values[each.id])}{each.why and f', {each.why}'}"
            for each in nodes
        ]
        rest = (
            f"; of {len(measures) - len(values)} more it is not known" if len(values) < len(measures) else ""
        )
        text = f"{len(values)} in the order of {self.by}, the most first{rest}"
        return ToolResult(
            status="COMPARED",
            text=text,
            found=tuple(each.summary() for each in nodes),
            peer_words=tuple(lines),
        )

    def _measure(self, graph: SceneGraph, node_id: str, robot: Pose | None) -> float:
        """Return the measure of a node in [m], of size [m^3]; 0 if it is not known."""
        node, near = graph.by_id.get(node_id), graph.by_id.get(self.near)
        start = near.pose if near is not None else robot
        if node is None:
            return 0.0
        if self.by == "distance":
            return dist(node.pose.position, start.position) if start is not None else 0.0
        return {"size": prod(node.size), "length": max(node.size), "height": node.size[2]}[self.by]


def value_in_words(measure: Measure, value: float) -> str:
    """Return a measure in words, as in "0.52 m long"."""
    if measure == "size":
        return f"{value / _LITRE:.2g} litres" if value < _LITRE else f"{value / _LITRE:.0f} litres"
    adjectives = {"length": "long", "height": "high", "distance": "away"}
    return f"{value:.2f} m {adjectives[measure]}"


def _sides(nodes: list[MissionObject], robot: Pose | None) -> dict[str, str]:
    """Return what tells two objects of one label apart, by their ids: the side, seen from the robot."""
    sides: dict[str, str] = {}
    for label in {each.label for each in nodes}:
        pair = [(each.id, each.pose) for each in nodes if each.label == label]
        if robot is None or len(pair) != 2:
            continue
        (first, one), (second, other) = pair
        if one is not None and other is not None:
            leftward = _bearing(robot, one) > _bearing(robot, other)
            words = (" on the left", " on the right")
            sides |= dict(zip((first, second), words if leftward else words[::-1], strict=True))
    return sides


def _bearing(robot: Pose, pose: Pose) -> float:
    """Return the direction to a pose from straight ahead, to the left [rad]."""
    away = [there - here for there, here in zip(pose.position, robot.position, strict=True)]
    return remainder(atan2(away[1], away[0]) - robot.yaw, tau)


def _known(mission: Mission, graph: SceneGraph, node_id: str) -> MissionObject:
    """Return an object as this mission learnt it, with its age, or a place."""
    node = graph.by_id[node_id]
    if node.kind is not NodeKind.OBJECT:
        return MissionObject.from_node(node)
    return replace(mission.objects[node_id], why=seen_ago(node, mission.scene_time))
