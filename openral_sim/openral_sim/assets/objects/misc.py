"""Shapes of small household objects: electronics, toys, fruit, balls, paper rolls and packaging."""

import numpy as np

from openral_core.arrays import Array
from openral_sim.assets.materials import use_colour, use_printed
from openral_sim.assets.meshes import Mesh, gabled_carton, lathe, loaf, printed_box, tube
from openral_sim.assets.objects.builder import COLOURS, ObjectBuilder
from openral_sim.assets.objects.tableware import Outline
from openral_sim.assets.textures import banded_label, crust, speckle

FLASHLIGHT: Outline = ((0, 0), (0.62, 0), (0.68, 0.02), (0.68, 0.66), (1, 0.82), (1, 0.97), (0.94, 1))
"""Outline of a flashlight, its lamp at the top."""
PEAR: Outline = (
    (0, 0), (0.5, 0), (0.85, 0.08), (1, 0.28), (0.9, 0.46), (0.55, 0.66), (0.42, 0.82), (0.2, 0.9), (0, 0.9),
)  # fmt: skip
WHEEL_RADIUS = 0.011
"""Radius of a toy car's wheels [m]."""
# Half axes and centre of each part as fractions of the size; parts off the middle come in pairs.
TEDDY_BEAR = (
    ("trunk", (0.36, 0.33, 0.30), (-0.10, 0.0, -0.20)),
    ("head", (0.32, 0.32, 0.23), (-0.06, 0.0, 0.22)),
    ("snout", (0.13, 0.13, 0.08), (0.24, 0.0, 0.17)),
    ("nose", (0.04, 0.05, 0.03), (0.36, 0.0, 0.20)),
    ("ear", (0.08, 0.11, 0.08), (-0.08, 0.25, 0.42)),
    ("eye", (0.03, 0.03, 0.02), (0.22, 0.12, 0.28)),
    ("arm", (0.28, 0.10, 0.09), (0.12, 0.38, -0.10)),
    ("leg", (0.50, 0.15, 0.11), (0.0, 0.35, -0.39)),
)
_DARK_PARTS = ("nose", "eye")


def build_slate(builder: ObjectBuilder) -> None:
    """Add a flat device with a screen, such as a phone, lying on its back."""
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
    builder.visual("case", turned_to_x(case), builder.paint())
    face = lathe([(0.9 * radius, depth / 2 - 0.003), (0, depth / 2 - 0.003)])
    builder.visual("face", turned_to_x(face), builder.accent())
    hand = use_colour(builder.spec, "clock_hand", (0.08, 0.08, 0.09, 1.0), 0.2)
    front = depth / 2 - 0.002
    builder.visual("hours", printed_box((0.002, 0.006, 0.4 * radius)), hand, (front, 0, 0.2 * radius))
    builder.visual("minutes", printed_box((0.002, 0.6 * radius, 0.004)), hand, (front, -0.3 * radius, 0))
    builder.box((depth / 2, 0.7 * radius, height / 2))
    builder.box((depth / 2, width / 2, 0.35 * height))


def build_flashlight(builder: ObjectBuilder) -> None:
    """Add a flashlight lying along y, its lamp at +y."""
    width, length, _ = builder.size
    outline = [(r * width / 2, (z - 0.5) * length) for r, z in FLASHLIGHT]
    builder.visual("body", turned_along_y(lathe(outline)), builder.paint())
    lamp = lathe([(0.94 * width / 2, length / 2), (0.0, length / 2 - 0.004)])
    builder.visual("lamp", turned_along_y(lamp), builder.accent())
    builder.box((0.34 * width, 0.33 * length, width / 2), (0, -0.17 * length, 0))
    builder.box((width / 2, 0.17 * length, width / 2), (0, 0.33 * length, 0))


def turned_along_y(mesh: Mesh) -> Mesh:
    """Rotate a mesh so that its z axis points along y."""
    return Mesh(mesh.vertices[:, [0, 2, 1]] * np.array([-1, 1, 1]), mesh.faces, mesh.uv)


def turned_to_x(mesh: Mesh) -> Mesh:
    """Rotate a mesh so that its z axis points along x."""
    return Mesh(mesh.vertices[:, [2, 0, 1]], mesh.faces, mesh.uv)


