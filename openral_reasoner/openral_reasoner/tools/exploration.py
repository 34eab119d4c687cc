"""Tools for homes that are not known yet: explore acts, describe_home reports what memory has."""

import math
from collections.abc import Iterable
from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, Verb
from openral_core.spatial_memory import (
    CONFIRMED,
    NodeKind,
    Presence,
    RecallStatus,
    Relation,
    SceneGraph,
    SceneNode,
)
from openral_reasoner.behaviors.exploring import explore, explore_on_the_way
from openral_reasoner.behaviors.human import approved
from openral_reasoner.behaviors.recall_or_locate import not_found_reply, recall_hits
from openral_reasoner.behaviors.requests import MEMORY, RequestFailed, read_scene, recall, wait_for
from openral_reasoner.context import ToolResult
from openral_reasoner.evidence import Listed
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import HOME, MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool
from openral_reasoner.tools.stating import NOT_STATED

IN_VIEW = 5.0
"""Longest time since an object in view was seen [s]: detectors may take a second, memory another."""
VIEW, NO_OBJECT = "in view: ", "no object that I know"
"""Begin of the line that names what is in view, and its end where nothing is."""
LOST = "I don't know where I am"
"""Line in the place of where the robot is."""
MAX_NAMES = 40
"""Most objects, and most places, that are named per room."""
_IN_ROOM = (Relation.IN_ROOM, Relation.PART_OF)


class ExploreTool(Tool):
    """Drive around for minutes, to see all of the floor."""

    tool: Literal["explore"] = "explore"
    within: str = Field(default="", max_length=128, description="room; empty: the home")
    search_for: str = Field(default="", max_length=200, description="missed query, for frontier 'unexplored'")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return bool(palette.with_verb(Verb.EXPLORE))

    @override
    def check(self, mission: Mission) -> None:
        check_room(mission.palette, self.within)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        if mission.unread:
            return NOT_STATED
        if not (yield from approved(mission, f"{Verb.EXPLORE.value} {self.within or HOME.id}")):
            return ToolResult(status="NOT_APPROVED", text="the operator did not approve this step")
        if self.search_for:
            return (yield from search_by_exploring(mission, self.search_for))
        graph, _ = yield from read_scene(mission)
        area = area_of(graph, self.within)
        if area is None:
            return ToolResult(status="NOT_FOUND", text="memory has no location for the room")
        result = yield from explore(mission, area)
        text = mission.floor.words if area is HOME else seen_in_room(result)
        peer = (result.message,) if result.message else ()
        return ToolResult(status=result.status.name, text=text, peer_words=peer)


def _rooms(palette: ToolPalette) -> tuple[str, ...]:
    return tuple(each.id for each in palette.places if each.kind is NodeKind.ROOM)


def check_room(palette: ToolPalette, room: str) -> None:
    """Reject an id that is not a room's.

    Raises:
        InvalidCall: With the rooms.
    """
    if room and room not in _rooms(palette):
        raise InvalidCall("room", room, _rooms(palette))


def area_of(graph: SceneGraph, room: str) -> MissionObject | None:
    """Return the room with its extent, the home for ""; None if memory does not have it."""
    if not room:
        return HOME
    node = graph.by_id.get(room)
    return MissionObject.from_node(node) if node is not None else None


def seen_in_room(result: SkillResult) -> str:
    """Describe the share of a room's floor that was seen."""
    share = result.evidence.get("seen")
    if not isinstance(share, float):
        return "the share of the room's floor that was seen is not known"
    return f"about {share:.0%} of the room's reachable floor was seen, {1.0 - share:.0%} was not"


def search_by_exploring(mission: Mission, words: str) -> Procedure[ToolResult]:
    """Explore one round, then recall the object, which a continuous detector may have seen meanwhile."""
    mission.spend("candidates")
    moved = yield from explore_on_the_way(mission)
    outcome = "EXPLORED" if moved else "NOT_EXPLORED"
    mission.search.outcomes.append(f"unexplored floor: {outcome}; {mission.floor.words}")
    answer = yield from recall(mission, words)
    if not isinstance(answer, RequestFailed) and answer.status is not RecallStatus.BAD_QUERY:
        hits = recall_hits(mission, answer, words)
        if hits is not None:
            return hits
    return (yield from not_found_reply(mission, words, outcome, f"not found yet; {mission.floor.words}"))


class DescribeHomeTool(Tool):
    """Describe rooms, places, objects and the seen floor from memory."""

    tool: Literal["describe_home"] = "describe_home"
    within: str = Field(default="", max_length=128, description="room; empty: the home")
    only_view: bool = Field(default=False, description="where you are, what you see")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available

    @override
    def check(self, mission: Mission) -> None:
        check_room(mission.palette, self.within)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        yield from wait_for(mission, MEMORY)
        mission.spend("recalls")
        call_id = mission.next_id("describe")
        mission.begin(call_id, "describe_home", within=self.within or HOME.id)
        graph, robot = yield from read_scene(mission)
        looks = self.only_view and mission.palette.continuous_detectors
        is_answer = bool(graph.nodes or mission.in_view or looks)
        mission.finish(call_id, "DESCRIBED" if is_answer else "UNAVAILABLE")
        if not is_answer:
            return ToolResult(status="UNAVAILABLE", text="memory did not answer, or has nothing")
        return (
            describe_view(mission, graph, robot) if self.only_view else describe(mission, graph, self.within)
        )


