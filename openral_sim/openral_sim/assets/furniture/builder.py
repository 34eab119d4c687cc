"""Builder of a fixture: panels, posts, hollow shells, shelves and bar handles.

Coordinates are in the fixture's own frame: x out of its front, y to its left, z up.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from math import cos, pi, sin

import mujoco

from openral_core.documents import Document
from openral_core.home_map import Appliance, Container, Fixture, Point3
from openral_sim.assets.materials import AppearanceName, Side, add_material


class FurnitureStyle(Document):
    """Appearance of a fixture, and the side of its door's hinge, seen from its front."""

    main: AppearanceName
    accent: AppearanceName
    hinge: Side = "right"


def yaw_quaternion(yaw: float) -> tuple[float, float, float, float]:
    """Return a rotation about z as a quaternion (w, x, y, z)."""
    half = (yaw % (2 * pi)) / 2
    return cos(half), 0.0, 0.0, sin(half)


@dataclass(frozen=True)
class HandleGeometry:
    """Dimensions of an upright bar handle on two feet, sized for a parallel gripper."""

    radius: float = 0.011  # Radius of the bar [m].
    stand_off: float = 0.055  # Distance from the door's front to the bar's axis [m].
    foot_inset: float = 0.02  # Distance of each foot's axis from the bar's end [m].
    foot_ratio: float = 0.7  # Radius of a foot as a fraction of the bar's [-].


HANDLE = HandleGeometry()
SHELF_THICKNESS = 0.018
"""Thickness of a shelf board [m]; a surface of the map is its upper side."""
SHELF_RECESS = 0.01
"""Distance of a shelf's edge behind the front of the container's interior [m]."""


class DoorMotion(StrEnum):
    """Kind of motion of a door."""

    HINGE = "hinge"
    SLIDE = "slide"


@dataclass(frozen=True)
class FurnitureDoor:
    """A passive door or drawer: its names in the model, and its motion."""

    body: str  # Name of its body; x out of its front when closed. A hinge is at its frame's origin.
    joint: str  # Name of its hinge or slide, 0 when closed.
    motion: DoorMotion  # Kind of that joint.
    travel: float  # Upper limit of the joint, [rad] for a hinge and [m] for a slide.
    # Name of the site in the middle of the handle's bar; x out of the door, z along the bar.
    handle_site: str
    handle_geoms: tuple[str, ...]  # Names of the geoms a gripper touches when it holds the handle.


@dataclass(frozen=True)
class FurnitureAppliance:
    """A lamp or screen of a fixture: its names in the model."""

    appliance: Appliance  # Its entry in the map.
    joint: str  # Joint of its control, 0 when a switch is off or a button is released.
    face: str  # Geom that a fingertip presses.
    material: str  # Material of the part that lights up.
    light: str  # Light that it casts; "" for a screen.


@dataclass
class FurnitureBuilder:
    """Adds the parts of one fixture to its body, and collects its doors and appliances.

    Parts are added to ``body``, the fixture's own if None; their coordinates are in that body's frame [m].
    """

    spec: mujoco.MjSpec
    body: mujoco.MjsBody
    fixture: Fixture
    style: FurnitureStyle
    doors: list[FurnitureDoor] = field(default_factory=list)
    appliances: list[FurnitureAppliance] = field(default_factory=list)

    def panel(
        self, low: Point3, high: Point3, appearance: AppearanceName, body: mujoco.MjsBody | None = None
    ) -> mujoco.MjsGeom:
        """Add a box between two corners [m]."""
        centre = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
        half = tuple((b - a) / 2 for a, b in zip(low, high, strict=True))
        return self._geom(mujoco.mjtGeom.mjGEOM_BOX, half, centre, appearance, body)

    def post(
        self,
        radius: float,
        low: Point3,
        high: Point3,
        appearance: AppearanceName,
        body: mujoco.MjsBody | None = None,
    ) -> mujoco.MjsGeom:
        """Add a round bar of a radius between two points [m]."""
        geom = self._geom(mujoco.mjtGeom.mjGEOM_CYLINDER, (radius, 0, 0), (0, 0, 0), appearance, body)
        geom.fromto = (*low, *high)
        return geom

    def ball(self, half: Point3, centre: Point3, appearance: AppearanceName) -> mujoco.MjsGeom:
        """Add an ellipsoid of half axes about a centre [m]."""
        return self._geom(mujoco.mjtGeom.mjGEOM_ELLIPSOID, half, centre, appearance, None)

    def _geom(
        self,
        kind: mujoco.mjtGeom,
        size: tuple[float, ...],
        centre: tuple[float, ...],
        appearance: AppearanceName,
        body: mujoco.MjsBody | None,
    ) -> mujoco.MjsGeom:
        owner = self.body if body is None else body
        return owner.add_geom(
            name=f"{owner.name}/part_{len(owner.geoms)}",
            type=kind,
            size=size,
            pos=centre,
            material=add_material(self.spec, appearance),
            friction=(0.8, 0.01, 0.001),
            solref=(0.01, 1.0),
        )


def add_shell(builder: FurnitureBuilder, container: Container, appearance: AppearanceName) -> None:
    """Enclose a container on all sides but its front."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    builder.panel((-d, -w, 0), (x0, w, h), appearance)
    builder.panel((x0, -w, 0), (x1, y0, h), appearance)
    builder.panel((x0, y1, 0), (x1, w, h), appearance)
    builder.panel((x0, y0, 0), (x1, y1, z0), appearance)
    builder.panel((x0, y0, z1), (x1, y1, h), appearance)


def add_shelves(builder: FurnitureBuilder, container: Container, appearance: AppearanceName) -> None:
    """Add a board under every surface inside the container."""
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    for surface in builder.fixture.surfaces:
        if z0 < surface.z < z1:
            board = ((x0, y0, surface.z - SHELF_THICKNESS), (x1 - SHELF_RECESS, y1, surface.z))
            builder.panel(*board, appearance)


def add_handle(
    builder: FurnitureBuilder, body: mujoco.MjsBody, foot: tuple[float, float, float], length: float
) -> tuple[str, tuple[str, ...]]:
    """Add an upright bar handle in front of a door.

    Args:
        foot: Point of the door's front behind the middle of the bar, in the door's frame [m].
        length: Length of the bar [m].

    Returns:
        Names of the site in its middle and of the geoms a gripper touches.
    """
    front, y, z = foot
    x, low, high = front + HANDLE.stand_off, z - length / 2, z + length / 2
    site = body.add_site(name=f"{body.name}/handle", pos=(x, y, z), size=(0.01, 0.01, 0.01), group=4)
    for end in (low + HANDLE.foot_inset, high - HANDLE.foot_inset):
        builder.post(
            HANDLE.radius * HANDLE.foot_ratio, (front, y, end), (x, y, end), builder.style.accent, body
        )
    bar = builder.post(HANDLE.radius, (x, y, low), (x, y, high), builder.style.accent, body)
    return site.name, (bar.name,)
