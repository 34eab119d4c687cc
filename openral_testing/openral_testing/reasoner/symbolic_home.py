"""Symbolic home: places, objects and people without fine geometry, and the effects of skills on them."""

from cmath import phase
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from openral_core.geometry import Pose
from openral_core.object_states import ObjectState, StateSource
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneEdge, SceneGraph, SceneNode

STANDOFF = 0.8
"""How far before a place the robot stands [m]."""
HALF_VIEW = 0.6
"""Half of the head camera's field of view [rad]."""
GRIP = 0.05
"""How far a grasp may miss an object's centre [m]."""


@dataclass
class HomePlace:
    """A place with a door or without; ``x``, ``y`` in map and ``size`` in [m]."""

    id: str
    label: str
    room: str
    x: float
    y: float
    occludes: bool = False
    is_open: bool = False
    reachable: bool = True
    unknown: bool = False
    aliases: tuple[str, ...] = ()
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def pose(self) -> Pose:
        """Of the thing itself."""
        return Pose((self.x, self.y, 0.9))

    @property
    def standing(self) -> Pose:
        """Of the robot's base in front of it."""
        return Pose.planar(self.x - STANDOFF, self.y, 0.0)

    @property
    def hides(self) -> bool:
        """Test if its contents are hidden now."""
        return self.occludes and not self.is_open


@dataclass
class HomeObject:
    """An object at a place; ``remembered`` is what memory calls it, "" when it was never seen there."""

    id: str
    label: str
    place: str
    remembered: str = ""
    broader: tuple[str, ...] = ()
    remembered_at: str = ""
    synonyms: tuple[str, ...] = ()


@dataclass
class HomeLamp:
    """A lamp with a switch; ``x``, ``y`` in map [m]. A ``dead`` one never looks on."""

    id: str
    label: str
    room: str
    x: float
    y: float
    on: bool = False
    dead: bool = False

    @property
    def switch(self) -> str:
        """Id of its switch."""
        return f"{self.id}_switch"

    @property
    def pose(self) -> Pose:
        """Of its switch."""
        return Pose((self.x, self.y, 1.0))


@dataclass
class SymbolicHome:
    """A home and the robot in it.

    ``sight`` is how far the head camera sees beyond the place where the robot stands [m].
    """

    places: dict[str, HomePlace]
    objects: dict[str, HomeObject]
    rooms: dict[str, str]
    agents: dict[str, HomePlace]
    at: str = ""
    facing: str = ""
    holding: str = ""
    filled: dict[str, str] = field(default_factory=dict)
    delivered: list[tuple[str, str]] = field(default_factory=list)
    lamps: dict[str, HomeLamp] = field(default_factory=dict)
    states: dict[str, dict[str, ObjectState]] = field(default_factory=dict)
    travelled: float = 0.0
    sight: float = 2.5
    x: float = 0.0
    y: float = 0.0

    def visible(self) -> list[HomeObject]:
        """Return the objects that the head camera sees from here."""
        in_view = {place.id for place in self.places.values() if not place.hides and self.sees(place)}
        return [o for o in self.objects.values() if o.place in in_view and o.id != self.holding]

    def sees(self, place: HomePlace) -> bool:
        """Return True if the robot stands at a place, or its camera has it in view in the same room."""
        faced = self.places.get(self.facing)
        if place.id == self.at or faced is None or self.sight <= 0.0:
            return place.id == self.at
        ways = [complex(each.x - self.x, each.y - self.y) for each in (faced, place)]
        turn = abs(phase(ways[1] / ways[0])) if all(ways) else 0.0
        return place.room == faced.room and abs(ways[1]) <= self.sight and turn <= HALF_VIEW

    def pose_of(self, item: HomeObject) -> Pose:
        """Return the position of an object; objects at one place lie a little apart."""
        return self._pose_at(item, item.place)

    def remembered_pose(self, item: HomeObject) -> Pose:
        """Return its remembered position."""
        return self._pose_at(item, item.remembered_at or item.place)

    def place_near(self, pose: Pose) -> HomePlace | None:
        """Return the place or person whose standing pose or own pose this is."""
        every = [*self.places.values(), *self.agents.values()]
        near = [p for p in every if min(p.pose.distance(pose), p.standing.distance(pose)) < 0.6]
        return (
            min(near, key=lambda p: min(p.pose.distance(pose), p.standing.distance(pose))) if near else None
        )

    def object_near(self, pose: Pose) -> HomeObject | None:
        """Return the object that lies there."""
        visible = self.visible()
        nearest = min(visible, key=lambda o: self.pose_of(o).distance(pose), default=None)
        return nearest if nearest is not None and self.pose_of(nearest).distance(pose) < GRIP else None

    def graph(self) -> SceneGraph:
        """Return the scene graph: rooms, places and people always, objects as remembered."""
        nodes = [
            SceneNode(i, NodeKind.ROOM, label, self._centre(i)) for i, label in sorted(self.rooms.items())
        ]
        nodes += [_place_node(place) for place in self.places.values()]
        nodes += [SceneNode(a.id, NodeKind.AGENT, a.label, a.pose) for a in self.agents.values()]
        records = [o for o in self.objects.values() if o.remembered]
        nodes += [
            SceneNode(
                o.id, NodeKind.OBJECT, o.remembered, self.remembered_pose(o), unprompted=(o.remembered,)
            )
            for o in records
        ]
        edges = [SceneEdge(p.id, Relation.IN_ROOM, p.room) for p in self.places.values()]
        spots = [(o.id, spot) for o in records if (spot := o.remembered_at or o.place) in self.places]
        edges += [SceneEdge(item, Relation.AT_PLACE, spot) for item, spot in spots]
        for item, spot in spots:
            if self.places[spot].occludes:
                edges += [SceneEdge(item, Relation.IN, spot), SceneEdge(spot, Relation.CONTAINS, item)]
            else:
                edges.append(SceneEdge(item, Relation.ON, spot))
        for lamp in self.lamps.values():
            nodes += _lamp_nodes(lamp)
            edges += [SceneEdge(lamp.switch, Relation.PART_OF, lamp.id)]
            edges += [SceneEdge(each, Relation.IN_ROOM, lamp.room) for each in (lamp.id, lamp.switch)]
        stated = [replace(node, states=tuple(self.states.get(node.id, {}).values())) for node in nodes]
        return SceneGraph(tuple(stated), tuple(edges))

    def note(self, node_id: str, value: str, source: StateSource) -> None:
        """Remember a state of a node."""
        state = ObjectState.known(value, source, 0.0)
        self.states.setdefault(node_id, {})[state.name] = state

    def _pose_at(self, item: HomeObject, place: str) -> Pose:
        index = sorted(self.objects).index(item.id)
        x, y, z = self.places[place].pose.position if place in self.places else (self.x, self.y, 1.0)
        return Pose((x, y + 0.1 * index, z))

    def _centre(self, room: str) -> Pose:
        inside = [p for p in self.places.values() if p.room == room]
        n = max(1, len(inside))
        return Pose((sum(p.x for p in inside) / n, sum(p.y for p in inside) / n - 1.5, 0.0))


