"""A wine bottle and a wine glass."""

from openral_sim.materials import use_colour, use_printed
from openral_sim.meshes import lathe
from openral_sim.objects.builder import ObjectBuilder
from openral_sim.textures import banded_label

_BOTTLE, _NECK, _BOTTLE_HEIGHT = 0.034, 0.0135, 0.29
_GLASS, _GLASS_HEIGHT = 0.036, 0.19
_RED_WINE = (0.36, 0.02, 0.08)


def build_wine_bottle(builder: ObjectBuilder) -> None:
    """Add a full wine bottle."""
    half = _BOTTLE_HEIGHT / 2
    glass = use_colour(builder.spec, "bottle_glass", (0.07, 0.16, 0.09, 1.0), 0.9)
    foil = use_colour(builder.spec, "foil", (0.55, 0.10, 0.16, 1.0), 0.6)
    body = [(0, -half), (_BOTTLE - 0.004, -half), (_BOTTLE, 0.005 - half), (_BOTTLE, 0.165 - half)]
    neck = [(0.031, 0.18 - half), (0.019, 0.203 - half), (_NECK, 0.222 - half), (_NECK, half), (0, half)]
    builder.visual("bottle", lathe(body + neck), glass)
    cap = [(0.015, half - 0.05), (0.015, half - 0.004), (0.0145, half + 0.001), (0, half + 0.001)]
    builder.visual("foil", lathe(cap, 16), foil)
    label = use_printed(
        builder.spec,
        "wine_label",
        banded_label("VINO ROSSO", (0.95, 0.92, 0.82), (0.90, 0.85, 0.72), (0.45, 0.08, 0.12)),
        0.1,
    )
    builder.visual("label", lathe([(_BOTTLE + 0.0006, z - half) for z in (0.045, 0.13)]), label)
    builder.liquid([(_BOTTLE - 0.004, 0.006 - half, 0.16 - half)], _RED_WINE, full=True)
    builder.cylinder(_BOTTLE, 0.0875, 0.0875 - half)
    builder.cylinder(0.024, 0.015, 0.19 - half)
    builder.cylinder(0.015, 0.0425, half - 0.0425)


def build_wine_glass(builder: ObjectBuilder) -> None:
    """Add an empty wine glass."""
    half, low = _GLASS_HEIGHT / 2, -0.012
    clear = use_colour(builder.spec, "clear_glass", (0.86, 0.93, 0.97, 0.32), 0.9)
    foot = [(0, -half), (0.032, -half), (0.032, 0.003 - half), (0.006, 0.009 - half), (0.0042, 0.02 - half)]
    bowl = [
        (0.0042, low - 0.006),
        (0.02, low + 0.002),
        (0.033, low + 0.025),
        (_GLASS, low + 0.05),
        (0.032, half),
    ]
    inside = [
        (0.0305, half),
        (_GLASS - 0.0015, low + 0.05),
        (0.0315, low + 0.026),
        (0.018, low + 0.005),
        (0, low),
    ]
    builder.visual("glass", lathe(foot + bowl + inside), clear)
    levels = [(0.014, 0.002), (0.022, 0.009), (0.027, 0.016), (0.030, 0.024), (0.032, 0.033), (0.0335, 0.042)]
    tops = [low + bottom for _, bottom in levels[1:]] + [low + 0.051]
    discs = [(r, low + bottom, top) for (r, bottom), top in zip(levels, tops, strict=True)]
    builder.liquid(discs, _RED_WINE, full=False)
    builder.cylinder(0.032, 0.003, 0.003 - half)
    builder.cylinder(0.006, 0.04, 0.043 - half)
    builder.cylinder(0.018, 0.004, low)
    builder.ring(_GLASS, 0.003, low + 0.01, half)
