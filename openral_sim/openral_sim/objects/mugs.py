"""A mug with a handle on its x side."""

import numpy as np

from openral_sim.meshes import lathe, tube
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.kind import ObjectKind

_RADIUS, _HEIGHT, _WALL = 0.034, 0.092, 0.004


def _build(builder: ObjectBuilder) -> None:
    top, bottom, inner = _HEIGHT / 2, -_HEIGHT / 2, _RADIUS - _WALL
    outside = [(0, bottom), (_RADIUS - 0.004, bottom), (_RADIUS, bottom + 0.004), (_RADIUS, top - 0.001)]
    inside = [(_RADIUS - 0.001, top), (inner, top - 0.001), (inner, bottom + 0.008), (0, bottom + 0.006)]
    paint = builder.paint("white")
    builder.visual("cup", lathe(outside + inside), paint)
    angle = np.linspace(0.5 * np.pi, -0.5 * np.pi, 9)
    path = np.stack([_RADIUS - 0.003 + 0.024 * np.cos(angle), 0 * angle, 0.026 * np.sin(angle)], -1)
    builder.visual("handle", tube(path, 0.0055), paint)
    builder.ring(_RADIUS, _WALL, bottom + 0.004, top)
    builder.cylinder(_RADIUS - 0.002, 0.003, bottom + 0.003)
    builder.box((0.009, 0.005, 0.026), (_RADIUS + 0.012, 0, 0))


MUG = ObjectKind("mug", (2 * _RADIUS, 2 * _RADIUS, _HEIGHT), 0.25, graspable=True, build=_build)