def _place_node(place: HomePlace) -> SceneNode:
    return SceneNode(
        id=place.id,
        kind=NodeKind.PLACE,
        label=place.label,
        pose=place.pose,
        aliases=place.aliases,
        size=place.size,
        is_container=place.occludes,
        occludes_contents=place.occludes,
        opening=Opening.OPEN if place.is_open else Opening.CLOSED,
    )


def _lamp_nodes(lamp: HomeLamp) -> list[SceneNode]:
    aliases = ("lamp", "light")
    node = SceneNode(lamp.id, NodeKind.OBJECT, lamp.label, lamp.pose, aliases=aliases, source="map")
    switch = SceneNode(
        lamp.switch, NodeKind.OBJECT, f"{lamp.label} switch", lamp.pose, source="map", affordance="switch"
    )
    return [node, switch]


_Params = Mapping[str, ParamValue]
_DONE = SkillResult(SkillStatus.SUCCEEDED, "done")


def _pose(params: _Params, name: str) -> Pose:
    pose = params[name]
    assert isinstance(pose, Pose)
    return pose


def _navigate(home: SymbolicHome, params: _Params) -> SkillResult:
    goal = _pose(params, "goal")
    place = home.place_near(goal)
    if place is not None and not place.reachable:
        return SkillResult(SkillStatus.NOT_REACHABLE, "no way there")
    if place is not None and place.unknown:
        evidence: dict[str, ParamValue] = {"floor": "unknown", "x": home.x, "y": home.y}
        return SkillResult(SkillStatus.NOT_REACHABLE, "lies in unknown space", evidence)
    home.travelled += abs(goal.position[0] - home.x) + abs(goal.position[1] - home.y)
    home.x, home.y, home.facing = goal.position[0], goal.position[1], ""
    home.at = place.id if place else ""
    return _DONE


def _look_at(home: SymbolicHome, params: _Params) -> SkillResult:
    place = home.place_near(_pose(params, "target"))
    home.facing = place.id if place else ""
    return _DONE


def _open(home: SymbolicHome, params: _Params) -> SkillResult:
    place = home.place_near(_pose(params, "target"))
    if place is None or not place.occludes:
        return SkillResult(SkillStatus.NOTHING_THERE, "no door there")
    if home.holding:
        return SkillResult(SkillStatus.BUSY, "the hand is full")
    place.is_open = True
    return _DONE


