"""Composes a scene, drawn by a seed, and a robot into one specification."""

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_sim.compositions.building import FLOOR, add_building
from openral_sim.compositions.contents import add_fixture, add_object, add_person
from openral_sim.compositions.options import new_spec
from openral_sim.compositions.settling import settle
from openral_sim.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.robot.names import RobotNames
from openral_sim.scenes import CameraStyle, Scene

AddRobot = Callable[[mujoco.MjSpec, float, float, float], RobotNames]
"""Adds a robot at x [m], y [m], yaw [rad]; all its names start with `robot/`."""


@dataclass(frozen=True)
class Composition:
    """A specification and what is in it."""

    spec: mujoco.MjSpec
    furniture: dict[str, WorldFurniture]
    objects: dict[str, WorldObject]
    people: dict[str, WorldPerson]
    robot: RobotNames | None


def compose(scene: Scene, seed: int, add_robot: AddRobot | None) -> Composition:
    """Build everything the scene describes; the same seed places the objects the same way."""
    document, home = scene.document, scene.home
    spec, rng = new_spec(document.name), np.random.default_rng(seed)
    add_building(spec, scene)
    fixtures = [add_fixture(spec, fixture, document.furniture[fixture.id]) for fixture in home.fixtures]
    objects = [add_object(spec, scene, placement, rng) for placement in document.objects]
    people = [add_person(spec, agent, document.people[agent.id]) for agent in home.agents]
    settle(spec, (item.body for item in objects))
    return Composition(
        spec,
        {item.id: item for item in fixtures},
        {item.id: item for item in objects},
        {item.id: item for item in people},
        None if add_robot is None else _place_robot(spec, scene, add_robot),
    )


def _place_robot(spec: mujoco.MjSpec, scene: Scene, add_robot: AddRobot) -> RobotNames:
    start = scene.document.robot
    names = add_robot(spec, start.x, start.y, start.yaw)
    for body in spec.bodies:
        if body.name.startswith("robot/"):
            spec.add_exclude(name=f"{body.name}/{FLOOR}", bodyname1=FLOOR, bodyname2=body.name)
    for name, style in scene.document.cameras.items():
        _set_camera(spec.camera(f"robot/{name}"), style)
    return names


def _set_camera(camera: mujoco.MjsCamera, style: CameraStyle) -> None:
    camera.fovy = style.fovy
    camera.resolution = (style.width, style.height)