def build_remote(builder: ObjectBuilder) -> None:
    """Add a remote control lying flat along y."""
    builder.visual("case", printed_box(builder.size), builder.paint())
    grey = use_colour(builder.spec, "key_grey", (0.62, 0.63, 0.65, 1.0), 0.2)
    power = use_colour(builder.spec, "key_red", (*COLOURS["red"], 1.0), 0.2)
    key = lathe([(0.0045, 0.0), (0.0045, 0.002), (0, 0.002)], 8)
    top = builder.size[2] / 2
    for row in range(5):
        for column in (-1, 0, 1):
            pos = (0.013 * column, 0.045 - 0.022 * row, top)
            builder.visual(f"key_{row}{column + 1}", key, grey, pos)
    builder.visual("power", key, power, (0.013, 0.07, top))
    builder.box((builder.size[0] / 2, builder.size[1] / 2, builder.size[2] / 2))


def build_toy_car(builder: ObjectBuilder) -> None:
    """Add a car along y."""
    x, y, z = builder.size
    low = -z / 2 + 0.6 * WHEEL_RADIUS
    body, cabin = 0.5 * z, 0.4 * z
    builder.visual("body", printed_box((x - 0.008, y, body)), builder.paint(), (0, 0, low + body / 2))
    top = low + body + cabin / 2
    builder.visual(
        "cabin", printed_box((x - 0.016, 0.5 * y, z / 2 - low - body)), builder.accent(), (0, -0.05 * y, top)
    )
    wheel = lathe([(0, -0.004), (WHEEL_RADIUS, -0.004), (WHEEL_RADIUS, 0.004), (0, 0.004)], 14)
    wheel = turned_to_x(wheel)
    for i, (side, end) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        centre = (side * (x / 2 - 0.004), end * 0.3 * y, WHEEL_RADIUS - z / 2)
        builder.visual(f"wheel_{i}", wheel, builder.accent(), centre)
    builder.box((x / 2, y / 2, 0.35 * z), (0, 0, -0.15 * z))
    builder.box((x / 2 - 0.008, 0.25 * y, 0.15 * z), (0, -0.05 * y, 0.35 * z))


def build_teddy_bear(builder: ObjectBuilder) -> None:
    """Add a bear that sits and faces x."""
    x, y, z = builder.size
    for part, half, centre in TEDDY_BEAR:
        material = builder.accent() if part in _DARK_PARTS else builder.paint()
        for side, name in ((1.0, part), (-1.0, f"other_{part}")):
            if side > 0.0 or centre[1] > 0.0:
                fractions = np.array([half, (centre[0], side * centre[1], centre[2])])
                add_ellipsoid(builder, name, fractions * builder.size, material)
    builder.box((x / 2, 0.46 * y, 0.12 * z), (0, 0, -0.38 * z))
    builder.box((0.34 * x, 0.34 * y, 0.36 * z), (-0.08 * x, 0, 0.1 * z))


def build_roll(builder: ObjectBuilder) -> None:
    """Add a paper roll standing on its end."""
    radius, half = builder.size[0] / 2, builder.size[2] / 2
    outside = [(0.4 * radius, -half), (radius - 0.004, -half), (radius, 0.004 - half), (radius, half - 0.004)]
    builder.visual("paper", lathe([*outside, (radius - 0.004, half), (0.4 * radius, half)]), builder.paint())
    builder.visual("core", lathe([(0.4 * radius, half), (0.4 * radius, -half)]), builder.accent())
    builder.cylinder(radius, half)


def add_ellipsoid(builder: ObjectBuilder, part: str, half_and_centre: Array, material: str) -> None:
    """Add a visual ellipsoid of half axes and centre, both in [m], shape (2, 3)."""
    half, (x, y, z) = half_and_centre
    angle = np.linspace(-np.pi / 2, np.pi / 2, 9)
    unit = lathe([(float(np.cos(a)), float(np.sin(a))) for a in angle], 14)
    builder.visual(part, Mesh(unit.vertices * half, unit.faces, unit.uv), material, (x, y, z))


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
    """Add a ball, or a round fruit, with an uneven surface."""
    radius = builder.size[0] / 2
    angle = np.linspace(-np.pi / 2, np.pi / 2, 13)
    profile = [(float(radius * np.cos(a)), float(radius * np.sin(a))) for a in angle]
    builder.visual("ball", lathe(profile), _skin(builder))
    builder.ellipsoid((radius, radius, radius))


