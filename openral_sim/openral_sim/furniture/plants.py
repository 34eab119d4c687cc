"""A potted plant."""

from math import cos, pi, sin

from openral_sim.furniture.builder import FurnitureBuilder

_POT = 0.3
_LEAVES = 9


def build_plant(builder: FurnitureBuilder) -> None:
    """Add a pot, a stem and leaves that fill the footprint."""
    radius, h = builder.fixture.width / 2, builder.fixture.height
    builder.post(0.16, (0, 0, 0), (0, 0, _POT), builder.style.accent)
    builder.post(0.018, (0, 0, _POT), (0, 0, h - 0.2), "walnut")
    for leaf in range(_LEAVES):
        angle, z = 2.4 * leaf, _POT + 0.2 + (h - _POT - 0.3) * leaf / (_LEAVES - 1)
        out = radius * 0.45
        geom = builder.ball(
            (radius * 0.55, 0.08, 0.02), (out * cos(angle), out * sin(angle), z), builder.style.main
        )
        tilt = -0.45
        geom.alt.euler = (0.0, tilt, angle % (2 * pi))
