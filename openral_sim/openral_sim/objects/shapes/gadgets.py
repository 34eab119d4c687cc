"""Things with screens, dials and lamps."""

import numpy as np

from openral_sim.materials import use_colour
from openral_sim.meshes import Mesh, lathe, printed_box
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.shapes.profiles import Outline

_TORCH: Outline = ((0, 0), (0.62, 0), (0.68, 0.02), (0.68, 0.66), (1, 0.82), (1, 0.97), (0.94, 1))


def build_slate(builder: ObjectBuilder) -> None:
    """Add a flat thing with a screen, lying on its back."""
    x, y, z = builder.size
    builder.visual("case", printed_box(builder.size), builder.paint())
    screen = printed_box((x - 0.008, y - 0.016, 0.001))
    lit = use_colour(builder.spec, "lit_screen", (0.14, 0.24, 0.38, 1.0), 0.7)
    builder.visual("screen", screen, lit, (0, 0, z / 2))
    builder.box((x / 2, y / 2, z / 2))


def build_clock(builder: ObjectBuilder) -> None:
    """Add a round clock that faces x, on two feet."""
    depth, width, height = builder.size
    radius = width / 2
    case = lathe([(0, -depth / 2), (radius, -depth / 2), (radius, depth / 2), (0.9 * radius, depth / 2)])
    builder.visual("case", _facing_x(case), builder.paint())
    face = lathe([(0.9 * radius, depth / 2 - 0.003), (0, depth / 2 - 0.003)])
    builder.visual("face", _facing_x(face), builder.accent())
    hand = use_colour(builder.spec, "clock_hand", (0.08, 0.08, 0.09, 1.0), 0.2)
    front = depth / 2 - 0.002
    builder.visual("hours", printed_box((0.002, 0.006, 0.4 * radius)), hand, (front, 0, 0.2 * radius))
    builder.visual("minutes", printed_box((0.002, 0.6 * radius, 0.004)), hand, (front, -0.3 * radius, 0))
    builder.box((depth / 2, 0.7 * radius, height / 2))
    builder.box((depth / 2, width / 2, 0.35 * height))


def build_flashlight(builder: ObjectBuilder) -> None:
    """Add a flashlight lying along y, its lamp at +y."""
    width, length, _ = builder.size
    outline = [(r * width / 2, (z - 0.5) * length) for r, z in _TORCH]
    builder.visual("body", _along_y(lathe(outline)), builder.paint())
    lamp = lathe([(0.94 * width / 2, length / 2), (0.0, length / 2 - 0.004)])
    builder.visual("lamp", _along_y(lamp), builder.accent())
    builder.box((0.34 * width, 0.33 * length, width / 2), (0, -0.17 * length, 0))
    builder.box((width / 2, 0.17 * length, width / 2), (0, 0.33 * length, 0))


def _along_y(mesh: Mesh) -> Mesh:
    """A mesh about z laid down along y."""
    return Mesh(mesh.vertices[:, [0, 2, 1]] * np.array([-1, 1, 1]), mesh.faces, mesh.uv)


def _facing_x(mesh: Mesh) -> Mesh:
    """A mesh about z turned to lie along x."""
    return Mesh(mesh.vertices[:, [2, 0, 1]], mesh.faces, mesh.uv)
