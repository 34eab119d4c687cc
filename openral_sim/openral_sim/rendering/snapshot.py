"""Still images of a scene: `python -m openral_sim.rendering.snapshot --scene SCENE --out FOLDER`.

`main` writes one image per view; `contact_sheet` puts small ones of any scene on one page.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from openral_core.home_map import Place, Room
from openral_sim.rendering.camera import CameraRenderer, fixed_camera
from openral_sim.rendering.renderer import SceneView
from openral_sim.robot import DEFAULT_ROBOT, load_sim_robot
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.world import SimWorldModel


@dataclass(frozen=True)
class OverviewConfig:
    """Directions and distances of the cameras that look at a home.

    Attributes:
        home_elevation: Elevation of the view of the whole home [deg], nearly straight down.
        room_elevation: Elevation of the view of a room [deg], steep enough to see past its south wall.
        place_elevation: Elevation of the view from a place [deg], as the head looks at a table.
        home_distance: Distance to the home as a factor of its extent [-] and an offset [m].
        room_distance: Distance to a room as a factor of its extent [-] and an offset [m].
    """

    home_elevation: float = -72.0
    room_elevation: float = -58.0
    place_elevation: float = -25.0
    home_distance: tuple[float, float] = (1.25, 2.0)
    room_distance: tuple[float, float] = (0.85, 1.6)


@dataclass(frozen=True)
class SheetLayout:
    """Layout of a contact sheet, all lengths in [px].

    Attributes:
        columns: Number of images in a row.
        size: Width and height of an image.
        oversampling: Factor by which images are rendered larger, for smooth edges.
        title: Height of the line with an image's name.
        ink: Colour of the names.
        paper: Colour of the page.
    """

    columns: int = 4
    size: tuple[int, int] = (360, 270)
    oversampling: int = 2
    title: int = 16
    ink: tuple[int, int, int] = (20, 20, 24)
    paper: tuple[int, int, int] = (250, 250, 248)


OVERVIEW = OverviewConfig()
SHEET = SheetLayout()
EYE_HEIGHT = 1.35
"""Height from which the view of a place is rendered [m], about that of the robot's head."""
SHEET_EYE_HEIGHT = 1.36
"""Height from which the view of a place is rendered on a contact sheet [m]."""
HOME_OVERVIEWS = {
    "overview": ((5.0, 2.2, 0.4), 90.0, -68.0, 9.8),
    "overview_kitchen": ((2.2, 2.6, 0.7), 60.0, -35.0, 4.4),
    "overview_living_room": ((7.8, 2.2, 0.6), 35.0, -35.0, 4.6),
    "overview_cabinet": ((2.0, 1.2, 0.7), 240.0, -30.0, 3.6),
}
"""Overviews of the shipped scene `home`: point looked at [m], azimuth, elevation [deg], distance [m]."""


def free_camera(
    lookat: tuple[float, float, float], azimuth: float, elevation: float, distance: float
) -> mujoco.MjvCamera:
    """Create a camera that looks at a point [m] from a direction [deg] and a distance [m]."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = lookat
    camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
    return camera


def overviews(scene: Scene) -> Iterator[tuple[str, mujoco.MjvCamera]]:
    """Yield named cameras above the whole home, then above every room."""
    low, high = _bounds([corner for room in scene.home.rooms for corner in room.polygon])
    middle, extent = (low + high) / 2, float(np.max((high - low) * (0.75, 1.0)))
    factor, offset = OVERVIEW.home_distance
    lookat = (float(middle[0]), float(middle[1]), 0.4)
    yield "overview", free_camera(lookat, 90.0, OVERVIEW.home_elevation, factor * extent + offset)
    for room in scene.home.rooms:
        yield f"room_{room.id}", _room_camera(room)


def place_view(place: Place, eye_height: float = SHEET_EYE_HEIGHT) -> mujoco.MjvCamera:
    """Create a camera that sees what the robot's head sees at a place."""
    x, y = place.pose.to_parent(0.9, 0.0)
    yaw = float(np.degrees(place.pose.yaw))
    return free_camera((x, y, eye_height - 0.45), yaw, OVERVIEW.place_elevation, 1.1)


