"""Fruit, and other round things."""

import numpy as np

from openral_sim.materials import use_colour, use_printed
from openral_sim.meshes import Mesh, lathe, tube
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.colours import COLOURS
from openral_sim.textures import speckle


def build_lemon(builder: ObjectBuilder) -> None:
    """Add a lemon lying along y."""
    half_width, length = builder.size[0] / 2, builder.size[1]
    heights = np.linspace(-1, 1, 13)
    radii = (
        half_width * np.sqrt(np.clip(1 - np.abs(heights) ** 2.6, 0, 1)) * (1 - 0.25 * np.abs(heights) ** 4)
    )
    radii[[1, -2]] = 0.008
    standing = lathe([(float(r), float(z) * length / 2) for r, z in zip(radii, heights, strict=True)], 18)
    peel = use_printed(builder.spec, "lemon_peel", speckle((0.97, 0.84, 0.17), 0.14, seed=31), 0.3)
    lying = Mesh(standing.vertices[:, [0, 2, 1]] * [1, 1, -1], standing.faces, standing.uv)
    builder.visual("lemon", lying, peel)
    builder.ellipsoid((half_width, length / 2 - 0.004, half_width))


def build_apple(builder: ObjectBuilder) -> None:
    """Add an apple with a stem."""
    radius = builder.size[0] / 2
    angle = np.linspace(-np.pi / 2, np.pi / 2, 13)
    profile = [(float(radius * np.cos(a) * (1 + 0.08 * np.sin(a))), float(radius * np.sin(a))) for a in angle]
    profile[0], profile[-1] = (0.0, -radius + 0.006), (0.0, radius - 0.012)
    peel = use_printed(builder.spec, "apple_peel", speckle((0.78, 0.16, 0.14), 0.3, seed=37), 0.5)
    builder.visual("apple", lathe(profile), peel)
    stem = use_colour(builder.spec, "stem", (0.30, 0.20, 0.11, 1.0), 0.1)
    builder.visual("stem", lathe([(0.0015, 0.018), (0.002, 0.034), (0, 0.034)], 6), stem)
    builder.ellipsoid((radius, radius, radius))


def build_ball(builder: ObjectBuilder) -> None:
    """Add a ball with an uneven skin."""
    radius = builder.size[0] / 2
    angle = np.linspace(-np.pi / 2, np.pi / 2, 13)
    profile = [(float(radius * np.cos(a)), float(radius * np.sin(a))) for a in angle]
    builder.visual("ball", lathe(profile), _skin(builder))
    builder.ellipsoid((radius, radius, radius))


def build_pear(builder: ObjectBuilder) -> None:
    """Add a standing pear with a stem."""
    radius, half = builder.size[0] / 2, builder.size[2] / 2
    shares = (
        (0.0, 0),
        (0.5, 0),
        (0.85, 0.08),
        (1, 0.28),
        (0.9, 0.46),
        (0.55, 0.66),
        (0.42, 0.82),
        (0.2, 0.9),
        (0, 0.9),
    )
    profile = [(radius * r, half * (2 * z - 1)) for r, z in shares]
    builder.visual("pear", lathe(profile), _skin(builder))
    stem = use_colour(builder.spec, "stem", (0.30, 0.20, 0.11, 1.0), 0.1)
    builder.visual("stem", lathe([(0.002, 0.78 * half), (0.0025, half), (0, half)], 6), stem)
    builder.cylinder(0.9 * radius, 0.48 * half, -0.52 * half)
    builder.cylinder(0.5 * radius, 0.42 * half, 0.38 * half)


def build_banana(builder: ObjectBuilder) -> None:
    """Add a banana lying bent in its plane, along y."""
    width, length, height = builder.size
    radius = height / 2
    along = np.linspace(-1.0, 1.0, 11)
    low, high = 0.35 * radius - width / 2, width / 2 - radius
    bend = low + (high - low) * (1 - along**2)
    path = np.stack([along * (length / 2 - 0.002), 0 * along, bend], -1)
    standing = tube(path, radius, 10)
    taper = (0.35 + 0.65 * np.sqrt(np.clip(1 - np.abs(along) ** 4, 0, 1))).repeat(
        len(standing.vertices) // 11
    )
    centre = path.repeat(len(standing.vertices) // 11, axis=0)
    vertices = centre + (standing.vertices - centre) * taper[:, None]
    lying = Mesh(vertices[:, [2, 0, 1]], standing.faces, standing.uv)
    builder.visual("banana", lying, _skin(builder))
    for y, x, turn in ((-0.33, 0.0, 0.25), (0.0, 1.0, 0.0), (0.33, 0.0, -0.25)):
        builder.box((0.85 * radius, length / 6, radius), (x * (width - height) / 2, y * length, 0), turn)


def _skin(builder: ObjectBuilder) -> str:
    name = f"{builder.name}_{builder.colour}_skin"
    return use_printed(
        builder.spec, name, speckle(COLOURS[builder.colour], 0.22, seed=31), builder.kind.gloss
    )
