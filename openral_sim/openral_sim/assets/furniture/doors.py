"""Adds a hinged door over the front of a container."""
# MERGED Bodies that slide: drawers and sliding doors.
# MERGED The container of a fixture whose kind needs one.
# MERGED Where in a container things may lie, from the map alone.

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_core.home_map import Container, Fixture
from openral_sim.assets.furniture.builder import FurnitureBuilder, FurnitureDoor, Motion, Vector, add_handle

_GAP = 0.004
_MASS = 8.0
_OPEN_ANGLE = 1.92
_BAR = 0.32
_FROM_EDGE = 0.06


def add_door(builder: FurnitureBuilder, container: Container, bottom: float, handle_z: float) -> None:
    """Add a door that closes the container's front, from `bottom` [m] to the fixture's top."""
    fixture = builder.fixture
    back, front = container.interior.max[0] + _GAP, fixture.depth / 2
    thickness, side = front - back, 1.0 if builder.style.hinge == "right" else -1.0
    body = _hinged_body(builder, back, side)
    _let_pass(builder, body)
    reach = -side * (fixture.width - 2 * _GAP)
    low = (0.0, min(0.0, reach), bottom)
    high = (thickness, max(0.0, reach), fixture.height)
    builder.panel(low, high, builder.style.main, body).mass = _MASS
    foot = (thickness, reach + side * _FROM_EDGE, handle_z)
    site, geoms = add_handle(builder, body, foot, _BAR)
    builder.doors.append(
        FurnitureDoor(body.name, f"{body.name}/hinge", Motion.HINGE, _OPEN_ANGLE, site, geoms)
    )


def _hinged_body(builder: FurnitureBuilder, back: float, side: float) -> mujoco.MjsBody:
    hinge_y = side * (builder.fixture.width / 2 - _GAP)
    body = builder.body.add_body(name=f"{builder.body.name}/door", pos=(back, hinge_y, 0))
    body.add_joint(
        name=f"{body.name}/hinge",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=(0, 0, side),
        limited=True,
        range=(0.0, _OPEN_ANGLE),
        damping=1.5,
        frictionloss=0.8,
        armature=0.05,
    )
    return body


def _let_pass(builder: FurnitureBuilder, body: mujoco.MjsBody) -> None:
    """The frame is fixed to the world, so MuJoCo would let the door's edge rub on it."""
    builder.spec.add_exclude(name=f"{body.name}/frame", bodyname1=builder.body.name, bodyname2=body.name)


def add_slide(
    builder: FurnitureBuilder, name: str, origin: Vector, axis: Vector, travel: float
) -> mujoco.MjsBody:
    """Add a body that slides along an axis of the fixture's frame, from 0 to ``travel`` [m]."""
    body = builder.body.add_body(name=f"{builder.body.name}/{name}", pos=origin)
    body.add_joint(
        name=f"{body.name}/slide",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=axis,
        limited=True,
        range=(0.0, travel),
        damping=8.0,
        frictionloss=3.0,
        armature=0.2,
    )
    builder.spec.add_exclude(name=f"{body.name}/frame", bodyname1=builder.body.name, bodyname2=body.name)
    return body


def sliding_door(body: mujoco.MjsBody, travel: float, handle: tuple[str, tuple[str, ...]]) -> FurnitureDoor:
    """The names of a body that slides and of its handle."""
    site, geoms = handle
    return FurnitureDoor(body.name, f"{body.name}/slide", Motion.SLIDE, travel, site, geoms)


class NotAContainer(OpenRALError):
    """A fixture of a hollow kind has no `container` in the map."""

    def __init__(self, fixture: Fixture) -> None:
        super().__init__(f"fixture '{fixture.id}' of kind '{fixture.kind}' needs a `container` in the map")


def container_of(fixture: Fixture) -> Container:
    """The fixture's container.

    Raises:
        NotAContainer: If it has none.
    """
    if fixture.container is None:
        raise NotAContainer(fixture)
    return fixture.container


Vector_insides = NDArray[np.float64]
_ACROSS = 7
_FROM_WALLS = 0.03
_LYING = 0.03
"""Height of the middle of something small over what it lies on in [m]."""


def inside_of(fixture: Fixture, drawn: float) -> Vector_insides:
    """Middles of small things that lie all over its floor and the shelves in it, in map in [m], shape (N, 3).

    Args:
        fixture: A container.
        drawn: How far what it holds has come out with it in [m].

    Raises:
        NotAContainer: If it is none.
    """
    interior = container_of(fixture).interior
    low, high = np.array(interior.min), np.array(interior.max)
    heights = {float(low[2]), *(s.z for s in fixture.surfaces if low[2] < s.z < high[2])}
    xs, ys = (np.linspace(low[i] + _FROM_WALLS, high[i] - _FROM_WALLS, _ACROSS) for i in range(2))
    x, y, z = (each.ravel() for each in np.meshgrid(xs + drawn, ys, sorted(heights)))
    c, s = np.cos(fixture.pose.yaw), np.sin(fixture.pose.yaw)
    return np.column_stack([fixture.pose.x + c * x - s * y, fixture.pose.y + s * x + c * y, z + _LYING])
