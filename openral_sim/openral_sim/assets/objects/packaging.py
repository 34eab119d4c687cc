"""Packaging and other blocks: books, boxes, cans, cartons and loaves."""

from openral_sim.assets.materials import use_colour, use_printed
from openral_sim.assets.meshes import gabled_carton, lathe, loaf, printed_box
from openral_sim.assets.objects.builder import COLOURS, ObjectBuilder
from openral_sim.assets.textures import banded_label, crust

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
