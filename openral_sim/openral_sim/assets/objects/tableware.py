"""Shapes of tableware: bowls, plates, mugs, tumblers, pots, bottles, jars and wine glasses.

Most are surfaces of revolution about z. An `Outline` gives radius and height as fractions of the object's
size; a profile gives them in [m].
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from openral_sim.assets.materials import use_colour, use_printed
from openral_sim.assets.meshes import lathe, tube
from openral_sim.assets.objects.builder import ObjectBuilder
from openral_sim.assets.textures import banded_label

Outline = tuple[tuple[float, float], ...]
"""Points of radius and height, both as fractions of an object's size, from the bottom upwards."""

BOWL_RADIUS, BOWL_HEIGHT = 0.08, 0.066
"""Size of a soup bowl [m], as in `types.yaml`; its profile is given in [m]."""
PLATE_RADIUS, PLATE_HEIGHT = 0.115, 0.02
"""Size of a dinner plate [m], as in `types.yaml`; its profile is given in [m]."""
MUG_WALL = 0.004
"""Thickness of a mug's wall [m]."""
BOTTLE_RADIUS, NECK_RADIUS, BOTTLE_HEIGHT = 0.034, 0.0135, 0.29
"""Size of a slim wine bottle [m], as in `types.yaml`; its profile is given in [m]."""
GLASS_RADIUS, GLASS_HEIGHT = 0.036, 0.19
"""Size of a wine glass [m], as in `types.yaml`; its profile is given in [m]."""
RED_WINE = (0.36, 0.02, 0.08)
"""Red, green and blue of red wine, each in [0, 1]."""
COLLISION_BANDS = 5
"""Number of collision cylinders that approximate a vessel."""
LABEL_OFFSET = 1.012
"""Radius of a label as a factor of its vessel's radius [-], so that it is not inside the wall."""

_TUMBLER: Outline = (
    (0, 0),
    (0.78, 0),
    (0.8, 0.02),
    (1, 0.99),
    (0.98, 1),
    (0.94, 0.99),
    (0.75, 0.06),
    (0, 0.05),
)
"""Outline of a drinking glass: up the outside, then down the inside; the same for the other open vessels."""
_VASE: Outline = (
    (0, 0), (0.6, 0), (0.75, 0.1), (1, 0.45), (0.9, 0.65), (0.5, 0.85), (0.6, 1), (0.54, 0.99), (0.44, 0.85),
    (0.8, 0.6), (0.4, 0.06), (0, 0.05),
)  # fmt: skip
_POT: Outline = ((0, 0), (0.94, 0), (1, 0.04), (1, 0.97), (1, 1), (0.96, 1), (0.95, 0.05), (0, 0.04))
"""Outline of a cooking pot."""
_KETTLE: Outline = ((0, 0), (0.96, 0), (1, 0.04), (0.95, 0.4), (0.72, 0.7), (0.66, 0.74))
"""Outline of a kettle up to its lid."""
_KETTLE_LID: Outline = ((0.66, 0.74), (0.3, 0.78), (0.12, 0.79), (0.12, 0.84), (0, 0.84))
"""Outline of a kettle's lid."""


@dataclass(frozen=True)
class VesselShape:
    """Shape of a closed vessel."""

    body: Outline  # Outline up to the cap.
    cap: Outline  # Outline of its cap or lid.
    # Lower and upper height of its label, as fractions; None for a vessel without one.
    label: tuple[float, float] | None = None


