"""Check of a home's map: what keeps the robot from using it, each with a remedy."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import hypot

import numpy as np

from openral_core.home_map import Agent, Doorway, Fixture, HomeMap, Place, Room
from openral_core.lazy_modules import lazy_module
from openral_world_state.navigation import FloorGrid
from openral_world_state.static_map import static_map_from_home

nx = lazy_module("networkx")

DOORWAY_REACH = 0.4
"""Largest distance of a doorway from the outlines that it joins [m]; walls are thinner."""
WALL_OVERLAP = 0.05
"""Depth to which furniture may reach into a wall [m]: the accuracy of a measured map."""
_STEPS = np.linspace(-1.0, 1.0, 5)
"""Points of a footprint that are checked along each axis, relative to its half length [1]."""


@dataclass(frozen=True)
class MapFinding:
    """A problem of a map and its remedy."""

    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.problem}: {self.remedy}"


def check_home(home: HomeMap, robot_radius: float) -> list[MapFinding]:
    """List the problems of a map for a robot of a radius [m]; empty for a usable map."""
    return [
        *repeated_names(home),
        *doorway_problems(home),
        *furniture_problems(home),
        *unreachable_places(home, robot_radius),
    ]


def repeated_names(home: HomeMap) -> Iterator[MapFinding]:
    """Yield names that stand for several rooms, pieces, places or people."""
    named: dict[str, list[str]] = defaultdict(list)
    items: tuple[Room | Fixture | Place | Agent, ...] = (
        *home.rooms,
        *home.fixtures,
        *home.places,
        *home.agents,
    )
    for item in items:
        named[item.name.casefold()].append(item.id)
    for name, ids in named.items():
        if len(ids) > 1:
            yield MapFinding(
                f"the name {name!r} stands for {', '.join(ids)}",
                "give each a name of its own; what they share can be an alias",
            )


def doorway_problems(home: HomeMap) -> Iterator[MapFinding]:
    """Yield rooms that no doorway joins to the others, and doorways that are not at their rooms."""
    rooms = {room.id: room for room in home.rooms}
    for doorway in home.doorways:
        for room in doorway.rooms:
            if (away := _distance(rooms[room], doorway)) > DOORWAY_REACH:
                yield MapFinding(
                    f"doorway '{doorway.id}' is {away:.2f} m away from the outline of '{room}'",
                    "move the doorway into the wall, or correct the outline of the room",
                )
    if len(home.rooms) < 2 or not home.doorways:
        return
    graph = nx.Graph([doorway.rooms for doorway in home.doorways])
    graph.add_nodes_from(rooms)
    parts = sorted(nx.connected_components(graph), key=len, reverse=True)
    for room in sorted(room for part in parts[1:] for room in part):
        yield MapFinding(
            f"no doorway leads from '{room}' to {', '.join(sorted(parts[0]))}",
            "add a doorway, or look whether its door was shut when the map was made",
        )


def _distance(room: Room, doorway: Doorway) -> float:
    """Distance of a doorway's middle from a room's outline [m]."""
    corners, at = np.array(room.polygon), np.array(doorway.at)
    along = np.roll(corners, -1, axis=0) - corners
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    fraction = np.clip(((at - corners) * along).sum(axis=1) / length, 0.0, 1.0)
    return float(np.linalg.norm(corners + fraction[:, None] * along - at, axis=1).min())


def furniture_problems(home: HomeMap) -> Iterator[MapFinding]:
    """Yield furniture that reaches into walls, stands in another room, or overlaps other furniture."""
    for fixture in home.fixtures:
        points = list(_points(fixture, WALL_OVERLAP))
        if any(home.room_at(*point) is None for point in points):
            yield MapFinding(
                f"furniture '{fixture.id}' reaches into a wall",
                "correct its pose, depth or width, or the outline of its room",
            )
            continue
        middle = home.room_at(fixture.pose.x, fixture.pose.y)
        if middle is not None and middle.id != fixture.room:
            yield MapFinding(
                f"furniture '{fixture.id}' is said to be in '{fixture.room}', but stands in '{middle.id}'",
                f"set its room to '{middle.id}', or correct its pose",
            )
    for first, second in combinations(home.fixtures, 2):
        same = first.pose == second.pose  # drawers of one dresser
        if not same and any(
            second.footprint.contains(*second.pose.to_local(*point)) for point in _points(first, WALL_OVERLAP)
        ):
            yield MapFinding(
                f"furniture '{first.id}' and '{second.id}' overlap",
                "remove one (annotation 'remove') or correct their poses",
            )


def _points(fixture: Fixture, inset: float) -> Iterator[tuple[float, float]]:
    """Yield points of a footprint in the map, ``inset`` [m] from its edge."""
    x, y = max(fixture.depth / 2.0 - inset, 0.0), max(fixture.width / 2.0 - inset, 0.0)
    return (fixture.pose.to_parent(a * x, b * y) for a in _STEPS.tolist() for b in _STEPS.tolist())


def unreachable_places(home: HomeMap, robot_radius: float) -> Iterator[MapFinding]:
    """Yield places where the robot does not fit, and those without a path from most others."""
    floor = FloorGrid(static_map_from_home(home), robot_radius)
    fitting = []
    for place in home.places:
        at = (place.pose.x, place.pose.y)
        if floor.is_free(at):
            fitting.append(place)
            continue
        zone = next((zone for zone in home.no_go_zones if zone.contains(*at)), None)
        near = floor.nearest_free(at) is not None
        yield MapFinding(
            f"the robot does not fit at place '{place.id}' ({at[0]:.2f}, {at[1]:.2f}), which has "
            f"{floor.clearance(at):.2f} m of clearance",
            f"it is in the no-go zone '{zone.id}': move one of them"
            if zone
            else f"move it to where there is {robot_radius:.2f} m to every wall and piece of furniture"
            + ("" if near else "; there is none within 1 m"),
        )
    yield from _separated(floor, fitting)


def _separated(floor: FloorGrid, places: list[Place]) -> Iterator[MapFinding]:
    """Yield the places that no path joins to the place with most others in reach."""
    if not places:
        return
    points = [(place.pose.x, place.pose.y) for place in places]
    reach = [[floor.connected(a, b) for b in points] for a in points]
    hub = max(range(len(places)), key=lambda index: sum(reach[index]))
    for place, joined in zip(places, reach[hub], strict=True):
        if not joined:
            nearest = min(points, key=lambda p: hypot(p[0] - place.pose.x, p[1] - place.pose.y) or np.inf)
            yield MapFinding(
                f"no path leads from place '{place.id}' to '{places[hub].id}'",
                f"widen or add the doorway on the way (the nearest place is at {nearest[0]:.2f}, "
                f"{nearest[1]:.2f}), or remove the furniture or no-go zone that blocks it",
            )
