"""Toys."""

import numpy as np
from numpy.typing import NDArray

from openral_sim.meshes import Mesh, lathe, printed_box
from openral_sim.objects.builder import ObjectBuilder

_WHEEL = 0.011
# Half axes and centre of each part as shares of depth, width and height; what lies aside comes in pairs.
_BEAR = (
    ("trunk", (0.36, 0.33, 0.30), (-0.10, 0.0, -0.20)),
    ("head", (0.32, 0.32, 0.23), (-0.06, 0.0, 0.22)),
    ("snout", (0.13, 0.13, 0.08), (0.24, 0.0, 0.17)),
    ("nose", (0.04, 0.05, 0.03), (0.36, 0.0, 0.20)),
    ("ear", (0.08, 0.11, 0.08), (-0.08, 0.25, 0.42)),
    ("eye", (0.03, 0.03, 0.02), (0.22, 0.12, 0.28)),
    ("arm", (0.28, 0.10, 0.09), (0.12, 0.38, -0.10)),
    ("leg", (0.50, 0.15, 0.11), (0.0, 0.35, -0.39)),
)
_DARK = ("nose", "eye")


def build_toy_car(builder: ObjectBuilder) -> None:
    """Add a car along y."""
    x, y, z = builder.size
    low = -z / 2 + 0.6 * _WHEEL
    body, cabin = 0.5 * z, 0.4 * z
    builder.visual("body", printed_box((x - 0.008, y, body)), builder.paint(), (0, 0, low + body / 2))
    top = low + body + cabin / 2
    builder.visual(
        "cabin", printed_box((x - 0.016, 0.5 * y, z / 2 - low - body)), builder.accent(), (0, -0.05 * y, top)
    )
    wheel = lathe([(0, -0.004), (_WHEEL, -0.004), (_WHEEL, 0.004), (0, 0.004)], 14)
    turned = Mesh(wheel.vertices[:, [2, 0, 1]], wheel.faces, wheel.uv)
    for i, (side, end) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        at = (side * (x / 2 - 0.004), end * 0.3 * y, _WHEEL - z / 2)
        builder.visual(f"wheel_{i}", turned, builder.accent(), at)
    builder.box((x / 2, y / 2, 0.35 * z), (0, 0, -0.15 * z))
    builder.box((x / 2 - 0.008, 0.25 * y, 0.15 * z), (0, -0.05 * y, 0.35 * z))


def build_teddy_bear(builder: ObjectBuilder) -> None:
    """Add a bear that sits and faces x."""
    x, y, z = builder.size
    for part, half, at in _BEAR:
        material = builder.accent() if part in _DARK else builder.paint()
        for side, name in ((1.0, part), (-1.0, f"other_{part}")):
            if side > 0.0 or at[1] > 0.0:
                shares = np.array([half, (at[0], side * at[1], at[2])])
                _ball(builder, name, shares * builder.size, material)
    builder.box((x / 2, 0.46 * y, 0.12 * z), (0, 0, -0.38 * z))
    builder.box((0.34 * x, 0.34 * y, 0.36 * z), (-0.08 * x, 0, 0.1 * z))


def build_roll(builder: ObjectBuilder) -> None:
    """Add a paper roll standing on its end."""
    radius, half = builder.size[0] / 2, builder.size[2] / 2
    outside = [(0.4 * radius, -half), (radius - 0.004, -half), (radius, 0.004 - half), (radius, half - 0.004)]
    builder.visual("paper", lathe([*outside, (radius - 0.004, half), (0.4 * radius, half)]), builder.paint())
    builder.visual("core", lathe([(0.4 * radius, half), (0.4 * radius, -half)]), builder.accent())
    builder.cylinder(radius, half)


def _ball(builder: ObjectBuilder, part: str, half_at: NDArray[np.float64], material: str) -> None:
    """Add an ellipsoid of half axes, at a point, both in [m], shape (2, 3)."""
    half, (x, y, z) = half_at
    angle = np.linspace(-np.pi / 2, np.pi / 2, 9)
    unit = lathe([(float(np.cos(a)), float(np.sin(a))) for a in angle], 14)
    builder.visual(part, Mesh(unit.vertices * half, unit.faces, unit.uv), material, (x, y, z))
