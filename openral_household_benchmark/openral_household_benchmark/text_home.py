"""Peers of a mission over a text adventure: its map, a memory, a detector and a skill server.

Memory is the real one. The map has a rectangle for each room and a box for each piece of furniture; a way
between two rooms is as long as the steps it takes. What the description of a room tells is detected.
"""

from collections.abc import Callable, Mapping
from math import ceil, sqrt

from openral_core.detectors import (
    Box,
    Detection,
    DetectorInfo,
    LifecycleState,
    LocateResult,
    LocateStatus,
)
from openral_core.geometry import Pose
from openral_core.rskills import Mode, Name, SkillManifest, Vocabulary
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import (
    NodeKind,
    ObserveResult,
    ObserveStatus,
    Opening,
    RecallQuery,
    RecallResult,
    Relation,
    ResolveQuery,
    ResolveResult,
    SceneEdge,
    SceneGraph,
    SceneNode,
)
from openral_core.text import Thesaurus
from openral_household_benchmark.text_world import HAND, CommandRefused, Furniture, TextWorld
from openral_reasoner.commands import CallLocate, CallObserve, CancelSkill, SendSkill
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.success import answers
from openral_reasoner_testing.fake_peers import InProcessPeers
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import record_from_node
from openral_world_state.static_map import static_map_from_graph
from openral_world_state.world import WorldModel, WorldModelSettings

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
_CAMERA, _LOCATOR, _STREAM = "text", "text-locator", "text-stream"
_Params = Mapping[str, ParamValue]
_DONE = SkillResult(SkillStatus.SUCCEEDED, "done")


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


def detector(name: str, mode: Mode) -> DetectorState:
    """Return an active detector that reads the description of a room."""
    streams = mode is Mode.CONTINUOUS
    info = DetectorInfo(
        name=Name(name),
        mode=mode,
        engine="text",
        vocabulary=Vocabulary.CLOSED if streams else Vocabulary.OPEN,
        description="reads the description of the room",
        labels=(),
        cameras=(_CAMERA,),
        licence="Apache-2.0",
        commercial_use=True,
        memory_declared=0.0,
        latency=0.0,
        is_default=not streams,
        state=LifecycleState.ACTIVE,
    )
    return DetectorState(info, alive=True)


