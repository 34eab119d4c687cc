"""A drinks can."""

from openral_sim.materials import use_colour, use_printed
from openral_sim.meshes import lathe
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.objects.colours import COLOURS
from openral_sim.objects.kind import ObjectKind
from openral_sim.textures import banded_label

_RADIUS, _HEIGHT = 0.0325, 0.118


def _build(builder: ObjectBuilder) -> None:
    half = _HEIGHT / 2
    colour = builder.colour or "red"
    label = banded_label("COLA", COLOURS[colour], COLOURS[colour], (1.0, 1.0, 1.0))
    side = lathe([(_RADIUS, 0.008 - half), (_RADIUS, half - 0.01)])
    builder.visual("side", side, use_printed(builder.spec, f"cola_{colour}", label, 0.6))
    metal = use_colour(builder.spec, "tin", (0.75, 0.76, 0.78, 1.0), 0.8)
    builder.visual("base", lathe([(0, -half), (0.026, -half), (_RADIUS, 0.008 - half)]), metal)
    lid = [(_RADIUS, half - 0.01), (0.028, half), (0.0265, half), (0.026, half - 0.004), (0, half - 0.004)]
    builder.visual("lid", lathe(lid), metal)
    builder.cylinder(_RADIUS, half)


CAN = ObjectKind("can", (2 * _RADIUS, 2 * _RADIUS, _HEIGHT), 0.35, graspable=True, build=_build)
