"""A drinks can."""

from openral_sim.materials import use_colour, use_printed
from openral_sim.meshes import lathe
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.colours import COLOURS
from openral_sim.textures import banded_label


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
