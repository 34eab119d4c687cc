"""The map of a home from what memory keeps of it: rooms, furniture, places and the people who were met."""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from openral_core.errors import OpenRALError
from openral_core.home_map import Agent, Container, Fixture, HomeMap, Place, Pose2, Room, Surface
from openral_core.spatial_memory import NodeKind, SceneNode
from openral_core.text import Thesaurus
from openral_mapping.furniture.file import furniture_path, load_furniture
from openral_mapping.furniture.kinds import kind_of
from openral_world_state.static_map import SiteFixture, StaticMap
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModelSettings

SUFFIXES = (".sqlite", ".sqlite3", ".db", ".json")
"""Endings of the files of memory."""
_THINNEST = 0.01
"""Least side of a piece of furniture [m]."""


class NoHomeInMemory(OpenRALError):
    """A memory that knows no room."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} has no room: memory keeps the rooms that a robot found by itself (--map none) or that"
            " were imported; import the map of its floor instead (the mapper's *.npz, or map.yaml of Nav2)"
        )


def home_from_memory(path: Path, name: str) -> HomeMap:
    """Read the map of the newest map epoch from a file of memory, which is not changed.

    If the mapper's files are beside it, doorways and exact furniture come from them.

    Args:
        path: SQLite file, or scene graph as JSON.
        name: Of the home.

    Raises:
        MemoryRefused, InvalidDocument: If it is none.
        NoHomeInMemory: If it knows no room.
    """
    if not path.exists():
        raise NoHomeInMemory(path)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        for file in (path, path.with_name(f"{path.name}-wal")):
            if file.exists():
                shutil.copy(file, copy.with_name(file.name))
        world = open_world(None, str(copy), WorldModelSettings(), Thesaurus.load(), newest_map=True)
        fixed, people = world.home, [*world.home.agents, *world.seen_people]
        world.memory.abandon()
    pieces_path = furniture_path(path.with_name(f"{path.stem}.floor.npz"))
    exact = load_furniture(pieces_path)[1] if pieces_path.exists() else None
    home = exact if exact is not None and exact.rooms else home_from_static_map(fixed, name)
    if not home.rooms:
        raise NoHomeInMemory(path)
    taken = {item.id for group in (home.rooms, home.fixtures, home.places) for item in group}
    agents = [_agent(node, home) for node in people if node.id not in taken]
    return HomeMap.model_validate({**dict(home), "name": name, "agents": agents})


def home_from_static_map(static_map: StaticMap, name: str) -> HomeMap:
    """Build the map of what is fixed; what lies in no room is given to the nearest."""
    rooms = tuple(area.outline for area in static_map.areas)
    if not rooms:
        return HomeMap(name=name, rooms=())
    pieces = [
        site for site in static_map.sites if site.footprint is not None and min(site.node.size) > _THINNEST
    ]
    return HomeMap(
        name=name,
        rooms=rooms,
        doorways=static_map.doorways,
        fixtures=tuple(_fixture(site, rooms) for site in pieces),
        places=tuple(_place(site, rooms) for site in static_map.sites if site.base_pose is not None),
        no_go_zones=static_map.no_go_zones,
    )


def _fixture(site: SiteFixture, rooms: tuple[Room, ...]) -> Fixture:
    node, (depth, width, _) = site.node, site.node.size
    container = None
    if site.interior is not None:
        container = Container(
            interior=site.interior, occludes_contents=node.occludes_contents, opens=site.opens
        )
    surfaces = tuple(
        Surface(id=f"level_{number}", z=shelf.height, area=shelf.area)
        for number, shelf in enumerate(site.shelves)
    )
    return Fixture(
        id=node.id,
        kind=_kind(node),
        name=node.label,
        aliases=node.aliases,
        room=_room_of(site.room, site.frame, rooms),
        pose=site.frame,
        depth=depth,
        width=width,
        height=site.height,
        surfaces=surfaces,
        container=container,
    )


def _kind(node: SceneNode) -> str:
    """Kind by the longest ending of the label that names one, else by the id that the mapper gave."""
    words = node.label.split()
    names = [" ".join(words[start:]) for start in range(len(words))]
    kinds = (kind_of(name) for name in (*names, re.sub(r"_\d+$", "", node.id).replace("_", " ")))
    return next(filter(None, kinds), "furniture")


def _place(site: SiteFixture, rooms: tuple[Room, ...]) -> Place:
    assert site.base_pose is not None
    x, y, _ = site.base_pose.position
    pose, node = Pose2(x=x, y=y, yaw=site.base_pose.yaw), site.node
    serves = node.id if site.footprint is not None else None
    return Place(
        id=f"at_{node.id}" if serves else node.id,
        name=f"in front of the {node.label}" if serves else node.label,
        aliases=() if serves else node.aliases,
        room=_room_of(site.room, pose, rooms),
        pose=pose,
        looks_at=serves,
    )


def _agent(node: SceneNode, home: HomeMap) -> Agent:
    x, y, _ = node.pose.position
    pose = Pose2(x=x, y=y, yaw=node.pose.yaw)
    height = node.size[2] if node.kind is NodeKind.AGENT and node.size[2] > 0.5 else 1.7
    room = _room_of("", pose, home.rooms)
    return Agent(id=node.id, name=node.label, aliases=node.aliases, room=room, pose=pose, height=height)


def _room_of(room_id: str, pose: Pose2, rooms: tuple[Room, ...]) -> str:
    if room_id in {room.id for room in rooms}:
        return room_id
    inside = next((room.id for room in rooms if room.contains(pose.x, pose.y)), None)
    return inside or min(rooms, key=lambda room: _distance(room, pose)).id


def _distance(room: Room, pose: Pose2) -> float:
    return min((x - pose.x) ** 2 + (y - pose.y) ** 2 for x, y in room.polygon)