def describe_view(mission: Mission, graph: SceneGraph, robot: Pose | None) -> ToolResult:
    """Note what was seen in the last seconds as evidence and return it, after where the robot is."""
    now = mission.scene_time or 0.0
    objects = [each for each in graph.of_kind(NodeKind.OBJECT) if is_believed(each) and not each.affordance]
    visible = [each for each in objects if now - each.last_seen < IN_VIEW]
    mission.note(Listed("", tuple(MissionObject.from_node(each).node() for each in visible)))
    text = f"{len(visible)} objects were seen in the last {IN_VIEW:.0f} s"
    unplaced = [f"{each.label} ({each.where or each.camera})" for each in mission.in_view]
    labels = [*(each.label for each in visible), *unplaced]
    names = ", ".join(labels[:MAX_NAMES]) or NO_OBJECT
    return ToolResult(
        status="DESCRIBED",
        text=text,
        peer_words=(whereabouts(graph, robot), f"{VIEW}{names}"),
        in_view=mission.in_view,
    )


def whereabouts(graph: SceneGraph, robot: Pose | None) -> str:
    """Describe where the robot is: its room, and the place that it is nearest to."""
    places = [each for each in graph.of_kind(NodeKind.PLACE) if each.is_container or any(each.size)]
    if robot is None or not places:
        return LOST
    nearest = min(places, key=lambda each: math.dist(each.pose.position, robot.position))
    rooms = [each for each in graph.of_kind(NodeKind.ROOM) if _covers(each, robot)]
    rooms += [graph.by_id[each] for kind in _IN_ROOM for each in graph.targets(nearest.id, kind)]
    room = f"in the {rooms[0].label}, " if rooms else ""
    return f"I am {room}nearest to the {nearest.label}"


def _covers(room: SceneNode, robot: Pose) -> bool:
    return all(
        abs(at - centre) <= length / 2.0
        for at, centre, length in zip(robot.position[:2], room.pose.position, room.size, strict=False)
    )


def describe(mission: Mission, graph: SceneGraph, within: str) -> ToolResult:
    """Note the description as evidence and return it: counts as text, names as data of memory."""
    rooms = {e.source: e.target for e in graph.edges if e.relation in _IN_ROOM}
    at = {e.source: rooms.get(e.target, "") for e in graph.edges if e.relation is Relation.AT_PLACE}

    def is_inside(node: SceneNode) -> bool:
        return within in ("", rooms.get(node.id) or at.get(node.id, ""))

    places = [node for node in graph.of_kind(NodeKind.PLACE) if is_inside(node)]
    objects = [node for node in graph.of_kind(NodeKind.OBJECT) if is_inside(node) and is_believed(node)]
    shown = [node for node in graph.of_kind(NodeKind.ROOM) if within in ("", node.id)]
    mission.note(Listed(within, tuple(MissionObject.from_node(each).node() for each in objects)))
    counts = f"{len(shown)} rooms, {len(places)} places and {len(objects)} objects"
    text = f"memory has {counts}{age_of(objects, mission.scene_time)}; {mission.floor.words}"
    lines = [
        line_of(
            room.label,
            [p for p in places if rooms.get(p.id) == room.id],
            [o for o in objects if (rooms.get(o.id) or at.get(o.id)) == room.id],
        )
        for room in shown
    ]
    return ToolResult(status="DESCRIBED", text=text, peer_words=tuple(lines))


def is_believed(node: SceneNode) -> bool:
    """Return True if an object is more likely there than not."""
    return node.presence is not Presence.GONE and node.confidence >= CONFIRMED


def age_of(objects: Iterable[SceneNode], now: float | None) -> str:
    """Describe how long ago objects were last seen, and how many are stale; "" for no objects."""
    listed = list(objects)
    if not listed:
        return ""
    stale = sum(node.presence is Presence.STALE for node in listed)
    doubtful = f", {stale} of them stale" if stale else ""
    if now is None:
        return f" (when they were last seen is not known{doubtful})"
    ages = sorted(max(0.0, now - node.last_seen) for node in listed)
    return f" (last seen {duration(ages[0])} to {duration(ages[-1])} ago{doubtful})"


def seen_ago(node: SceneNode, now: float | None) -> str:
    """Describe how long ago an object was last seen; "" if that is not known."""
    return "" if now is None else f"seen {duration(max(0.0, now - node.last_seen))} ago"


def duration(seconds: float) -> str:
    """Describe a time in its largest fitting unit."""
    units = ((86400.0, "days"), (3600.0, "h"), (60.0, "min"))
    size, name = next((unit for unit in units if seconds >= 2.0 * unit[0]), (1.0, "s"))
    return f"{seconds / size:.0f} {name}"


def line_of(room: str, places: list[SceneNode], objects: list[SceneNode]) -> str:
    """Describe one room in a line."""
    names = ", ".join(node.label for node in places[:MAX_NAMES]) or "no places"
    things = ", ".join(
        f"{node.label} (stale)" if node.presence is Presence.STALE else node.label
        for node in objects[:MAX_NAMES]
    )
    return f"{room}: {names}; objects: {things or 'none'}"
