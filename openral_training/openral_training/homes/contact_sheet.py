"""Contact sheet of a scene: small images of the home, its rooms, its places and the robot's cameras."""

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from PIL import Image, ImageDraw

from openral_core.home_map import Room
from openral_sim.rendering.camera import fixed_camera, free_camera
from openral_sim.rendering.renderer import SceneView
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import Scene
from openral_sim.scene.world import SimWorldModel
from openral_training.homes.snapshot import place_view


@dataclass(frozen=True)
class OverviewConfig:
    """Directions and distances of the cameras that look at a home."""

    home_elevation: float = -72.0  # Elevation of the view of the whole home [deg], nearly straight down.
    # Elevation of the view of a room [deg], steep enough to see past its south wall.
    room_elevation: float = -58.0
    # Distance to the home as a factor of its extent [-] and an offset [m].
    home_distance: tuple[float, float] = (1.25, 2.0)
    # Distance to a room as a factor of its extent [-] and an offset [m].
    room_distance: tuple[float, float] = (0.85, 1.6)


@dataclass(frozen=True)
class SheetLayout:
    """Layout of a contact sheet, all lengths in [px]."""

    columns: int = 4  # Number of images in a row.
    size: tuple[int, int] = (360, 270)  # Width and height of an image.
    oversampling: int = 2  # Factor by which images are rendered larger, for smooth edges.
    title: int = 16  # Height of the line with an image's name.
    ink: tuple[int, int, int] = (20, 20, 24)  # Colour of the names.
    paper: tuple[int, int, int] = (250, 250, 248)  # Colour of the page.


OVERVIEW = OverviewConfig()
SHEET = SheetLayout()


def overviews(scene: Scene) -> Iterator[tuple[str, mujoco.MjvCamera]]:
    """Yield named cameras above the whole home, then above every room."""
    low, high = _bounds([corner for room in scene.home.rooms for corner in room.polygon])
    middle, extent = (low + high) / 2, float(np.max((high - low) * (0.75, 1.0)))
    factor, offset = OVERVIEW.home_distance
    lookat = (float(middle[0]), float(middle[1]), 0.4)
    yield "overview", free_camera(lookat, 90.0, OVERVIEW.home_elevation, factor * extent + offset)
    for room in scene.home.rooms:
        yield f"room_{room.id}", _room_camera(room)


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
