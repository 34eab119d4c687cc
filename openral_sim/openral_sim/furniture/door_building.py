"""Adds a hinged door over the front of a container."""

import mujoco

from openral_core.maps import Container
from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.doors import Door, Motion
from openral_sim.furniture.handles import add_handle

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
    builder.doors.append(Door(body.name, f"{body.name}/hinge", Motion.HINGE, _OPEN_ANGLE, site, geoms))


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
