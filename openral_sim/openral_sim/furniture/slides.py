"""Bodies that slide: drawers and sliding doors."""

import mujoco

from openral_sim.furniture.builder import FurnitureBuilder, Vector
from openral_sim.furniture.doors import Door, Motion


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


def sliding_door(body: mujoco.MjsBody, travel: float, handle: tuple[str, tuple[str, ...]]) -> Door:
    """The names of a body that slides and of its handle."""
    site, geoms = handle
    return Door(body.name, f"{body.name}/slide", Motion.SLIDE, travel, site, geoms)
