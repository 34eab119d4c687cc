"""Cameras that look at a whole home, at each of its rooms and from each of its places."""

from collections.abc import Iterator

import mujoco
import numpy as np

from openral_core.maps import Place, Room
from openral_sim.scenes import Scene

_EYE = 1.36
_DOWN = -25.0
_STEEP, _OBLIQUE = -72.0, -58.0


def free_camera(
    lookat: tuple[float, float, float], azimuth: float, elevation: float, distance: float
) -> mujoco.MjvCamera:
    """A camera that looks at a point from a direction [deg] and distance [m]."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = lookat
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
    return camera


def overviews(scene: Scene) -> Iterator[tuple[str, mujoco.MjvCamera]]:
    """The whole home from above, then every room."""
    low, high = _bounds([corner for room in scene.home.rooms for corner in room.polygon])
    middle, extent = (low + high) / 2, float(np.max((high - low) * (0.75, 1.0)))
    yield (
        "overview",
        free_camera((float(middle[0]), float(middle[1]), 0.4), 90.0, _STEEP, 1.25 * extent + 2.0),
    )
    for room in scene.home.rooms:
        yield f"room_{room.id}", _room_camera(room)


def place_view(place: Place) -> mujoco.MjvCamera:
    """What the head sees from a place, from its height."""
    x, y = place.pose.to_parent(0.9, 0.0)
    return free_camera((x, y, _EYE - 0.45), float(np.degrees(place.pose.yaw)), _DOWN, 1.1)


def _room_camera(room: Room) -> mujoco.MjvCamera:
    """From over the south wall, steeply enough to see past it."""
    low, high = _bounds(room.polygon)
    x, y = (low + high) / 2
    return free_camera(
        (float(x), float(y) + 0.3, 0.5), 90.0, _OBLIQUE, float(0.85 * (high - low).max()) + 1.6
    )


def _bounds(points: object) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array(points)
    return corners.min(axis=0), corners.max(axis=0)
