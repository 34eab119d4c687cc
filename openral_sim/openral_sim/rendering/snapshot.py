"""Pictures of a scene, for looking: `python -m openral_sim.rendering.snapshot --scene S --out DIR`."""
# MERGED Cameras that look at a whole home, at each of its rooms and from each of its places.
# MERGED Contact sheets: many small pictures_sheets of one scene on one page.

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from openral_core.home_map import Place, Room
from openral_sim.rendering.camera import CameraRenderer
from openral_sim.rendering.renderer import SceneView
from openral_sim.robot import add_robot, set_stowed
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.world import SimWorldModel

_STANDING_EYE = 1.35
_OVERVIEWS = {
    "overview": ((5.0, 2.2, 0.4), 90.0, -68.0, 9.8),
    "overview_kitchen": ((2.2, 2.6, 0.7), 60.0, -35.0, 4.4),
    "overview_living_room": ((7.8, 2.2, 0.6), 35.0, -35.0, 4.6),
    "overview_cabinet": ((2.0, 1.2, 0.7), 240.0, -30.0, 3.6),
}


def free_camera(
    lookat: tuple[float, float, float], azimuth: float, elevation: float, distance: float
) -> mujoco.MjvCamera:
    """A camera that looks at a point from a direction [deg] and distance [m]."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = lookat
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
    return camera


def pictures(world: SimWorldModel, width: int, height: int) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Named pictures: overviews, what is seen from every place, and the robot's cameras."""
    view = SceneView(world.model, width, height)
    for name, camera in _cameras(world):
        view.look(world.data, camera)
        yield name, view.draw()[0]
    view.close()
    for name in world.scene.document.cameras:
        with CameraRenderer(world, f"robot/{name}", width, height) as renderer:
            yield f"robot_{name}", renderer.render().rgb


def _cameras(world: SimWorldModel) -> Iterator[tuple[str, mujoco.MjvCamera]]:
    for name, view in _OVERVIEWS.items():
        yield name, free_camera(*view)
    for place in world.places.values():
        x, y = place.pose.to_parent(0.9, 0.0)
        yield (
            place.id,
            free_camera((x, y, _STANDING_EYE - 0.45), float(np.degrees(place.pose.yaw)), -25.0, 1.1),
        )


def main() -> None:
    """Write the pictures as PNG files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scene", type=Path, required=True, help="scene YAML file")
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures")
    parser.add_argument("--seed", type=int, default=0, help="draws the objects' placements")
    parser.add_argument("--size", type=int, nargs=2, default=(640, 480), help="width and height in px")
    arguments = parser.parse_args()
    world = SimWorldModel.load(load_scene(arguments.scene), arguments.seed, add_robot)
    set_stowed(world.model, world.data)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, rgb in pictures(world, *arguments.size):
        Image.fromarray(rgb).save(arguments.out / f"{name}.png")
        sys.stdout.write(f"{arguments.out / name}.png\n")


if __name__ == "__main__":
    main()


_EYE = 1.36
_DOWN = -25.0
_STEEP, _OBLIQUE = -72.0, -58.0


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


_COLUMNS = 4
_SIZE = (360, 270)
_OVERSAMPLED = 2
_INK = (20, 20, 24)
_PAPER = (250, 250, 248)
_TITLE = 16


def contact_sheet(scene: Scene, seed: int) -> Image.Image:
    """Overviews of a scene, what is seen from each of its places, and the robot's own cameras."""
    world = SimWorldModel.load(scene, seed, add_robot)
    set_stowed(world.model, world.data)
    return sheet([(name, picture) for name, picture in pictures_sheets(world, *_SIZE)])


def pictures_sheets(world: SimWorldModel, width: int, height: int) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Named pictures_sheets of a world, drawn larger and scaled down so that edges are smooth."""
    view = SceneView(world.model, _OVERSAMPLED * width, _OVERSAMPLED * height)
    for name, camera in _sheets_cameras(world):
        view.look(world.data, camera)
        large = Image.fromarray(view.draw()[0])
        yield name, np.asarray(large.resize((width, height), Image.Resampling.BOX))
    view.close()


def sheet(named: list[tuple[str, NDArray[np.uint8]]]) -> Image.Image:
    """Pictures in rows, each with its name above it."""
    height, width = named[0][1].shape[:2]
    rows = -(-len(named) // _COLUMNS)
    page = Image.new("RGB", (_COLUMNS * width, rows * (height + _TITLE)), _PAPER)
    draw = ImageDraw.Draw(page)
    for index, (name, picture) in enumerate(named):
        x, y = index % _COLUMNS * width, index // _COLUMNS * (height + _TITLE)
        draw.text((x + 4, y + 2), name, _INK)
        page.paste(Image.fromarray(picture), (x, y + _TITLE))
    return page


def _sheets_cameras(world: SimWorldModel) -> Iterator[tuple[str, mujoco.MjvCamera]]:
    yield from overviews(world.scene)
    for place in world.places.values():
        yield place.id, place_view(place)
    for name in world.scene.document.cameras:
        camera = mujoco.MjvCamera()
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = world.model.camera(f"robot/{name}").id
        yield f"robot {name}", camera