BOTTLE = VesselShape(
    ((0, 0), (0.9, 0), (1, 0.02), (1, 0.56), (0.92, 0.64), (0.42, 0.78), (0.38, 0.9)),
    ((0.44, 0.9), (0.44, 0.995), (0.40, 1), (0, 1)),
    (0.16, 0.46),
)
SQUEEZE = VesselShape(
    ((0, 0), (0.86, 0), (0.95, 0.02), (1, 0.3), (0.96, 0.62), (0.8, 0.76), (0.5, 0.8)),
    ((0.55, 0.8), (0.5, 0.9), (0.24, 0.97), (0.2, 1), (0, 1)),
    (0.2, 0.6),
)
JAR = VesselShape(
    ((0, 0), (0.92, 0), (1, 0.04), (1, 0.7), (0.9, 0.8)),
    ((0.95, 0.8), (0.95, 0.985), (0.9, 1), (0, 1)),
    (0.14, 0.62),
)
TIN = VesselShape(((0, 0), (0.97, 0), (1, 0.02), (1, 0.97)), ((1, 0.97), (0.97, 1), (0, 1)), (0.03, 0.96))
FLASK = VesselShape(
    ((0, 0), (0.95, 0), (1, 0.03), (1, 0.7), (0.86, 0.76)), ((0.8, 0.76), (0.8, 0.97), (0.7, 1), (0, 1))
)
SHAKER = VesselShape(
    ((0, 0), (0.96, 0), (1, 0.04), (0.7, 0.45), (0.75, 0.72)),
    ((0.85, 0.72), (0.8, 0.88), (0.5, 0.98), (0.2, 1), (0, 1)),
)
CANDLE = VesselShape(
    ((0, 0), (0.97, 0), (1, 0.02), (1, 0.88), (0.9, 0.9), (0, 0.9)), ((0.05, 0.88), (0.05, 1), (0, 1))
)


def scaled(
    outline: Iterable[tuple[float, float]], size: tuple[float, float, float]
) -> list[tuple[float, float]]:
    """Scale an outline to the size of an object [m], with its middle at height 0."""
    return [(radius * size[0] / 2, (height - 0.5) * size[2]) for radius, height in outline]


def radius_at(outline: Outline, height: float) -> float:
    """Interpolate the outline's radius at a height, both as fractions."""
    for (r0, h0), (r1, h1) in pairwise(outline):
        if h0 <= height <= h1 and h1 > h0:
            return r0 + (r1 - r0) * (height - h0) / (h1 - h0)
    return 0.0


def build_bowl(builder: ObjectBuilder) -> None:
    """Add a bowl; it is too wide for the gripper."""
    half = BOWL_HEIGHT / 2
    outside = [
        (0, -half),
        (0.036, -half),
        (0.04, 0.006 - half),
        (0.062, -0.005),
        (0.075, 0.012),
        (BOWL_RADIUS, half),
    ]
    inside = [
        (BOWL_RADIUS - 0.004, half),
        (0.07, 0.012),
        (0.057, -0.005),
        (0.036, 0.012 - half),
        (0, 0.009 - half),
    ]
    builder.visual("bowl", lathe(outside + inside), builder.paint())
    builder.cylinder(0.04, 0.005, 0.005 - half)
    builder.ring(0.062, 0.012, 0.01 - half, 0.0)
    builder.ring(BOWL_RADIUS, 0.008, 0.0, half)


def build_plate(builder: ObjectBuilder) -> None:
    """Add a plate; it is too wide for the gripper."""
    half = PLATE_HEIGHT / 2
    outside = [
        (0, -half),
        (0.065, -half),
        (0.07, 0.004 - half),
        (PLATE_RADIUS, half - 0.002),
        (PLATE_RADIUS, half),
    ]
    inside = [(PLATE_RADIUS - 0.003, half), (0.078, 0.009 - half), (0.066, 0.006 - half), (0, 0.006 - half)]
    builder.visual("plate", lathe(outside + inside), builder.paint())
    builder.cylinder(0.07, 0.004, 0.004 - half)
    builder.ring(PLATE_RADIUS, 0.04, 0.006 - half, half)


def build_mug(builder: ObjectBuilder) -> None:
    """Add a mug with a handle on its x side."""
    radius, top = builder.size[0] / 2, builder.size[2] / 2
    bottom, inner = -top, radius - MUG_WALL
    outside = [(0, bottom), (radius - 0.004, bottom), (radius, bottom + 0.004), (radius, top - 0.001)]
    inside = [(radius - 0.001, top), (inner, top - 0.001), (inner, bottom + 0.008), (0, bottom + 0.006)]
    paint = builder.paint()
    builder.visual("cup", lathe(outside + inside), paint)
    angle = np.linspace(0.5 * np.pi, -0.5 * np.pi, 9)
    path = np.stack([radius - 0.003 + 0.024 * np.cos(angle), 0 * angle, 0.026 * np.sin(angle)], -1)
    builder.visual("handle", tube(path, 0.0055), paint)
    builder.ring(radius, MUG_WALL, bottom + 0.004, top)
    builder.cylinder(radius - 0.002, 0.003, bottom + 0.003)
    builder.box((0.009, 0.005, 0.026), (radius + 0.012, 0, 0))


