"""Kinds of objects, and the builder that adds an object's visual meshes and collision primitives."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Literal

import mujoco
from pydantic import PositiveFloat

from openral_core.documents import Document
from openral_core.home_map import Point3
from openral_sim.assets.materials import use_colour, use_printed
from openral_sim.assets.meshes import Mesh, use_mesh
from openral_sim.assets.objects.liquids import MARK
from openral_sim.assets.textures import banded_label

ColourName = Literal[
    "red", "blue", "green", "yellow", "white", "black", "orange", "brown", "pink", "purple", "grey"
]

COLOURS: dict[ColourName, tuple[float, float, float]] = {
    "red": (0.80, 0.12, 0.11),
    "blue": (0.13, 0.30, 0.72),
    "green": (0.16, 0.52, 0.26),
    "yellow": (0.95, 0.80, 0.16),
    "white": (0.84, 0.84, 0.82),
    "black": (0.10, 0.10, 0.11),
    "orange": (0.95, 0.52, 0.12),
    "brown": (0.45, 0.27, 0.14),
    "pink": (0.93, 0.60, 0.68),
    "purple": (0.48, 0.26, 0.58),
    "grey": (0.62, 0.63, 0.65),
}
"""Red, green and blue of every named colour, each in [0, 1]."""

Material = Literal[
    "ceramic", "clear", "fabric", "glass", "metal", "organic", "paper", "plastic", "rubber", "wood"
]
GLOSS: dict[Material, float] = {
    "ceramic": 0.5, "clear": 0.9, "fabric": 0.02, "glass": 0.9, "metal": 0.8,
    "organic": 0.2, "paper": 0.1, "plastic": 0.4, "rubber": 0.1, "wood": 0.15,
}  # fmt: skip
"""Gloss of every material in [0, 1]."""
VISUAL_GROUP = 2
"""MuJoCo geom group of everything that is rendered and does not collide."""
COLLISION_GROUP = 3
"""MuJoCo geom group of everything that collides and is not rendered."""
RING_SIDES = 10
"""Number of boxes that approximate a round wall; each is widened by `RING_OVERLAP` to leave no gap."""
RING_OVERLAP = 1.02
"""Factor [-] by which a ring's boxes are wider than a side of the polygon they form."""


class ObjectKind(Document):
    """A kind of object.

    Its body's frame lies at the middle of its height, on its axis, z up as it stands or lies.
    """

    noun: str  # Name in natural language.
    shape: str  # Key of the function that builds it.
    size: tuple[PositiveFloat, PositiveFloat, PositiveFloat]  # Extent along x, y, z in [m], without a handle.
    mass: PositiveFloat  # Mass in [kg].
    graspable: bool  # True if an 8 cm parallel gripper can grasp it from above or from the side.
    material: Material  # Material it is made of.
    colour: ColourName  # Colour if the scene does not set one.
    accent: ColourName = "white"  # Colour of its smaller part: cap, band, ink.
    print: str = ""  # Word on its packaging.
    kept: tuple[str, ...] = ()  # Furniture it is usually kept on or in, the most likely first.

    @property
    def gloss(self) -> float:
        """Gloss in [0, 1]."""
        return GLOSS[self.material]


@dataclass(frozen=True)
class ObjectBuilder:
    """Adds the parts of one object to its body; meshes are shared by all objects of a kind."""

    spec: mujoco.MjSpec  # Specification to add to.
    body: mujoco.MjsBody  # Body of the object.
    name: str  # Name of the kind.
    kind: ObjectKind
    override_colour: ColourName | None = None  # Colour set by the scene; None keeps that of the kind.

    @property
    def colour(self) -> ColourName:
        """Colour of this object."""
        return self.override_colour or self.kind.colour

    @property
    def size(self) -> Point3:
        """Extent along x, y, z in [m]."""
        return self.kind.size

    def paint(self) -> str:
        """Return the name of a plain material in the object's colour."""
        return self._plain(self.colour)

    def accent(self) -> str:
        """Return the name of a plain material in the accent colour."""
        return self._plain(self.kind.accent)

    def label(self, repeats: int = 3) -> str:
        """Return the name of a material that shows the word on the packaging, in the object's colours."""
        body, band = COLOURS[self.colour], COLOURS[self.kind.accent]
        ink = (0.97, 0.97, 0.95) if sum(band) < 1.5 else tuple(0.45 * channel for channel in body)
        image = banded_label(self.kind.print, body, band, (ink[0], ink[1], ink[2]), repeats)
        return use_printed(self.spec, f"{self.name}_{self.colour}_print", image, self.kind.gloss)

    def _plain(self, colour: ColourName) -> str:
        alpha = 0.4 if self.kind.material == "clear" else 1.0
        name = f"{self.kind.material}_{colour}"
        return use_colour(self.spec, name, (*COLOURS[colour], alpha), self.kind.gloss)

    def visual(self, part: str, mesh: Mesh, material: str, pos: Point3 = (0, 0, 0)) -> None:
        """Add a mesh that is rendered and does not collide."""
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

    def box(self, half: Point3, pos: Point3 = (0, 0, 0), yaw: float = 0.0) -> None:
        """Add a collision box of half sizes [m], rotated about z [rad]."""
        quat = (cos(yaw / 2), 0.0, 0.0, sin(yaw / 2))
        self._solid(mujoco.mjtGeom.mjGEOM_BOX, half, pos, quat)

    def cylinder(self, radius: float, half_height: float, z: float = 0.0) -> None:
        """Add an upright collision cylinder of radius, half height and centre z [m]."""
        self._solid(mujoco.mjtGeom.mjGEOM_CYLINDER, (radius, half_height, 0), (0, 0, z))

    def ellipsoid(self, half: Point3, pos: Point3 = (0, 0, 0)) -> None:
        """Add a collision ellipsoid of half axes [m], with rolling friction that brings it to rest."""
        geom = self._solid(mujoco.mjtGeom.mjGEOM_ELLIPSOID, half, pos)
        geom.condim = 6
        geom.friction = (1.0, 0.02, 0.004)

    def ring(self, radius: float, wall: float, low: float, high: float) -> None:
        """Add a ring of collision boxes between two heights, of outer radius and wall thickness [m]."""
        half_side = radius * sin(pi / RING_SIDES) * RING_OVERLAP
        middle = radius * cos(pi / RING_SIDES) - wall / 2
        for step in range(RING_SIDES):
            angle = 2 * pi * step / RING_SIDES
            pos = (middle * cos(angle), middle * sin(angle), (low + high) / 2)
            self.box((wall / 2, half_side, (high - low) / 2), pos, angle)

    def liquid(
        self, discs: Sequence[tuple[float, float, float]], colour: tuple[float, float, float], full: bool
    ) -> None:
        """Add the liquid of a vessel: discs of radius, lower and upper height [m], lowest first."""
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
        """Spread a mass [kg] evenly over the collision geoms."""
        solids = [geom for geom in self.body.geoms if geom.group == COLLISION_GROUP]
        for geom in solids:
            geom.mass = mass / len(solids)

    def _solid(
        self,
        kind: mujoco.mjtGeom,
        size: Point3,
        pos: Point3,
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
