"""A lemon and an apple."""

import numpy as np

from openral_sim.materials import use_colour, use_printed
from openral_sim.meshes import Mesh, lathe
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.kind import ObjectKind
from openral_sim.textures import speckle

_LEMON, _LEMON_LENGTH = 0.027, 0.08
_APPLE = 0.034


def _build_lemon(builder: ObjectBuilder) -> None:
    heights = np.linspace(-1, 1, 13)
    radius = _LEMON * np.sqrt(np.clip(1 - np.abs(heights) ** 2.6, 0, 1)) * (1 - 0.25 * np.abs(heights) ** 4)
    radius[[1, -2]] = 0.008
    standing = lathe(
        [(float(r), float(z) * _LEMON_LENGTH / 2) for r, z in zip(radius, heights, strict=True)], 18
    )
    peel = use_printed(builder.spec, "lemon_peel", speckle((0.97, 0.84, 0.17), 0.14, seed=31), 0.3)
    lying = Mesh(standing.vertices[:, [0, 2, 1]] * [1, 1, -1], standing.faces, standing.uv)
    builder.visual("lemon", lying, peel)
    builder.ellipsoid((_LEMON, _LEMON_LENGTH / 2 - 0.004, _LEMON))


def _build_apple(builder: ObjectBuilder) -> None:
    angle = np.linspace(-np.pi / 2, np.pi / 2, 13)
    profile = [(float(_APPLE * np.cos(a) * (1 + 0.08 * np.sin(a))), float(_APPLE * np.sin(a))) for a in angle]
    profile[0], profile[-1] = (0.0, -_APPLE + 0.006), (0.0, _APPLE - 0.012)
    peel = use_printed(builder.spec, "apple_peel", speckle((0.78, 0.16, 0.14), 0.3, seed=37), 0.5)
    builder.visual("apple", lathe(profile), peel)
    stem = use_colour(builder.spec, "stem", (0.30, 0.20, 0.11, 1.0), 0.1)
    builder.visual("stem", lathe([(0.0015, 0.018), (0.002, 0.034), (0, 0.034)], 6), stem)
    builder.ellipsoid((_APPLE, _APPLE, _APPLE))


LEMON = ObjectKind("lemon", (2 * _LEMON, _LEMON_LENGTH, 2 * _LEMON), 0.12, graspable=True, build=_build_lemon)
APPLE = ObjectKind("apple", (2 * _APPLE, 2 * _APPLE, 2 * _APPLE), 0.17, graspable=True, build=_build_apple)
