"""People: they stand, are made of rounded parts, and hold out one hand, palm up."""

from dataclasses import dataclass

import mujoco

from openral_core.documents import Document
from openral_core.home_map import Point3
from openral_sim.assets.materials import AppearanceName, Side, add_material

PERSON_MODEL_HEIGHT = 1.7
"""Height of the person that the coordinates of `build_person` describe [m]; other heights are scaled."""


class PersonStyle(Document):
    """Clothes of a person, and the hand they hold out to receive objects."""

    shirt: AppearanceName = "shirt"
    trousers: AppearanceName = "denim"
    hand: Side = "right"


@dataclass(frozen=True)
class _Figure:
    """Adds parts to a person's body, scaled from `PERSON_MODEL_HEIGHT`; coordinates are in its frame [m]."""

    spec: mujoco.MjSpec
    body: mujoco.MjsBody
    scale: float

    def limb(self, start: Point3, end: Point3, radius: float, look: AppearanceName) -> None:
        geom = self._geom(mujoco.mjtGeom.mjGEOM_CAPSULE, (radius * self.scale, 0, 0), look)
        geom.fromto = tuple(value * self.scale for value in (*start, *end))

    def ball(self, centre: Point3, half: Point3, look: AppearanceName) -> None:
        half_axes = tuple(value * self.scale for value in half)
        geom = self._geom(mujoco.mjtGeom.mjGEOM_ELLIPSOID, half_axes, look)
        geom.pos = tuple(value * self.scale for value in centre)

    def _geom(self, kind: mujoco.mjtGeom, size: tuple[float, ...], look: AppearanceName) -> mujoco.MjsGeom:
        name = f"{self.body.name}/part_{len(self.body.geoms)}"
        return self.body.add_geom(name=name, type=kind, size=size, material=add_material(self.spec, look))


def build_person(spec: mujoco.MjSpec, body: mujoco.MjsBody, style: PersonStyle, height: float) -> str:
    """Add a person of a height [m] to a body on the floor, facing its +x axis.

    Returns:
        Name of the site in the palm that is held out: z up, x away from the person.
    """
    figure = _Figure(spec, body, height / PERSON_MODEL_HEIGHT)
    _add_legs(figure, style)
    _add_trunk(figure, style)
    _add_head(figure)
    side = -1.0 if style.hand == "right" else 1.0
    _add_resting_arm(figure, style, -side)
    return _add_offered_arm(figure, style, side)


def _add_legs(figure: _Figure, style: PersonStyle) -> None:
    for y in (-0.1, 0.1):
        figure.limb((0, y, 0.13), (0, y * 0.9, 0.85), 0.078, style.trousers)
        figure.ball((0.05, y, 0.045), (0.13, 0.05, 0.045), "shoe")


def _add_trunk(figure: _Figure, style: PersonStyle) -> None:
    figure.ball((0, 0, 0.9), (0.115, 0.175, 0.13), style.trousers)
    figure.ball((0, 0, 1.16), (0.125, 0.19, 0.29), style.shirt)
    figure.limb((0, -0.14, 1.36), (0, 0.14, 1.36), 0.065, style.shirt)
    figure.limb((0, 0, 1.38), (0, 0, 1.5), 0.05, "skin")


def _add_head(figure: _Figure) -> None:
    figure.ball((0.015, 0, 1.57), (0.095, 0.08, 0.12), "skin")
    figure.ball((-0.015, 0, 1.605), (0.1, 0.088, 0.105), "hair")
    figure.ball((0.11, 0, 1.555), (0.018, 0.014, 0.02), "skin")
    figure.ball((0.096, 0, 1.515), (0.012, 0.024, 0.005), "lips")
    for y in (-0.034, 0.034):
        figure.ball((0.098, y, 1.582), (0.012, 0.013, 0.013), "white")
        figure.ball((0.107, y, 1.582), (0.006, 0.006, 0.007), "shoe")


def _add_resting_arm(figure: _Figure, style: PersonStyle, side: float) -> None:
    figure.limb((0, side * 0.21, 1.36), (-0.02, side * 0.25, 1.1), 0.05, style.shirt)
    figure.limb((-0.02, side * 0.25, 1.1), (0.03, side * 0.25, 0.86), 0.04, "skin")
    figure.ball((0.035, side * 0.25, 0.79), (0.045, 0.025, 0.07), "skin")


def _add_offered_arm(figure: _Figure, style: PersonStyle, side: float) -> str:
    figure.limb((0, side * 0.21, 1.36), (0.04, side * 0.25, 1.1), 0.05, style.shirt)
    figure.limb((0.04, side * 0.25, 1.1), (0.3, side * 0.21, 1.0), 0.04, "skin")
    hand = (0.38, side * 0.2, 0.985)
    figure.ball(hand, (0.075, 0.045, 0.02), "skin")
    figure.ball((0.37, side * 0.15, 1.0), (0.03, 0.014, 0.014), "skin")
    name = f"{figure.body.name}/hand"
    palm = (hand[0], hand[1], hand[2] + 0.02)
    figure.body.add_site(name=name, pos=tuple(value * figure.scale for value in palm), group=4)
    return name
