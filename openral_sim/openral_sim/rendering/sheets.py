"""Contact sheets: many small pictures of one scene on one page."""

from collections.abc import Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from openral_sim.rendering.overviews import overviews, place_view
from openral_sim.rendering.scene_view import SceneView
from openral_sim.robot import add_robot, stand_tucked
from openral_sim.scenes import Scene
from openral_sim.world import World

_COLUMNS = 4
_SIZE = (360, 270)
_OVERSAMPLED = 2
_INK = (20, 20, 24)
_PAPER = (250, 250, 248)
_TITLE = 16


def contact_sheet(scene: Scene, seed: int) -> Image.Image:
    """Overviews of a scene, what is seen from each of its places, and the robot's own cameras."""
    world = World.load(scene, seed, add_robot)
    stand_tucked(world.model, world.data)
    return sheet([(name, picture) for name, picture in pictures(world, *_SIZE)])


def pictures(world: World, width: int, height: int) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Named pictures of a world, drawn larger and scaled down so that edges are smooth."""
    view = SceneView(world.model, _OVERSAMPLED * width, _OVERSAMPLED * height)
    for name, camera in _cameras(world):
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


def _cameras(world: World) -> Iterator[tuple[str, mujoco.MjvCamera]]:
    yield from overviews(world.scene)
    for place in world.places.values():
        yield place.id, place_view(place)
    for name in world.scene.document.cameras:
        camera = mujoco.MjvCamera()
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = world.model.camera(f"robot/{name}").id
        yield f"robot {name}", camera
