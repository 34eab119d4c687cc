"""Peers of a mission over a text adventure: its map, a memory, a detector and a skill server.

Memory is the real one. The map has a rectangle for each room and a box for each piece of furniture; a way
between two rooms is as long as the steps it takes. What the description of a room tells is detected.
"""

from collections.abc import Callable, Mapping
from math import ceil, sqrt

from typing_extensions import override

from openral_core.geometry import Pose
from openral_core.object_states import StateReport, StateSource
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import (
    NodeKind,
    Opening,
    Relation,
    SceneEdge,
    SceneGraph,
    SceneNode,
)
from openral_household_benchmark.foreign_peers import DONE, ForeignPeers, Params, pose_param
from openral_household_benchmark.text_world import HAND, CommandRefused, Furniture, TextWorld
from openral_reasoner.commands import SendSkill

STEP = 100.0
"""Length of a way between two rooms [m]: more than any distance on the map, so that steps decide."""
SPACING = 2.4
"""Distance between the middles of two pieces of furniture [m]; the robot stands between them."""
SIZE = (0.6, 0.6, 0.8)
"""Box of a piece of furniture [m]."""
ITEM = (0.05, 0.05, 0.05)
"""Box of an item [m]."""
GRIP = 0.03
"""Distance from an item's middle within which it is taken [m]."""
CORNER = 0.6
"""Distance of what lies on the floor from the two walls of a room's corner [m]: out of reach of furniture."""
VERBS = (Verb.NAVIGATE, Verb.LOOK_AT, Verb.OPEN, Verb.CLOSE, Verb.GRASP, Verb.PLACE)


def map_of(world: TextWorld) -> SceneGraph:
    """Return rooms in a row, each with its furniture on a grid, and the ways between them."""
    nodes, edges, x = list[SceneNode](), list[SceneEdge](), 0.0
    for room, name in sorted(world.rooms.items()):
        inside = [each for each in world.furniture.values() if each.room == room]
        side = SPACING * (ceil(sqrt(len(inside) + 1)) + 1)
        middle = Pose((x + side / 2.0, side / 2.0, 0.0))
        nodes.append(SceneNode(room, NodeKind.ROOM, name, middle, (side, side, 0.0), source="map"))
        nodes += [_furniture_node(each, x, i, side, world) for i, each in enumerate(inside)]
        edges += [SceneEdge(each.id, Relation.IN_ROOM, room) for each in inside]
        edges += [
            SceneEdge(room, Relation.TRAVERSABLE_TO, other, STEP) for other in world.exits.get(room, ())
        ]
        x += side + SPACING
    return SceneGraph(tuple(nodes), tuple(edges))


def _furniture_node(piece: Furniture, x: float, index: int, side: float, world: TextWorld) -> SceneNode:
    row, column = divmod(index, max(1, round(side / SPACING) - 1))
    pose = Pose((x + SPACING * (column + 1), SPACING * (row + 1), SIZE[2] / 2.0))
    opening = Opening.CLOSED if piece.id in world.closed else Opening.OPEN
    return SceneNode(
        piece.id,
        NodeKind.PLACE,
        piece.name,
        pose,
        SIZE,
        is_container=piece.is_container,
        occludes_contents=piece.openable,
        opening=opening,
        source="map",
    )


