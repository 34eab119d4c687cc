"""A mug with a handle on its x side."""

import numpy as np

from openral_sim.meshes import lathe, tube
from openral_sim.objects.builder import ObjectBuilder

_WALL = 0.004


def build_mug(builder: ObjectBuilder) -> None:
    """Add a mug."""
    radius, top = builder.size[0] / 2, builder.size[2] / 2
    bottom, inner = -top, radius - _WALL
    outside = [(0, bottom), (radius - 0.004, bottom), (radius, bottom + 0.004), (radius, top - 0.001)]
    inside = [(radius - 0.001, top), (inner, top - 0.001), (inner, bottom + 0.008), (0, bottom + 0.006)]
    paint = builder.paint()
    builder.visual("cup", lathe(outside + inside), paint)
    angle = np.linspace(0.5 * np.pi, -0.5 * np.pi, 9)
    path = np.stack([radius - 0.003 + 0.024 * np.cos(angle), 0 * angle, 0.026 * np.sin(angle)], -1)
    builder.visual("handle", tube(path, 0.0055), paint)
    builder.ring(radius, _WALL, bottom + 0.004, top)
    builder.cylinder(radius - 0.002, 0.003, bottom + 0.003)
    builder.box((0.009, 0.005, 0.026), (radius + 0.012, 0, 0))
