"""Floor and found home as JSON values for the page."""

import numpy as np
from nav_msgs.msg import OccupancyGrid

from openral_console.ros.views import cut
from openral_console.sections import Json, finite, numbers
from openral_core.floor_map import MapTooLarge
from openral_core.home_edits import EditState
from openral_core.home_map import HomeMap, Pose2
from openral_ros.conversions.floor_maps import floor_map_from_message

MAX_FLOOR = 4_000_000
"""Most cells of a floor that a page gets [1]: 100 m x 100 m at 5 cm."""
MAX_FURNITURE = 1000
"""Most pieces of furniture, and most places, that a page gets [1]."""


def floor(message: OccupancyGrid) -> Json:
    """Return the occupancy of the floor: runs of (value, number of cells), rows upwards from the origin.

    Raises:
        OpenRALError: If it is no map of the floor, or one of more than `MAX_FLOOR` cells.
    """
    grid = floor_map_from_message(message, None)
    height, width = grid.cells.shape
    if height * width > MAX_FLOOR:
        raise MapTooLarge(width, height)
    cells = grid.cells.ravel()
    ends = np.append(np.flatnonzero(np.diff(cells)) + 1, cells.size)
    counts = np.diff(ends, prepend=0)
    runs = np.stack([cells[ends - 1].astype(int), counts], axis=1)
    return {
        "size": [width, height],
        "cell": finite(grid.resolution, 4),
        "origin": numbers((grid.origin.x, grid.origin.y, grid.origin.yaw), 4),
        "runs": runs.ravel().tolist(),
    }


def home_map(text: str) -> Json:
    """Return rooms, doorways, furniture, places, people and no-go zones of a found home.

    Raises:
        ValidationError: If the text is no map of a home.
    """
    home = HomeMap.model_validate_json(text)
    return {
        "rooms": [
            {"id": room.id, "name": cut(room.name, 200), "polygon": room.polygon} for room in home.rooms
        ],
        "doorways": [
            {"id": each.id, "rooms": each.rooms, "at": each.at, "width": finite(each.width)}
            for each in home.doorways
        ],
        "furniture": [
            {
                "id": item.id,
                "kind": cut(item.kind, 100),
                "name": cut(item.name, 200),
                "room": item.room,
                "at": _planar(item.pose),
                "size": numbers((item.depth, item.width, item.height)),
            }
            for item in home.fixtures[:MAX_FURNITURE]
        ],
        "places": [
            {"id": each.id, "name": cut(each.name, 200), "at": _planar(each.pose)}
            for each in home.places[:MAX_FURNITURE]
            if each.looks_at is None
        ],
        "zones": [
            {"id": each.id, "name": cut(each.name, 200), "polygon": each.polygon} for each in home.no_go_zones
        ],
    }


def home_edits(text: str) -> Json:
    """Return which furniture people accepted and rejected, and the ids of what they added.

    Raises:
        ValidationError: If the text is no state of edits.
    """
    edits = EditState.model_validate_json(text).edits
    return {
        "accepted": [item.id for item in edits.accepted],
        "rejected": [{"id": item.id, "name": cut(item.name, 200)} for item in edits.rejected],
        "added": [*(place.id for place in edits.places), *(zone.id for zone in edits.no_go_zones)],
    }


def _planar(pose: Pose2) -> Json:
    return numbers((pose.x, pose.y, pose.yaw))
