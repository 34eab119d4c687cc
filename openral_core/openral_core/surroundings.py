"""Causes of a blocked way: the obstacle without which the base could reach its goal.

Everything is decided by the floor map, the map of the home and the people in memory. The obstacles are tried
one by one on the map: people, furniture, doorways of the map of the home, no-go zones, and floor that was
never seen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import dist

import numpy as np
import scipy
from numpy.typing import NDArray

from openral_core.arrays import Mask, Points
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.geometry import Pose, points_in_polygon
from openral_core.home_map import Doorway, Fixture, HomeMap, NoGoZone, Pose2
from openral_core.obstructions import OBSTACLE, ObstacleKind, Obstruction
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_core.spatial_memory import NodeKind, Presence, SceneGraph, SceneNode

Point = tuple[float, float]
Window = tuple[slice, ...]


@dataclass(frozen=True)
class ObstructionConfig:
    """Parameters of finding what blocks a way, lengths in [m]."""

    clearance: float = 0.33  # Distance of the base's middle from obstacles; the base's radius and 6 cm.
    unknown_margin: float = 0.18  # Distance by which it may be closer to unknown floor.
    goal_offset: float = 0.45  # Distance from a goal within which the base counts as there.
    target_offset: float = 1.2  # The same for a target that is to be seen or reached.
    snap: float = 0.5  # Largest distance from the robot to floor where it may drive.
    # Radius of the floor that a person covers on the map, with the errors of their position.
    person: float = 0.45
    met: float = 1.0  # Distance within which a person in memory is who the base met.
    in_doorway: float = 0.75  # Distance from the middle of a doorway within which something stands in it.
    furniture: float = 0.10  # Distance by which furniture is larger on the map than in the map of the home.
    gap: float = 0.08  # Half of the widest gap that a shut door may leave on the map.
    moved: float = 0.3  # Displacement from which furniture counts as moved.


CONFIG = ObstructionConfig()
BLOCKED_WAY = (SkillStatus.NOT_REACHABLE, SkillStatus.BLOCKED)
"""Outcomes of a skill whose way may be blocked."""
_MARGIN = 0.05
"""Distance by which the floor of a doorway is larger than the passage [m]: one cell of most maps."""


@dataclass(frozen=True)
class Surroundings:
    """Knowledge of a home that explains why a way is blocked."""

    floor: FloorMap | None = None  # Occupancy of the floor, None if no map has come.
    home: HomeMap | None = None  # Rooms, doorways, furniture and no-go zones, None if they are not known.
    people: tuple[SceneNode, ...] = ()  # Agents in memory.
    # Poses of the furniture, by id, when the robot began to use its map.
    earlier: Mapping[str, Pose2] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        floor: FloorMap | None,
        home: HomeMap | None,
        graph: SceneGraph,
        earlier: Mapping[str, Pose2] | None = None,
    ) -> "Surroundings":
        """Take the people who are present from the scene graph."""
        present = (node for node in graph.of_kind(NodeKind.AGENT) if node.presence is Presence.PRESENT)
        return cls(floor, home, tuple(present), earlier or {})

    def room_at(self, at: Point) -> tuple[str, ...]:
        """Return the name of the room at a point, () if there is none."""
        room = self.home.room_at(*at) if self.home else None
        return (room.name,) if room else ()

    def name_of(self, room_id: str) -> str:
        """Return the name of a room of the home."""
        rooms = self.home.rooms if self.home else ()
        return next((room.name for room in rooms if room.id == room_id), room_id)

    def person_near(self, at: Point, within: float) -> SceneNode | None:
        """Return the nearest person within a distance [m]."""
        near = [(dist(person.pose.position[:2], at), person.id, person) for person in self.people]
        return min(near)[2] if near and min(near)[0] <= within else None


def explained(
    result: SkillResult,
    params: Mapping[str, ParamValue],
    surroundings: Surroundings,
    config: ObstructionConfig = CONFIG,
) -> SkillResult:
    """Add what blocked the way, if that can be told, to the evidence and the message of a failed skill.

    The evidence ``x``, ``y`` is where the robot stands, or reachable floor; ``obstacle_x``, ``obstacle_y``
    is where something stopped the base, if something did.
    """
    x, y = result.evidence.get("x"), result.evidence.get("y")
    goal, target = params.get("goal"), params.get("target")
    sought = goal if isinstance(goal, Pose) else target
    blocked = result.status in BLOCKED_WAY
    if not blocked or not isinstance(x, float) or not isinstance(y, float) or not isinstance(sought, Pose):
        return result
    met_x, met_y = (result.evidence.get(f"{OBSTACLE}_{axis}") for axis in "xy")
    met = (met_x, met_y) if isinstance(met_x, float) and isinstance(met_y, float) else None
    within = config.goal_offset if sought is goal else config.target_offset
    obstruction = find_obstruction((x, y), sought.position[:2], within, surroundings, met, config)
    if obstruction is None:
        return result
    message = f"{result.message}: {obstruction.sentence}"
    return replace(result, message=message, evidence={**result.evidence, **obstruction.evidence()})


def find_obstruction(
    start: Point,
    goal: Point,
    within: float,
    surroundings: Surroundings,
    met: Point | None = None,
    config: ObstructionConfig = CONFIG,
) -> Obstruction | None:
    """Find what alone keeps the base from a goal.

    Args:
        start: Position of the base, or other floor that it can reach, in map [m].
        goal: In map [m].
        within: Distance from the goal that counts as reached [m].
        met: Where something stopped the base in map [m], None if nothing did.

    Returns:
        The obstacle; None if the way is free on the map, or nothing known would free it.
    """
    if met is not None and (person := surroundings.person_near(met, config.met)) is not None:
        return _person(person, surroundings, config)
    obstruction = None
    if surroundings.floor is not None:
        zones = surroundings.home.no_go_zones if surroundings.home else ()
        ways = _Ways(surroundings.floor, start, goal, within, zones, config)
        if not ways.joined:
            obstruction = next(_obstacles(ways, surroundings, config), None)
    if obstruction is None and met is not None:
        rooms = _rooms_around(met, surroundings, config)
        return Obstruction(ObstacleKind.UNKNOWN, met, rooms=rooms)
    return obstruction


def _obstacles(ways: "_Ways", surroundings: Surroundings, config: ObstructionConfig) -> Iterator[Obstruction]:
    """Yield what would free the way, the most certain first."""
    home = surroundings.home or HomeMap(name="", rooms=())
    yield from _movable(ways, home, surroundings, config)
    for doorway in home.doorways:
        if ways.joined_without(_passage(doorway)):
            yield _in_doorway(doorway, ways, surroundings, config)
    for zone in home.no_go_zones:
        if ways.with_zones([each for each in home.no_go_zones if each is not zone]).joined:
            x, y = np.mean(zone.polygon, axis=0).tolist()
            yield Obstruction(ObstacleKind.NO_GO_ZONE, (x, y), zone.id, zone.name)
    if ways.joined_by_unknown():
        yield Obstruction(ObstacleKind.UNKNOWN_FLOOR, ways.start)
    if home.doorways and ways.joined_without(*map(_passage, home.doorways)):
        blocked = (each for each in home.doorways if ways.is_near_start(each.at) and ways.is_closed(each))
        yield from (_in_doorway(doorway, ways, surroundings, config) for doorway in blocked)


def _movable(
    ways: "_Ways", home: HomeMap, surroundings: Surroundings, config: ObstructionConfig
) -> Iterator[Obstruction]:
    """Yield the people and the furniture that would free the way."""
    for person in surroundings.people:
        x, y = person.pose.position[:2]
        if ways.joined_without(_disc((x, y), config.person), within=_floor_around((x, y), home, config)):
            yield _person(person, surroundings, config)
    for fixture in home.fixtures:
        within = _floor_around((fixture.pose.x, fixture.pose.y), home, config)
        if ways.joined_without(np.array(fixture.corners(config.furniture)), within=within):
            yield _furniture(fixture, surroundings, config)


def _person(person: SceneNode, surroundings: Surroundings, config: ObstructionConfig) -> Obstruction:
    x, y = person.pose.position[:2]
    rooms = _rooms_around((x, y), surroundings, config)
    return Obstruction(ObstacleKind.PERSON, (x, y), person.id, person.label, rooms)


def _furniture(fixture: Fixture, surroundings: Surroundings, config: ObstructionConfig) -> Obstruction:
    at = (fixture.pose.x, fixture.pose.y)
    before = surroundings.earlier.get(fixture.id, fixture.pose)
    moved = dist((before.x, before.y), at) >= config.moved
    rooms = _rooms_around(at, surroundings, config)
    return Obstruction(ObstacleKind.FURNITURE, at, fixture.id, fixture.name, rooms, moved)


def _in_doorway(
    doorway: Doorway, ways: "_Ways", surroundings: Surroundings, config: ObstructionConfig
) -> Obstruction:
    kind = ObstacleKind.SHUT_DOOR if ways.is_closed(doorway) else ObstacleKind.UNKNOWN
    rooms = sorted(doorway.rooms, key=lambda room: -ways.reached(_polygon(surroundings.home, room)))
    names = tuple(surroundings.name_of(room) for room in rooms)
    return Obstruction(kind, doorway.at, doorway.id, rooms=names)


def _rooms_around(at: Point, surroundings: Surroundings, config: ObstructionConfig) -> tuple[str, ...]:
    """Return the names of the rooms of the doorway at a point, else of the room that it is in."""
    doorways = surroundings.home.doorways if surroundings.home else ()
    near = [(dist(each.at, at), each.id, each) for each in doorways]
    if near and min(near)[0] <= config.in_doorway:
        return tuple(surroundings.name_of(room) for room in min(near)[2].rooms)
    return surroundings.room_at(at)


def _floor_around(at: Point, home: HomeMap, config: ObstructionConfig) -> list[Points]:
    """Return the outlines of the rooms and doorways, without walls, that an obstacle at a point may cover."""
    doorways = [each for each in home.doorways if dist(each.at, at) <= config.in_doorway]
    joined = {room for doorway in doorways for room in doorway.rooms}
    rooms = [room for room in home.rooms if room.id in joined or room.contains(*at)]
    return [*(np.array(room.polygon) for room in rooms), *map(_passage, doorways)]


def _passage(doorway: Doorway) -> Points:
    return _disc(doorway.at, doorway.width / 2 + _MARGIN)


def _polygon(home: HomeMap | None, room_id: str) -> Points:
    rooms = home.rooms if home else ()
    return np.array(next((room.polygon for room in rooms if room.id == room_id), np.zeros((3, 2))))


def _disc(middle: Point, radius: float) -> Points:
    angles = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    return np.array(middle) + radius * np.column_stack([np.cos(angles), np.sin(angles)])


class _Ways:
    """Floor that the base can reach, and what it could reach besides if parts of the map were free."""

    def __init__(
        self,
        floor: FloorMap,
        start: Point,
        goal: Point,
        within: float,
        zones: Sequence[NoGoZone],
        config: ObstructionConfig,
    ) -> None:
        self.start, self.cell = start, floor.resolution
        self._bare, self._goal, self._within, self._config = floor, goal, within, config
        cells = floor.cells.copy()
        self._floor = replace(floor, cells=cells)
        for zone in zones:
            window, inside = self._region(np.array(zone.polygon))
            cells[window][inside] = OCCUPIED
        self._parts, count = scipy.ndimage.label(self._free(cells))
        self._at_goal = np.zeros(cells.shape, bool)
        window, inside = self._region(_disc(goal, within))
        self._at_goal[window] = inside
        here = self._nearest_part(start)
        self.reachable = (self._parts == here) & (here > 0)
        ends = np.zeros(count + 1, bool)
        ends[np.unique(self._parts[self._at_goal])] = True
        ends[0] = False
        self._beyond = ends[self._parts] | self._at_goal
        self.joined = bool((self.reachable & self._at_goal).any())

    def with_zones(self, zones: Sequence[NoGoZone]) -> "_Ways":
        """Return the same ways with other no-go zones."""
        return _Ways(self._bare, self.start, self._goal, self._within, zones, self._config)

    def joined_without(self, *outlines: Points, within: Sequence[Points] | None = None) -> bool:
        """Return True if the base could reach the goal if these outlines (N, 2) in map [m] were free.

        Only what is ``within`` one of some other outlines, if they are given, counts as free.
        """
        regions = [self._region(outline) for outline in outlines]
        around = round((self._config.clearance + 0.6) / self.cell)
        low = np.min([[part.start for part in window] for window, _ in regions], axis=0) - around
        high = np.max([[part.stop for part in window] for window, _ in regions], axis=0) + around
        cells = self._floor.cells.copy()
        for window, inside in regions:
            cells[window][inside & self._covered(window, within)] = FREE
        return self._joins(tuple(map(slice, low.clip(min=0).tolist(), high.tolist())), cells)

    def joined_by_unknown(self) -> bool:
        """Return True if the base could reach the goal if all floor that was not seen were free."""
        cells = np.where(self._floor.cells == UNKNOWN, FREE, self._floor.cells).astype(np.int8)
        return self._joins((slice(None), slice(None)), cells)

    def _covered(self, window: Window, outlines: Sequence[Points] | None) -> Mask:
        if outlines is None:
            return np.ones(self._floor.cells[window].shape, bool)
        centres = self._centres(window)
        masks = [points_in_polygon(outline, centres) for outline in outlines]
        return np.asarray(np.any([np.zeros(centres.shape[:-1], bool), *masks], axis=0))

    def _centres(self, window: Window) -> Points:
        rows, columns = np.meshgrid(*(np.arange(part.start, part.stop) for part in window), indexing="ij")
        return self._floor.centres(rows, columns)

    def is_closed(self, doorway: Doorway) -> bool:
        """Return True if what is in a doorway leaves no gap, as a shut door does and a person does not."""
        window, _ = self._region(_disc(doorway.at, doorway.width / 2 + self._config.clearance))
        gaps = FloorMap(self._floor.cells[window], self.cell).clearance(self._config.gap)
        parts, _ = scipy.ndimage.label(gaps >= self._config.gap)
        here, other = self.reachable[window], (self._parts[window] > 0) & ~self.reachable[window]
        return not np.intersect1d(parts[here], parts[other]).size

    def reached(self, polygon: Points) -> float:
        """Return the area of an outline (N, 2) in map [m] that the base can reach [m^2]."""
        window, inside = self._region(polygon)
        return float((self.reachable[window] & inside).sum()) * self.cell**2

    def is_near_start(self, at: Point) -> bool:
        """Return True if the base can drive up to a point."""
        return self.reached(_disc(at, self._config.clearance + 0.6)) > 0.0

    def _joins(self, window: Window, cells: NDArray[np.int8]) -> bool:
        parts, _ = scipy.ndimage.label(self._free(cells[window]))
        here, there = parts[self.reachable[window]], parts[self._beyond[window]]
        return bool(np.intersect1d(here[here > 0], there).size)

    def _free(self, cells: NDArray[np.int8]) -> Mask:
        if not cells.size:
            return np.zeros(cells.shape, bool)
        nearest = FloorMap(cells, self.cell).clearance(self._config.unknown_margin)
        return np.asarray(nearest >= self._config.clearance)

    def _nearest_part(self, start: Point) -> int:
        """Return the label of the part that the robot is in, 0 if it is in none."""
        rows, columns = np.nonzero(self._parts)
        if not len(rows):
            return 0
        away = np.linalg.norm(self._floor.centres(rows, columns) - start, axis=1)
        nearest = int(away.argmin())
        return int(self._parts[rows[nearest], columns[nearest]]) if away[nearest] <= self._config.snap else 0

    def _region(self, outline: Points) -> tuple[Window, Mask]:
        """Return the cells within an outline (N, 2) in map [m]: a window of the map, and a mask of it."""
        corners = self._floor.cell(outline)
        height, width = self._floor.cells.shape
        low = np.clip(corners.min(axis=0), 0, (height, width))
        high = np.clip(corners.max(axis=0) + 1, 0, (height, width))
        window = (slice(int(low[0]), int(high[0])), slice(int(low[1]), int(high[1])))
        return window, points_in_polygon(outline, self._centres(window))