def _close(home: SymbolicHome, params: _Params) -> SkillResult:
    place = home.place_near(_pose(params, "target"))
    if place is None:
        return SkillResult(SkillStatus.NOTHING_THERE, "no door there")
    if home.holding:
        return SkillResult(SkillStatus.BUSY, "the hand is full")
    place.is_open = False
    return _DONE


def _grasp(home: SymbolicHome, params: _Params) -> SkillResult:
    if home.holding:
        return SkillResult(SkillStatus.BUSY, "the hand is full")
    item = home.object_near(_pose(params, "target"))
    if item is None:
        return SkillResult(SkillStatus.NOTHING_THERE, "closed on nothing")
    home.holding, item.place = item.id, ""
    return _DONE


def _place(home: SymbolicHome, params: _Params) -> SkillResult:
    surface = home.place_near(_pose(params, "target"))
    item = _held(home)
    if item is None or surface is None:
        return SkillResult(SkillStatus.NOTHING_HELD, "nothing to put down")
    home.holding, item.place, item.remembered_at = "", surface.id, surface.id
    return SkillResult(SkillStatus.SUCCEEDED, "put down", {"pose": home.pose_of(item)})


def _pour(home: SymbolicHome, params: _Params) -> SkillResult:
    item, vessel = _held(home), home.object_near(_pose(params, "target"))
    if item is None or vessel is None:
        return SkillResult(SkillStatus.NOTHING_HELD, "nothing to pour")
    home.filled[vessel.id] = item.id
    return _DONE


def _handover(home: SymbolicHome, params: _Params) -> SkillResult:
    agent = home.place_near(_pose(params, "agent"))
    item = _held(home)
    if item is None or agent is None:
        return SkillResult(SkillStatus.NOTHING_HELD, "nothing to hand over")
    home.holding = ""
    home.delivered.append((item.id, agent.id))
    return _DONE


def _switch(home: SymbolicHome, params: _Params) -> SkillResult:
    pose, on = _pose(params, "target"), params["on"] is True
    lamp = next((each for each in home.lamps.values() if each.pose.distance(pose) < GRIP), None)
    if lamp is None:
        return SkillResult(SkillStatus.NOTHING_THERE, "no switch there")
    if lamp.dead and on:
        return SkillResult(SkillStatus.BLOCKED, "it does not look on")
    lamp.on = on
    home.note(lamp.id, "on" if on else "off", StateSource.REPORTED)
    return SkillResult(SkillStatus.SUCCEEDED, "switched", {"appliance_id": lamp.id, "on": on})


def _press(home: SymbolicHome, params: _Params) -> SkillResult:
    pose = _pose(params, "target")
    lamp = next((each for each in home.lamps.values() if each.pose.distance(pose) < GRIP), None)
    if lamp is None:
        return SkillResult(SkillStatus.NOTHING_THERE, "no switch there")
    lamp.on = not lamp.on
    return _DONE


def _explore(home: SymbolicHome, params: _Params) -> SkillResult:
    """Show one unknown place per view, the nearest first; objects there are remembered."""
    centre = params.get("room")
    rooms = {i for i in home.rooms if not isinstance(centre, Pose) or home.graph().by_id[i].pose == centre}
    inside = [place for place in home.places.values() if place.room in rooms]
    unexplored = sorted((p for p in inside if p.unknown), key=lambda p: abs(p.x - home.x) + abs(p.y - home.y))
    views = params.get("views", 0)
    assert isinstance(views, int)
    for place in unexplored[: views or None]:
        place.unknown = False
        for item in home.objects.values():
            if item.place == place.id and not place.hides:
                item.remembered, item.remembered_at = item.remembered or item.label, place.id
    explored = sum(not place.unknown for place in inside)
    complete = explored == len(inside)
    evidence: dict[str, ParamValue] = {"seen": explored / max(1, len(inside)), "views": len(unexplored)}
    home.at = home.facing = ""
    return SkillResult(SkillStatus.SUCCEEDED if complete else SkillStatus.TIMEOUT, "looked around", evidence)


def _held(home: SymbolicHome) -> HomeObject | None:
    return home.objects.get(home.holding)


SKILLS: Mapping[str, Callable[[SymbolicHome, _Params], SkillResult]] = {
    "navigate": _navigate,
    "look-at": _look_at,
    "open": _open,
    "close": _close,
    "grasp": _grasp,
    "place": _place,
    "pour": _pour,
    "handover": _handover,
    "explore": _explore,
    "switch": _switch,
    "press": _press,
}
