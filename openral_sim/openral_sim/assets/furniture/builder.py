"""Panels, posts and doors of a fixture, in its own frame (x out of its front, y left, z up)."""
# MERGED Hollow bodies: walls around a container's interior, and the shelves in it.
# MERGED Upright bar handles.
# MERGED Doors and drawers: what moves to open a container, passive and with a bar handle.

from dataclasses import dataclass, field
from enum import StrEnum

import mujoco

from openral_core.home_map import Container, Fixture
from openral_sim.assets.materials import LookName, add_material
from openral_sim.scene.schema import FurnitureStyle


class Motion(StrEnum):
    """How a door moves."""

    HINGE = "hinge"
    SLIDE = "slide"


@dataclass(frozen=True)
class FurnitureDoor:
    """The names a door or drawer carries in the model, and how it moves.

    Attributes:
        body: Its body; x out of its front when shut. A hinge is at its frame's origin.
        joint: Its hinge or slide, 0 when shut.
        motion: Which of the two.
        travel: The joint's upper limit, [rad] of a hinge and [m] of a slide.
        handle_site: The middle of the handle's bar; x out of the door, z along the bar.
        handle_geoms: What a gripper touches when it holds the handle.
    """

    body: str
    joint: str
    motion: Motion
    travel: float
    handle_site: str
    handle_geoms: tuple[str, ...]


Vector = tuple[float, float, float]


@dataclass
class FurnitureBuilder:
    """Adds the parts of one fixture to its body, and collects its doors."""

    spec: mujoco.MjSpec
    body: mujoco.MjsBody
    fixture: Fixture
    style: FurnitureStyle
    doors: list[FurnitureDoor] = field(default_factory=list)

    def panel(
        self, low: Vector, high: Vector, look: LookName, body: mujoco.MjsBody | None = None
    ) -> mujoco.MjsGeom:
        """Add a box between two corners [m] of the body's frame (the fixture's own by default)."""
        centre = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
        half = tuple((b - a) / 2 for a, b in zip(low, high, strict=True))
        return self._geom(mujoco.mjtGeom.mjGEOM_BOX, half, centre, look, body)

    def post(
        self, radius: float, low: Vector, high: Vector, look: LookName, body: mujoco.MjsBody | None = None
    ) -> mujoco.MjsGeom:
        """Add a round bar between two points [m]."""
        geom = self._geom(mujoco.mjtGeom.mjGEOM_CYLINDER, (radius, 0, 0), (0, 0, 0), look, body)
        geom.fromto = (*low, *high)
        return geom

    def ball(self, half: Vector, centre: Vector, look: LookName) -> mujoco.MjsGeom:
        """Add an ellipsoid of half axes [m]."""
        return self._geom(mujoco.mjtGeom.mjGEOM_ELLIPSOID, half, centre, look, None)

    def _geom(
        self,
        kind: mujoco.mjtGeom,
        size: tuple[float, ...],
        centre: tuple[float, ...],
        look: LookName,
        body: mujoco.MjsBody | None,
    ) -> mujoco.MjsGeom:
        owner = self.body if body is None else body
        return owner.add_geom(
            name=f"{owner.name}/part_{len(owner.geoms)}",
            type=kind,
            size=size,
            pos=centre,
            material=add_material(self.spec, look),
            friction=(0.8, 0.01, 0.001),
            solref=(0.01, 1.0),
        )


_SHELF = 0.018


def add_shell(builder: FurnitureBuilder, container: Container, look: LookName) -> None:
    """Close a container on all sides but its front."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    builder.panel((-d, -w, 0), (x0, w, h), look)
    builder.panel((x0, -w, 0), (x1, y0, h), look)
    builder.panel((x0, y1, 0), (x1, w, h), look)
    builder.panel((x0, y0, 0), (x1, y1, z0), look)
    builder.panel((x0, y0, z1), (x1, y1, h), look)


def add_shelves(builder: FurnitureBuilder, container: Container, look: LookName) -> None:
    """Add a board under every surface that lies inside the container."""
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    for surface in builder.fixture.surfaces:
        if z0 < surface.z < z1:
            board = ((x0, y0, surface.z - _SHELF), (x1 - 0.01, y1, surface.z))
            builder.panel(*board, look)


_RADIUS = 0.011
STAND_OFF = 0.055
"""From a door's front to the middle of the bar in [m]."""
_FOOT = 0.02


def add_handle(
    builder: FurnitureBuilder, body: mujoco.MjsBody, foot: tuple[float, float, float], length: float
) -> tuple[str, tuple[str, ...]]:
    """Add a bar on two feet before a door's front.

    Args:
        builder: The fixture's.
        body: The door.
        foot: The point of the front behind the bar's middle, in the door's frame in [m].
        length: Of the bar in [m].

    Returns:
        The names of the site in its middle and of what a gripper touches.
    """
    front, y, z = foot
    x, low, high = front + STAND_OFF, z - length / 2, z + length / 2
    site = body.add_site(name=f"{body.name}/handle", pos=(x, y, z), size=(0.01, 0.01, 0.01), group=4)
    for end in (low + _FOOT, high - _FOOT):
        builder.post(_RADIUS * 0.7, (front, y, end), (x, y, end), builder.style.accent, body)
    bar = builder.post(_RADIUS, (x, y, low), (x, y, high), builder.style.accent, body)
    return site.name, (bar.name,)
