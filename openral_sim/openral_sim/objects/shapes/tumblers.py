"""Open turned vessels: tumblers, vases, pots and a kettle."""

import numpy as np

from openral_sim.meshes import lathe, tube
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.shapes.profiles import Outline, scaled

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
_VASE: Outline = (
    (0, 0), (0.6, 0), (0.75, 0.1), (1, 0.45), (0.9, 0.65), (0.5, 0.85), (0.6, 1), (0.54, 0.99), (0.44, 0.85),
    (0.8, 0.6), (0.4, 0.06), (0, 0.05),
)  # fmt: skip
_POT: Outline = ((0, 0), (0.94, 0), (1, 0.04), (1, 0.97), (1, 1), (0.96, 1), (0.95, 0.05), (0, 0.04))
_KETTLE: Outline = ((0, 0), (0.96, 0), (1, 0.04), (0.95, 0.4), (0.72, 0.7), (0.66, 0.74))
_KETTLE_LID: Outline = ((0.66, 0.74), (0.3, 0.78), (0.12, 0.79), (0.12, 0.84), (0, 0.84))


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
    for share, low, high in ((0.75, 0.0, 0.15), (1.0, 0.15, 0.65), (0.6, 0.65, 1.0)):
        builder.cylinder(share * radius, (high - low) / 2 * height, ((low + high) / 2 - 0.5) * height)


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
    """Points of half a circle in the x-z plane, opening to -x, shape (N, 3)."""
    angle = np.linspace(-turn / 2, turn / 2, 11)
    return np.stack([start + radius * np.cos(angle), 0 * angle, radius * np.sin(angle)], -1)
