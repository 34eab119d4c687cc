"""A played mapper: a floor map and a home of two rooms that people may edit, as the mapper node has them."""

import numpy as np
from nav_msgs.msg import OccupancyGrid
from scipy import ndimage
from std_msgs.msg import String

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_edits import HomeEdits
from openral_core.home_map import Doorway, Fixture, HomeMap, Pose2, Room
from openral_mapping.home.edits import with_edits
from openral_mapping.ros.home_edits import HomeEditing
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_ros.node_thread import NodeThread
from openral_ros.qos import LATCHED

FLAT = HomeMap(
    name="perceived",
    rooms=(
        Room(id="room_1", name="kitchen", polygon=((0.0, 0.0), (5.0, 0.0), (5.0, 4.5), (0.0, 4.5))),
        Room(id="room_2", name="room 2", polygon=((5.1, 0.0), (9.0, 0.0), (9.0, 4.5), (5.1, 4.5))),
    ),
    doorways=(Doorway(id="room_1_room_2_doorway", rooms=("room_1", "room_2"), at=(5.05, 2.2), width=0.9),),
    fixtures=tuple(
        Fixture(
            id=f"{kind}_1",
            kind=kind,
            name=kind,
            room=room,
            pose=Pose2(x=x, y=y, yaw=yaw),
            depth=depth,
            width=width,
            height=0.9,
        )
        for kind, room, (x, y, yaw), (depth, width) in (
            ("counter", "room_1", (2.0, 4.1, -1.57), (0.6, 2.4)),
            ("table", "room_1", (3.8, 1.5, 0.0), (0.8, 1.2)),
            ("sofa", "room_2", (8.4, 2.2, 3.14), (0.9, 1.9)),
            ("plant", "room_2", (5.6, 0.5, 1.57), (0.4, 0.4)),
        )
    ),
)
"""A home of two rooms as a mapper finds it."""


def floor_of(home: HomeMap, resolution: float = 0.05) -> FloorMap:
    """Return the floor of a home whose last room was seen in part."""
    cells = np.full((100, 190), UNKNOWN, np.int8)
    floor = FloorMap(cells, resolution, Pose2(x=-0.25, y=-0.25))
    for room in home.rooms:
        cells[ndimage.binary_dilation(floor.inside(room.polygon), iterations=2)] = OCCUPIED
    for room in home.rooms:
        cells[floor.inside(room.polygon)] = FREE
    for doorway in home.doorways:
        x, y = doorway.at
        half = doorway.width / 2.0
        cells[
            floor.inside(((x - 0.2, y - half), (x + 0.2, y - half), (x + 0.2, y + half), (x - 0.2, y + half)))
        ] = FREE
    for item in home.fixtures:
        cells[floor.inside(item.corners())] = OCCUPIED
    cells[70:, 150:] = UNKNOWN
    return floor


class Mapper:
    """Node on a thread of its own, which found `FLAT`."""

    def __init__(self, domain: int) -> None:
        self._thread = NodeThread("mapper", domain=domain)
        scope = self._thread.scope
        self._map_publisher = scope.publisher(String, "home_map", LATCHED)
        self._floor = scope.publisher(OccupancyGrid, "map", LATCHED)
        self._floor.publish(occupancy_grid_message(floor_of(FLAT), 0.0))
        self._editing = HomeEditing(scope, self._thread.node, None, self._home, self._show)
        self._show()
        self._thread.start()

    @property
    def edits(self) -> HomeEdits:
        """The edits so far."""
        return self._editing.edits

    def close(self) -> None:
        """Stop and release the node."""
        self._thread.close()

    def _home(self) -> HomeMap:
        return with_edits(FLAT, self.edits)

    def _show(self) -> None:
        self._map_publisher.publish(String(data=self._home().model_dump_json()))
