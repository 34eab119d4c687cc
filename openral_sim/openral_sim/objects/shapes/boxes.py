"""Boxes: printed packaging and plain blocks."""

from openral_sim.meshes import printed_box
from openral_sim.objects.builder import ObjectBuilder


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
