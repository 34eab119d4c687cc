"""Pictures of a scene, for looking: `python -m openral_sim.rendering.snapshot --scene S --out DIR`."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from openral_sim.rendering.camera_renderer import CameraRenderer
from openral_sim.rendering.scene_view import SceneView
from openral_sim.robot import add_robot, stand_tucked
from openral_sim.scenes import load_scene
from openral_sim.world import World

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


def pictures(world: World, width: int, height: int) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Named pictures: overviews, what is seen from every place, and the robot's cameras."""
    view = SceneView(world.model, width, height)
    for name, camera in _cameras(world):
        view.look(world.data, camera)
        yield name, view.draw()[0]
    view.close()
    for name in world.scene.document.cameras:
        with CameraRenderer(world, f"robot/{name}", width, height) as renderer:
            yield f"robot_{name}", renderer.render().rgb


def _cameras(world: World) -> Iterator[tuple[str, mujoco.MjvCamera]]:
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
    world = World.load(load_scene(arguments.scene), arguments.seed, add_robot)
    stand_tucked(world.model, world.data)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, rgb in pictures(world, *arguments.size):
        Image.fromarray(rgb).save(arguments.out / f"{name}.png")
        sys.stdout.write(f"{arguments.out / name}.png\n")


if __name__ == "__main__":
    main()