def snapshots(world: SimWorldModel, width: int, height: int) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Render named images: overviews of the home, the view from every place, and the robot's cameras."""
    view = SceneView(world.model, width, height)
    cameras = {name: free_camera(*direction) for name, direction in HOME_OVERVIEWS.items()}
    cameras |= {place.id: place_view(place, EYE_HEIGHT) for place in world.places.values()}
    for name, camera in cameras.items():
        view.update(world.data, camera)
        yield name, view.render()[0]
    view.close()
    for name in world.scene.document.cameras:
        with CameraRenderer(world, f"robot/{name}", width, height) as renderer:
            yield f"robot_{name}", renderer.render().rgb


def contact_sheet(scene: Scene, seed: int) -> Image.Image:
    """Render a page of a scene: overviews, the view from each place, and the robot's cameras."""
    robot = load_sim_robot()
    world = SimWorldModel.load(scene, seed, robot)
    robot.set_stowed(world.model, world.data)
    named = list(_sheet_images(world))
    width, height = SHEET.size
    rows = -(-len(named) // SHEET.columns)
    page = Image.new("RGB", (SHEET.columns * width, rows * (height + SHEET.title)), SHEET.paper)
    draw = ImageDraw.Draw(page)
    for index, (name, image) in enumerate(named):
        x, y = index % SHEET.columns * width, index // SHEET.columns * (height + SHEET.title)
        draw.text((x + 4, y + 2), name, SHEET.ink)
        page.paste(image, (x, y + SHEET.title))
    return page


def main() -> None:
    """Write the snapshots of a scene as PNG files."""
    parser = argparse.ArgumentParser(description="Write images of a scene as PNG files.")
    parser.add_argument("--scene", type=Path, required=True, help="scene YAML file")
    parser.add_argument("--out", type=Path, required=True, help="folder for the images")
    parser.add_argument("--seed", type=int, default=0, help="seed of the objects' placements")
    parser.add_argument("--robot", default=DEFAULT_ROBOT, help="robot of the simulation: a name or a file")
    parser.add_argument("--size", type=int, nargs=2, default=(640, 480), help="width and height in px")
    arguments = parser.parse_args()
    robot = load_sim_robot(arguments.robot)
    world = SimWorldModel.load(load_scene(arguments.scene), arguments.seed, robot)
    robot.set_stowed(world.model, world.data)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, rgb in snapshots(world, *arguments.size):
        Image.fromarray(rgb).save(arguments.out / f"{name}.png")
        sys.stdout.write(f"{arguments.out / name}.png\n")


def _room_camera(room: Room) -> mujoco.MjvCamera:
    low, high = _bounds(room.polygon)
    x, y = (low + high) / 2
    factor, offset = OVERVIEW.room_distance
    distance = float(factor * (high - low).max()) + offset
    return free_camera((float(x), float(y) + 0.3, 0.5), 90.0, OVERVIEW.room_elevation, distance)


def _bounds(points: object) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array(points)
    return corners.min(axis=0), corners.max(axis=0)


def _sheet_images(world: SimWorldModel) -> Iterator[tuple[str, Image.Image]]:
    width, height = SHEET.size
    view = SceneView(world.model, SHEET.oversampling * width, SHEET.oversampling * height)
    cameras = dict(overviews(world.scene))
    cameras |= {place.id: place_view(place) for place in world.places.values()}
    cameras |= {
        f"robot {name}": fixed_camera(world.model.camera(f"robot/{name}").id)
        for name in world.scene.document.cameras
    }
    for name, camera in cameras.items():
        view.update(world.data, camera)
        large = Image.fromarray(view.render()[0])
        yield name, large.resize((width, height), Image.Resampling.BOX)
    view.close()


if __name__ == "__main__":
    main()
