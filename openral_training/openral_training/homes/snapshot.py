"""Still images of a scene: `python -m openral_training.homes.snapshot --scene SCENE --out FOLDER`."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
from PIL.Image import fromarray

from openral_core.arrays import Image
from openral_core.home_map import Place
from openral_sim.rendering.camera import CameraRenderer, free_camera
from openral_sim.rendering.renderer import SceneView
from openral_sim.robot.catalogue import DEFAULT_ROBOT
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel

PLACE_ELEVATION = -25.0
"""Elevation of the view from a place [deg], as the head looks at a table."""
EYE_HEIGHT = 1.35
"""Height from which the view of a place is rendered [m], about that of the robot's head."""
HOME_OVERVIEWS = {
    "overview": ((5.0, 2.2, 0.4), 90.0, -68.0, 9.8),
    "overview_kitchen": ((2.2, 2.6, 0.7), 60.0, -35.0, 4.4),
    "overview_living_room": ((7.8, 2.2, 0.6), 35.0, -35.0, 4.6),
    "overview_cabinet": ((2.0, 1.2, 0.7), 240.0, -30.0, 3.6),
}
"""Overviews of the shipped scene `home`: point looked at [m], azimuth, elevation [deg], distance [m]."""


def place_view(place: Place) -> mujoco.MjvCamera:
    """Create a camera that sees what the robot's head sees at a place."""
    x, y = place.pose.to_parent(0.9, 0.0)
    yaw = float(np.degrees(place.pose.yaw))
    return free_camera((x, y, EYE_HEIGHT - 0.45), yaw, PLACE_ELEVATION, 1.1)


def snapshots(world: SimWorldModel, width: int, height: int) -> Iterator[tuple[str, Image]]:
    """Render named images: overviews of the home, the view from every place, and the robot's cameras."""
    view = SceneView(world.model, width, height)
    cameras = {name: free_camera(*direction) for name, direction in HOME_OVERVIEWS.items()}
    cameras |= {place.id: place_view(place) for place in world.places.values()}
    for name, camera in cameras.items():
        view.update(world.data, camera)
        yield name, view.render()[0]
    view.close()
    for name in world.scene.document.cameras:
        with CameraRenderer(world, f"robot/{name}", width, height) as renderer:
            yield f"robot_{name}", renderer.render().rgb


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
        fromarray(rgb).save(arguments.out / f"{name}.png")
        sys.stdout.write(f"{arguments.out / name}.png\n")


if __name__ == "__main__":
    main()
