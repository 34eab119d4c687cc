"""A remote control lying flat."""

from openral_sim.materials import use_colour
from openral_sim.meshes import lathe, printed_box
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.colours import COLOURS


def build_remote(builder: ObjectBuilder) -> None:
    """Add a remote control lying along y."""
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