def build_pear(builder: ObjectBuilder) -> None:
    """Add a standing pear with a stem."""
    radius, half = builder.size[0] / 2, builder.size[2] / 2
    profile = [(radius * r, half * (2 * z - 1)) for r, z in PEAR]
    builder.visual("pear", lathe(profile), _skin(builder))
    stem = use_colour(builder.spec, "stem", (0.30, 0.20, 0.11, 1.0), 0.1)
    builder.visual("stem", lathe([(0.002, 0.78 * half), (0.0025, half), (0, half)], 6), stem)
    builder.cylinder(0.9 * radius, 0.48 * half, -0.52 * half)
    builder.cylinder(0.5 * radius, 0.42 * half, 0.38 * half)


def build_banana(builder: ObjectBuilder) -> None:
    """Add a banana lying flat, bent in the horizontal plane, along y."""
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


COVER_THICKNESS = 0.004
"""Thickness of a book's boards and spine [m]."""
PAGE_MARGIN = 0.008
"""Difference between the covers' and the pages' extent [m]."""


def build_book(builder: ObjectBuilder) -> None:
    """Add a book lying flat, its spine along y."""
    width, length, height = builder.size
    cover = builder.paint()
    paper = use_colour(builder.spec, "paper", (0.96, 0.94, 0.88, 1.0), 0.05)
    board = printed_box((width, length, COVER_THICKNESS))
    for part, z in (("front", height / 2 - COVER_THICKNESS / 2), ("back", COVER_THICKNESS / 2 - height / 2)):
        builder.visual(part, board, cover, (0, 0, z))
    pages = (width - PAGE_MARGIN, length - PAGE_MARGIN, height - 2 * COVER_THICKNESS)
    builder.visual("pages", printed_box(pages), paper)
    spine = printed_box((COVER_THICKNESS, length, height))
    builder.visual("spine", spine, cover, (COVER_THICKNESS / 2 - width / 2, 0, 0))
    builder.box((width / 2, length / 2, height / 2))


def build_box(builder: ObjectBuilder) -> None:
    """Add a printed box, its narrow side along x."""
    x, y, z = builder.size
    builder.visual("box", printed_box(builder.size), builder.label(1))
    builder.box((x / 2, y / 2, z / 2))


def build_plain_box(builder: ObjectBuilder) -> None:
    """Add a block in two layers of colour."""
    x, y, z = builder.size
    layer = 0.3 * z
    builder.visual("block", printed_box((x, y, z - layer)), builder.paint(), (0, 0, -layer / 2))
    builder.visual("layer", printed_box((x, y, layer)), builder.accent(), (0, 0, (z - layer) / 2))
    builder.box((x / 2, y / 2, z / 2))


def build_can(builder: ObjectBuilder) -> None:
    """Add a can with a printed side."""
    radius, half, colour = builder.size[0] / 2, builder.size[2] / 2, builder.colour
    label = banded_label(builder.kind.print, COLOURS[colour], COLOURS[colour], (1.0, 1.0, 1.0))
    side = lathe([(radius, 0.008 - half), (radius, half - 0.01)])
    builder.visual("side", side, use_printed(builder.spec, f"cola_{colour}", label, 0.6))
    metal = use_colour(builder.spec, "tin", (0.75, 0.76, 0.78, 1.0), 0.8)
    builder.visual("base", lathe([(0, -half), (0.026, -half), (radius, 0.008 - half)]), metal)
    lid = [(radius, half - 0.01), (0.028, half), (0.0265, half), (0.026, half - 0.004), (0, half - 0.004)]
    builder.visual("lid", lathe(lid), metal)
    builder.cylinder(radius, half)


def build_carton(builder: ObjectBuilder) -> None:
    """Add a carton of square base."""
    width, _, height = builder.size
    builder.visual("carton", gabled_carton(width, height), builder.label(1))
    builder.box((width / 2, width / 2, 0.39 * height), (0, 0, -0.11 * height))
    builder.box((0.012, width / 2, 0.1 * height), (0, 0, 0.38 * height))


def build_loaf(builder: ObjectBuilder) -> None:
    """Add a baguette along y, slim enough for a parallel gripper to grasp across."""
    width, length, height = builder.size
    material = use_printed(builder.spec, "crust", crust(), 0.05)
    builder.visual("loaf", loaf(length, width, height), material)
    builder.box((width / 2 - 0.003, 0.42 * length, height / 2))