class TextHomePeers(InProcessPeers):
    """Peers that answer at once from a text adventure."""

    def __init__(self, world: TextWorld, max_steps: int, *, ends_itself: bool) -> None:
        super().__init__()
        self.world, self._max_steps, self._ends_itself = world, max_steps, ends_itself
        self._map, thesaurus = map_of(world), Thesaurus.load()
        self.memory = WorldModel(
            SpatialMemory(None, thesaurus), static_map_from_graph(self._map), WorldModelSettings(), thesaurus
        )
        self._slots = {item: index for index, item in enumerate(sorted(world.items))}
        self._now, self._looks = 0.0, dict[str, tuple[str, ...]]()
        self._pose = self._map.by_id[world.robot].pose
        self._stream()

    @property
    def over(self) -> bool:
        """True if the game has ended."""
        return self.world.steps >= self._max_steps or (self._ends_itself and self.world.score >= 1.0)

    def palette(self, manifests: tuple[SkillManifest, ...]) -> ToolPalette:
        """Return everything that the robot may use now."""
        held = self.world.held
        graph = GraphState(
            detectors=(detector(_LOCATOR, Mode.ON_DEMAND), detector(_STREAM, Mode.CONTINUOUS)),
            memory_alive=True,
            skill_server_alive=True,
            verbs=VERBS,
            holding=self.world.items[held[0]] if held else "",
            scene=self.memory.graph(),
        )
        return build_palette(graph, manifests)

    def recall(self, query: RecallQuery) -> RecallResult:
        return self.memory.recall(query, self._now)

    def resolve(self, query: ResolveQuery) -> ResolveResult:
        return self.memory.resolve(query)

    def locate(self, call: CallLocate) -> LocateResult:
        seen = tuple(i for i in self.world.visible() if answers(call.query, self.world.items[i]))
        self._looks[call.call_id] = seen
        status = LocateStatus.FOUND if seen else LocateStatus.NOT_IN_VIEW
        boxes = tuple(Detection(Box(0.0, 0.0, 1.0, 1.0), self.world.items[i], 1.0) for i in seen)
        return LocateResult(status, status.name.lower(), call.query, call.camera, call.detector, boxes)

    def observe(self, call: CallObserve) -> ObserveResult:
        seen = self._looks.get(call.located, ())
        answered = (self.recall(RecallQuery(self.world.items[item], 20)) for item in seen)
        matches = {m.node_id: m for result in answered for m in result.matches if m.node_id in seen}
        return ObserveResult(ObserveStatus.REMEMBERED, "", tuple(matches.values()))

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
        self._stream()
        return result

    def cancel_skill(self, call: CancelSkill) -> SkillResult:
        return SkillResult(SkillStatus.CANCELLED, "stopped")

    def navigate(self, params: _Params) -> SkillResult:
        """Walk to the room of a pose; within a room everything is in reach."""
        pose = _pose(params, "goal")
        for room in self.world.route(self.memory.home.room_at(pose.position)):
            if self.over:
                return SkillResult(SkillStatus.NOT_REACHABLE, "the game is over")
            self.world.go(room)
        self._pose = pose
        return _DONE

    def open(self, params: _Params) -> SkillResult:
        """Open a container; nothing is needed for an open one."""
        return self._move_door(str(params["container_id"]), open_it=True)

    def close(self, params: _Params) -> SkillResult:
        """Close a container."""
        return self._move_door(str(params["container_id"]), open_it=False)

    def grasp(self, params: _Params) -> SkillResult:
        """Take the item at a pose."""
        target = _pose(params, "target")
        near = {i: self._spot(i).distance(target) for i in self.world.visible()}
        item = min(near, key=lambda each: near[each], default="")
        if not item or near[item] > GRIP:
            return SkillResult(SkillStatus.NOTHING_THERE, "nothing is there")
        label, spot = self.world.items[item], self._spot(item)
        self.world.take(item)
        self.memory.update_held_object(label, spot, self._now)
        return _DONE

    def place(self, params: _Params) -> SkillResult:
        """Put the item in the hand down on the furniture at a pose."""
        target = _pose(params, "target")
        place = min(self.world.furniture, key=lambda each: self._map.by_id[each].pose.distance(target))
        item = self.world.held[0]
        self.world.put(item, place)
        pose = self._spot(item)
        self.memory.update_held_object("", pose, self._now)
        return SkillResult(SkillStatus.SUCCEEDED, "put down", {"pose": pose})

    def look_at(self, params: _Params) -> SkillResult:
        """Look: the room was described on entering it."""
        return _DONE

    def _move_door(self, container: str, *, open_it: bool) -> SkillResult:
        piece = self.world.furniture.get(container)
        if piece is None or not piece.openable:
            return SkillResult(SkillStatus.NOTHING_THERE, "no door there")
        if piece.room != self.world.robot:
            return SkillResult(SkillStatus.NOT_REACHABLE, "it is in another room")
        if (container in self.world.closed) is open_it:
            (self.world.open if open_it else self.world.close)(container)
        self.memory.report_opening(container, 1.0 if open_it else 0.0, self._now)
        return _DONE

    def _spot(self, item: str) -> Pose:
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

    def _stream(self) -> None:
        """Give memory what the description of the room tells, as a continuous detector does."""
        self._now += 1.0
        for item in self.world.visible():
            name = self.world.items[item]
            node = SceneNode(
                item,
                NodeKind.OBJECT,
                name,
                self._spot(item),
                ITEM,
                votes={name: 5.0},
                first_seen=self._now,
                last_seen=self._now,
                observations=5,
                source=_STREAM,
            )
            self.memory.memory.touch(record_from_node(node))
        self.memory.memory.commit()


def _pose(params: _Params, name: str) -> Pose:
    pose = params[name]
    assert isinstance(pose, Pose)
    return pose


_SKILLS: Mapping[str, Callable[[TextHomePeers, _Params], SkillResult]] = {
    "navigate": TextHomePeers.navigate,
    "look-at": TextHomePeers.look_at,
    "open": TextHomePeers.open,
    "close": TextHomePeers.close,
    "grasp": TextHomePeers.grasp,
    "place": TextHomePeers.place,
}
