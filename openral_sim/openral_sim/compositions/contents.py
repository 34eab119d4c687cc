"""Furniture, objects and people added to a specification."""

import mujoco
import numpy as np

from openral_core.maps import Agent, Fixture
from openral_sim.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.furniture import FurnitureBuilder, build_fixture
from openral_sim.objects import KINDS, ObjectBuilder, build_object
from openral_sim.people import build_person
from openral_sim.scenes import FurnitureStyle, PersonStyle, Placement, Scene
from openral_sim.scenes.placements import yaw_quaternion

_CLEARANCE = 0.001


def add_fixture(spec: mujoco.MjSpec, fixture: Fixture, style: FurnitureStyle) -> WorldFurniture:
    """Add a fixture where the map has it."""
    pose = fixture.pose
    body = spec.worldbody.add_body(
        name=f"furniture/{fixture.id}", pos=(pose.x, pose.y, 0), quat=yaw_quaternion(pose.yaw)
    )
    builder = FurnitureBuilder(spec, body, fixture, style)
    build_fixture(builder)
    return WorldFurniture(fixture, body.name, _geoms_of(body), tuple(builder.doors))


def add_object(
    spec: mujoco.MjSpec, scene: Scene, placement: Placement, rng: np.random.Generator
) -> WorldObject:
    """Add an object just above its surface, its placement drawn."""
    fixture, surface = scene.spot(placement)
    kind, pose = KINDS[placement.kind], placement.draw(rng)
    x, y = fixture.pose.to_parent(pose.x, pose.y)
    body = spec.worldbody.add_body(
        name=f"object/{placement.id}",
        pos=(x, y, surface.z + kind.size[2] / 2 + _CLEARANCE),
        quat=yaw_quaternion(fixture.pose.yaw + pose.yaw),
    )
    body.add_freejoint(name=body.name)
    build_object(ObjectBuilder(spec, body, placement.kind, kind, placement.colour))
    phrase = f"{placement.colour} {kind.noun}" if placement.colour else kind.noun
    return WorldObject(
        placement.id, placement.kind, phrase, body.name, _geoms_of(body), kind.size, kind.graspable
    )


def add_person(spec: mujoco.MjSpec, agent: Agent, style: PersonStyle) -> WorldPerson:
    """Add a person where the map has them."""
    pose = agent.pose
    body = spec.worldbody.add_body(
        name=f"person/{agent.id}", pos=(pose.x, pose.y, 0), quat=yaw_quaternion(pose.yaw)
    )
    hand = build_person(spec, body, style, agent.height)
    return WorldPerson(agent.id, agent.name, pose, body.name, _geoms_of(body), hand)


def _geoms_of(body: mujoco.MjsBody) -> tuple[str, ...]:
    return tuple(geom.name for geom in body.find_all(mujoco.mjtObj.mjOBJ_GEOM))
