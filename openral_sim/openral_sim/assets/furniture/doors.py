"""Doors and drawers of containers, and the volume behind them.

`add_door` adds a hinged door, `add_slide` a body that slides (a drawer or a sliding door), and
`points_inside` samples the positions that small objects in a container can have.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.arrays import Points
from openral_core.errors import OpenRALError
from openral_core.home_map import Container, Fixture, Point3
from openral_sim.assets.furniture.builder import (
    DoorMotion,
    FurnitureBuilder,
    FurnitureDoor,
    add_handle,
)


@dataclass(frozen=True)
class HingedDoorModel:
    """Dimensions and joint dynamics of a hinged door: light enough to pull, damped enough to stay open."""

    gap: float = 0.004  # Gap between the door and the body behind and beside it [m].
    mass: float = 8.0  # Mass of the panel [kg].
    travel: float = 1.92  # Opening angle at the joint's limit [rad], 110 degrees.
    handle_length: float = 0.32  # Length of its bar handle [m].
    handle_inset: float = 0.06  # Distance of the bar from the door's free edge [m].
    damping: float = 1.5  # Damping of the hinge [N m s/rad].
    friction: float = 0.8  # Dry friction of the hinge [N m].
    armature: float = 0.05  # Rotor inertia added to the hinge for numerical stability [kg m^2].


@dataclass(frozen=True)
class SlideModel:
    """Joint dynamics of drawers and sliding doors."""

    damping: float = 8.0  # Damping of the slide [N s/m].
    friction: float = 3.0  # Dry friction of the slide [N].
    armature: float = 0.2  # Inertia added to the slide for numerical stability [kg].


@dataclass(frozen=True)
class InsideGrid:
    """Grid of the positions at which small objects may lie in a container."""

    points: int = 7  # Number of points along each horizontal axis.
    wall_margin: float = 0.03  # Distance from the container's walls [m].
    height: float = 0.03  # Height of a small object's centre above its surface [m].


HINGED_DOOR = HingedDoorModel()
SLIDE = SlideModel()
INSIDE_GRID = InsideGrid()


class NotAContainer(OpenRALError):
    """A fixture of a hollow kind has no `container` in the map."""

    def __init__(self, fixture: Fixture) -> None:
        super().__init__(f"fixture '{fixture.id}' of kind '{fixture.kind}' needs a `container` in the map")


def add_door(builder: FurnitureBuilder, container: Container, bottom: float, handle_z: float) -> None:
    """Add a hinged door over the container's front, from `bottom` [m] to the fixture's top."""
    fixture = builder.fixture
    back, front = container.interior.max[0] + HINGED_DOOR.gap, fixture.depth / 2
    thickness, side = front - back, 1.0 if builder.style.hinge == "right" else -1.0
    body = _add_hinged_body(builder, back, side)
    reach = -side * (fixture.width - 2 * HINGED_DOOR.gap)
    low = (0.0, min(0.0, reach), bottom)
    high = (thickness, max(0.0, reach), fixture.height)
    builder.panel(low, high, builder.style.main, body).mass = HINGED_DOOR.mass
    foot = (thickness, reach + side * HINGED_DOOR.handle_inset, handle_z)
    site, geoms = add_handle(builder, body, foot, HINGED_DOOR.handle_length)
    builder.doors.append(
        FurnitureDoor(body.name, f"{body.name}/hinge", DoorMotion.HINGE, HINGED_DOOR.travel, site, geoms)
    )


def _add_hinged_body(builder: FurnitureBuilder, back: float, side: float) -> mujoco.MjsBody:
    hinge_y = side * (builder.fixture.width / 2 - HINGED_DOOR.gap)
    body = builder.body.add_body(name=f"{builder.body.name}/door", pos=(back, hinge_y, 0))
    body.add_joint(
        name=f"{body.name}/hinge",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=(0, 0, side),
        limited=True,
        range=(0.0, HINGED_DOOR.travel),
        damping=HINGED_DOOR.damping,
        frictionloss=HINGED_DOOR.friction,
        armature=HINGED_DOOR.armature,
    )
    _exclude_frame(builder, body)
    return body


def _exclude_frame(builder: FurnitureBuilder, body: mujoco.MjsBody) -> None:
    """Exclude contacts between a door and its frame, which is fixed to the world."""
    builder.spec.add_exclude(name=f"{body.name}/frame", bodyname1=builder.body.name, bodyname2=body.name)


def add_slide(
    builder: FurnitureBuilder, name: str, origin: Point3, axis: Point3, travel: float
) -> mujoco.MjsBody:
    """Add a body that slides along an axis of the fixture's frame, from 0 to ``travel`` [m]."""
    body = builder.body.add_body(name=f"{builder.body.name}/{name}", pos=origin)
    body.add_joint(
        name=f"{body.name}/slide",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=axis,
        limited=True,
        range=(0.0, travel),
        damping=SLIDE.damping,
        frictionloss=SLIDE.friction,
        armature=SLIDE.armature,
    )
    _exclude_frame(builder, body)
    return body


def sliding_door(body: mujoco.MjsBody, travel: float, handle: tuple[str, tuple[str, ...]]) -> FurnitureDoor:
    """Describe a sliding body and its handle as a door."""
    site, geoms = handle
    return FurnitureDoor(body.name, f"{body.name}/slide", DoorMotion.SLIDE, travel, site, geoms)


def container_of(fixture: Fixture) -> Container:
    """Return the fixture's container.

    Raises:
        NotAContainer: If it has none.
    """
    if fixture.container is None:
        raise NotAContainer(fixture)
    return fixture.container


def points_inside(fixture: Fixture, extension: float) -> Points:
    """Sample centres of small objects all over a container's floor and shelves, in map [m], shape (N, 3).

    Args:
        extension: Distance by which its drawer, and the contents with it, is pulled out [m].

    Raises:
        NotAContainer: If the fixture has no container.
    """
    interior = container_of(fixture).interior
    low, high = np.array(interior.min), np.array(interior.max)
    heights = {float(low[2]), *(s.z for s in fixture.surfaces if low[2] < s.z < high[2])}
    grid = INSIDE_GRID
    xs, ys = (
        np.linspace(low[i] + grid.wall_margin, high[i] - grid.wall_margin, grid.points) for i in range(2)
    )
    x, y, z = (axis.ravel() for axis in np.meshgrid(xs + extension, ys, sorted(heights)))
    c, s = np.cos(fixture.pose.yaw), np.sin(fixture.pose.yaw)
    return np.column_stack([fixture.pose.x + c * x - s * y, fixture.pose.y + s * x + c * y, z + grid.height])