def build_tumbler(builder: ObjectBuilder) -> None:
    """Add a drinking glass or cup without a handle, narrower at its foot."""
    radius, half = builder.size[0] / 2, builder.size[2] / 2
    builder.visual("cup", lathe(scaled(_TUMBLER, builder.size)), builder.paint())
    builder.cylinder(0.8 * radius, 0.03 * builder.size[2], -0.94 * half)
    builder.ring(0.9 * radius, 0.004, -0.9 * half, 0.1 * half)
    builder.ring(radius, 0.004, 0.1 * half, half)


def build_vase(builder: ObjectBuilder) -> None:
    """Add a bellied vase."""
    radius, height = builder.size[0] / 2, builder.size[2]
    builder.visual("vase", lathe(scaled(_VASE, builder.size)), builder.paint())
    for fraction, low, high in ((0.75, 0.0, 0.15), (1.0, 0.15, 0.65), (0.6, 0.65, 1.0)):
        builder.cylinder(fraction * radius, (high - low) / 2 * height, ((low + high) / 2 - 0.5) * height)


def build_pot(builder: ObjectBuilder) -> None:
    """Add a cooking pot with two handles along x."""
    radius, half = builder.size[0] / 2, builder.size[2] / 2
    builder.visual("pot", lathe(scaled(_POT, builder.size)), builder.paint())
    loop = tube(_arc(0.02, 0.0, np.pi), 0.005)
    for name, side in (("left", 1.0), ("right", -1.0)):
        builder.visual(f"{name}_handle", loop, builder.accent(), (side * (radius - 0.002), 0, 0.5 * half))
    builder.cylinder(radius, 0.003, 0.003 - half)
    builder.ring(radius, 0.006, 0.004 - half, half)


def build_kettle(builder: ObjectBuilder) -> None:
    """Add a kettle with a handle over its lid and a spout along x."""
    radius, height = builder.size[0] / 2, builder.size[2]
    builder.visual("kettle", lathe(scaled(_KETTLE, builder.size)), builder.paint())
    builder.visual("lid", lathe(scaled(_KETTLE_LID, builder.size)), builder.accent())
    over = _arc(0.72 * radius, 0.0, np.pi)[:, [2, 1, 0]]
    over[:, 2] = 0.2 * height + (0.3 * height - 0.008) * over[:, 2] / over[:, 2].max()
    builder.visual("handle", tube(over, 0.008), builder.accent())
    spout = np.array(
        [(0.8 * radius, 0, -0.1 * height), (0.95 * radius, 0, 0.1 * height), (radius, 0, 0.2 * height)]
    )
    builder.visual("spout", tube(spout, 0.012), builder.paint())
    builder.cylinder(radius, 0.2 * height, -0.3 * height)
    builder.cylinder(0.75 * radius, 0.17 * height, 0.07 * height)
    builder.box((0.72 * radius, 0.008, 0.13 * height), (0, 0, 0.37 * height))


