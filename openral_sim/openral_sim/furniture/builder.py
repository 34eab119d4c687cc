"""Panels, posts and doors of a fixture, in its own frame (x out of its front, y left, z up)."""

from dataclasses import dataclass, field

import mujoco

from openral_core.maps import Fixture
from openral_sim.furniture.doors import Door
from openral_sim.materials import LookName, use_look
from openral_sim.scenes.styles import FurnitureStyle

Vector = tuple[float, float, float]


@dataclass
class FurnitureBuilder:
    """Adds the parts of one fixture to its body, and collects its doors."""

    spec: mujoco.MjSpec
    body: mujoco.MjsBody
    fixture: Fixture
    style: FurnitureStyle
    doors: list[Door] = field(default_factory=list)

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
            material=use_look(self.spec, look),
            friction=(0.8, 0.01, 0.001),
            solref=(0.01, 1.0),
        )