class TextHomePeers(ForeignPeers):
    """Peers that answer at once from a text adventure."""

    medium, verbs, item_size = "text", VERBS, ITEM

    def __init__(self, world: TextWorld, max_steps: int, *, ends_itself: bool) -> None:
        self._map = map_of(world)
        super().__init__(self._map)
        self.world, self._max_steps, self._ends_itself = world, max_steps, ends_itself
        self._slots = {item: index for index, item in enumerate(sorted(world.items))}
        self._pose = self._map.by_id[world.robot].pose
        self.stream()

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return self.world.steps >= self._max_steps or (self._ends_itself and self.world.score >= 1.0)

    @property
    @override
    def held_label(self) -> str:
        held = self.world.held
        return self.world.items[held[0]] if held else ""

    @override
    def in_view(self) -> dict[str, str]:
        return {item: self.world.items[item] for item in self.world.visible()}

    def read_scene(self) -> tuple[SceneGraph, Pose]:
        graph = self.memory.graph()
        ways = tuple(e for e in self._map.edges if e.relation is Relation.TRAVERSABLE_TO)
        return SceneGraph(graph.nodes, (*graph.edges, *ways), graph.map_epoch, graph.revision), self._pose

    def send_skill(self, call: SendSkill) -> SkillResult:
        if self.over:
            return SkillResult(SkillStatus.UNSUPPORTED, "the game is over")
        try:
            result = _SKILLS[call.goal.rskill_id](self, call.goal.params)
        except CommandRefused as refused:
            result = SkillResult(SkillStatus.NOT_REACHABLE, str(refused))
        self.stream()
        return result

    def navigate(self, params: Params) -> SkillResult:
        """Walk to the room of a pose; within a room everything is in reach."""
        pose = pose_param(params, "goal")
        for room in self.world.route(self.memory.home.room_at(pose.position)):
            if self.over:
                return SkillResult(SkillStatus.NOT_REACHABLE, "the game is over")
            self.world.go(room)
        self._pose = pose
        return DONE

    def open(self, params: Params) -> SkillResult:
        """Open a container; nothing is needed for an open one."""
        return self._move_door(str(params["container_id"]), open_it=True)

    def close(self, params: Params) -> SkillResult:
        """Close a container."""
        return self._move_door(str(params["container_id"]), open_it=False)

    def grasp(self, params: Params) -> SkillResult:
        """Take the item at a pose."""
        target = pose_param(params, "target")
        near = {i: self.pose_of_item(i).distance(target) for i in self.world.visible()}
        item = min(near, key=lambda each: near[each], default="")
        if not item or near[item] > GRIP:
            return SkillResult(SkillStatus.NOTHING_THERE, "nothing is there")
        label, spot = self.world.items[item], self.pose_of_item(item)
        self.world.take(item)
        self.memory.update_held_object(label, spot, self._now)
        return DONE

    def place(self, params: Params) -> SkillResult:
        """Put the item in the hand down on the furniture at a pose."""
        target = pose_param(params, "target")
        place = min(self.world.furniture, key=lambda each: self._map.by_id[each].pose.distance(target))
        item = self.world.held[0]
        self.world.put(item, place)
        pose = self.pose_of_item(item)
        self.memory.update_held_object("", pose, self._now)
        return SkillResult(SkillStatus.SUCCEEDED, "put down", {"pose": pose})

    def _move_door(self, container: str, *, open_it: bool) -> SkillResult:
        piece = self.world.furniture.get(container)
        if piece is None or not piece.openable:
            return SkillResult(SkillStatus.NOTHING_THERE, "no door there")
        if piece.room != self.world.robot:
            return SkillResult(SkillStatus.NOT_REACHABLE, "it is in another room")
        if (container in self.world.closed) is open_it:
            (self.world.open if open_it else self.world.close)(container)
        state = "open" if open_it else "closed"
        self.memory.report_state(StateReport(container, state, StateSource.REPORTED, self._now))
        return DONE

    @override
    def pose_of_item(self, item: str) -> Pose:
        """Return where an item lies; items at one place lie a little apart."""
        place = self.world.at[item]
        x, y, z = self._map.by_id[place].pose.position if place != HAND else self._pose.position
        if place not in self.world.furniture and place != HAND:
            depth, width, _ = self._map.by_id[place].size
            x, y = x + CORNER - depth / 2.0, y + CORNER - width / 2.0
        row, column = divmod(self._slots[item], 10)
        x, y = x + 0.05 * (column - 4.5), y + 0.05 * row
        if place not in self.world.furniture:
            return Pose((x, y, ITEM[2] / 2.0))
        inside = self.world.furniture[place].is_container
        return Pose((x, y, z if inside else SIZE[2] + ITEM[2] / 2.0))


_SKILLS: Mapping[str, Callable[[TextHomePeers, Params], SkillResult]] = {
    "navigate": TextHomePeers.navigate,
    "look-at": TextHomePeers.look_at,
    "open": TextHomePeers.open,
    "close": TextHomePeers.close,
    "grasp": TextHomePeers.grasp,
    "place": TextHomePeers.place,
}