def _arc(radius: float, start: float, turn: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return points of an arc in the x-z plane, opening to -x, shape (N, 3)."""
    angle = np.linspace(-turn / 2, turn / 2, 11)
    return np.stack([start + radius * np.cos(angle), 0 * angle, radius * np.sin(angle)], -1)


def vessel(shape: VesselShape) -> Callable[[ObjectBuilder], None]:
    """Return the function that builds one kind of vessel."""

    def build(builder: ObjectBuilder) -> None:
        builder.visual("body", lathe(scaled(shape.body, builder.size)), builder.paint())
        builder.visual("cap", lathe(scaled(shape.cap, builder.size), 16), builder.accent())
        if shape.label is not None:
            band = [(radius_at(shape.body, height) * LABEL_OFFSET, height) for height in shape.label]
            builder.visual("label", lathe(scaled(band, builder.size)), builder.label())
        add_solids(builder, (*shape.body, *shape.cap))

    return build


def add_solids(builder: ObjectBuilder, outline: Outline) -> None:
    """Add one collision cylinder per band of heights, as wide as the outline is there."""
    height = builder.size[2]
    for band in range(COLLISION_BANDS):
        low, high = band / COLLISION_BANDS, (band + 1) / COLLISION_BANDS
        radius = max(radius_at(outline, low + fraction * (high - low)) for fraction in (0.1, 0.5, 0.9))
        builder.cylinder(
            radius * builder.size[0] / 2, height / COLLISION_BANDS / 2, (low + high - 1) / 2 * height
        )


def build_wine_bottle(builder: ObjectBuilder) -> None:
    """Add a full wine bottle."""
    half = BOTTLE_HEIGHT / 2
    glass = use_colour(builder.spec, "bottle_glass", (0.07, 0.16, 0.09, 1.0), 0.9)
    foil = use_colour(builder.spec, "foil", (0.55, 0.10, 0.16, 1.0), 0.6)
    body = [
        (0, -half),
        (BOTTLE_RADIUS - 0.004, -half),
        (BOTTLE_RADIUS, 0.005 - half),
        (BOTTLE_RADIUS, 0.165 - half),
    ]
    neck = [
        (0.031, 0.18 - half),
        (0.019, 0.203 - half),
        (NECK_RADIUS, 0.222 - half),
        (NECK_RADIUS, half),
        (0, half),
    ]
    builder.visual("bottle", lathe(body + neck), glass)
    cap = [(0.015, half - 0.05), (0.015, half - 0.004), (0.0145, half + 0.001), (0, half + 0.001)]
    builder.visual("foil", lathe(cap, 16), foil)
    label = use_printed(
        builder.spec,
        "wine_label",
        banded_label("VINO ROSSO", (0.95, 0.92, 0.82), (0.90, 0.85, 0.72), (0.45, 0.08, 0.12)),
        0.1,
    )
    builder.visual("label", lathe([(BOTTLE_RADIUS + 0.0006, z - half) for z in (0.045, 0.13)]), label)
    builder.liquid([(BOTTLE_RADIUS - 0.004, 0.006 - half, 0.16 - half)], RED_WINE, full=True)
    builder.cylinder(BOTTLE_RADIUS, 0.0875, 0.0875 - half)
    builder.cylinder(0.024, 0.015, 0.19 - half)
    builder.cylinder(0.015, 0.0425, half - 0.0425)


def build_wine_glass(builder: ObjectBuilder) -> None:
    """Add an empty wine glass."""
    half, low = GLASS_HEIGHT / 2, -0.012
    clear = use_colour(builder.spec, "clear_glass", (0.86, 0.93, 0.97, 0.32), 0.9)
    foot = [(0, -half), (0.032, -half), (0.032, 0.003 - half), (0.006, 0.009 - half), (0.0042, 0.02 - half)]
    bowl = [
        (0.0042, low - 0.006),
        (0.02, low + 0.002),
        (0.033, low + 0.025),
        (GLASS_RADIUS, low + 0.05),
        (0.032, half),
    ]
    inside = [
        (0.0305, half),
        (GLASS_RADIUS - 0.0015, low + 0.05),
        (0.0315, low + 0.026),
        (0.018, low + 0.005),
        (0, low),
    ]
    builder.visual("glass", lathe(foot + bowl + inside), clear)
    levels = [(0.014, 0.002), (0.022, 0.009), (0.027, 0.016), (0.030, 0.024), (0.032, 0.033), (0.0335, 0.042)]
    tops = [low + bottom for _, bottom in levels[1:]] + [low + 0.051]
    discs = [(r, low + bottom, top) for (r, bottom), top in zip(levels, tops, strict=True)]
    builder.liquid(discs, RED_WINE, full=False)
    builder.cylinder(0.032, 0.003, 0.003 - half)
    builder.cylinder(0.006, 0.04, 0.043 - half)
    builder.cylinder(0.018, 0.004, low)
    builder.ring(GLASS_RADIUS, 0.003, low + 0.01, half)
