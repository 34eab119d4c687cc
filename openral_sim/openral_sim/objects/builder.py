"""Geoms of an object: meshes that are seen, and hidden primitives that collide."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

import mujoco

from openral_sim.liquids import MARK
from openral_sim.materials import use_colour, use_printed
from openral_sim.meshes import Mesh, use_mesh
from openral_sim.objects.colours import COLOURS, ColourName
from openral_sim.objects.kind import ObjectKind
from openral_sim.textures import banded_label

VISUAL_GROUP = 2
COLLISION_GROUP = 3
_RING_SIDES = 10

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class ObjectBuilder:
    """Adds the parts of one object to its body; meshes are shared by all objects of a kind."""

    spec: mujoco.MjSpec
    body: mujoco.MjsBody
    name: str
    kind: ObjectKind
    painted: ColourName | None = None

    @property
    def colour(self) -> ColourName:
        """The colour it has here."""
        return self.painted or self.kind.colour

    @property
    def size(self) -> Vector:
        """Extent along x, y, z in [m]."""
        return self.kind.size

    def paint(self) -> str:
        """The name of a plain material in the object's colour."""
        return self._plain(self.colour)

    def accent(self) -> str:
        """The name of a plain material in the colour of the object's smaller part."""
        return self._plain(self.kind.accent)

    def label(self, repeats: int = 3) -> str:
        """The name of a material that shows the object's word on its packaging, in its colours."""
        body, band = COLOURS[self.colour], COLOURS[self.kind.accent]
        ink = (0.97, 0.97, 0.95) if sum(band) < 1.5 else tuple(0.45 * channel for channel in body)
        image = banded_label(self.kind.print, body, band, (ink[0], ink[1], ink[2]), repeats)
        return use_printed(self.spec, f"{self.name}_{self.colour}_print", image, self.kind.gloss)

    def _plain(self, colour: ColourName) -> str:
        alpha = 0.4 if self.kind.material == "clear" else 1.0
        name = f"{self.kind.material}_{colour}"
        return use_colour(self.spec, name, (*COLOURS[colour], alpha), self.kind.gloss)

    def visual(self, part: str, mesh: Mesh, material: str, pos: Vector = (0, 0, 0)) -> None:
        """Add a mesh that is seen and does not collide."""
        self.body.add_geom(
            name=f"{self.body.name}/{part}",
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=use_mesh(self.spec, f"{self.name}_{part}", mesh),
            material=material,
            pos=pos,
            contype=0,
            conaffinity=0,
            group=VISUAL_GROUP,
            mass=0,
        )

    def box(self, half: Vector, pos: Vector = (0, 0, 0), yaw: float = 0.0) -> None:
        """Add a box that collides, of half sizes [m], turned about z [rad]."""
        quat = (cos(yaw / 2), 0.0, 0.0, sin(yaw / 2))
        self._solid(mujoco.mjtGeom.mjGEOM_BOX, half, pos, quat)

    def cylinder(self, radius: float, half_height: float, z: float = 0.0) -> None:
        """Add an upright cylinder that collides."""
        self._solid(mujoco.mjtGeom.mjGEOM_CYLINDER, (radius, half_height, 0), (0, 0, z))

    def ellipsoid(self, half: Vector, pos: Vector = (0, 0, 0)) -> None:
        """Add an ellipsoid that collides, of half axes [m]; it does not roll forever."""
        geom = self._solid(mujoco.mjtGeom.mjGEOM_ELLIPSOID, half, pos)
        geom.condim = 6
        geom.friction = (1.0, 0.02, 0.004)

    def ring(self, radius: float, wall: float, low: float, high: float) -> None:
        """Add a hollow wall of boxes between two heights, of outer radius and thickness [m]."""
        half_side = radius * sin(pi / _RING_SIDES) * 1.02
        middle = radius * cos(pi / _RING_SIDES) - wall / 2
        for step in range(_RING_SIDES):
            angle = 2 * pi * step / _RING_SIDES
            pos = (middle * cos(angle), middle * sin(angle), (low + high) / 2)
            self.box((wall / 2, half_side, (high - low) / 2), pos, angle)

    def liquid(self, discs: Sequence[tuple[float, float, float]], colour: Vector, full: bool) -> None:
        """Add discs of radius between two heights [m], lowest first, that show what is in a vessel."""
        for i, (radius, low, high) in enumerate(discs):
            self.body.add_geom(
                name=f"{self.body.name}{MARK}{i}",
                type=mujoco.mjtGeom.mjGEOM_CYLINDER,
                size=(radius, (high - low) / 2, 0),
                pos=(0, 0, (low + high) / 2),
                rgba=(*colour, 1.0 if full else 0.0),
                contype=0,
                conaffinity=0,
                group=VISUAL_GROUP,
                mass=0,
            )

    def set_mass(self, mass: float) -> None:
        """Spread a mass [kg] evenly over the parts that collide."""
        solids = [geom for geom in self.body.geoms if geom.group == COLLISION_GROUP]
        for geom in solids:
            geom.mass = mass / len(solids)

    def _solid(
        self,
        kind: mujoco.mjtGeom,
        size: Vector,
        pos: Vector,
        quat: tuple[float, float, float, float] = (1, 0, 0, 0),
    ) -> mujoco.MjsGeom:
        return self.body.add_geom(
            name=f"{self.body.name}/solid_{len(self.body.geoms)}",
            type=kind,
            size=size,
            pos=pos,
            quat=quat,
            group=COLLISION_GROUP,
            condim=4,
            friction=(1.0, 0.01, 0.001),
            solref=(0.01, 1.0),
        )
