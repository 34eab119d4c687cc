"""A sofa with cushions."""

from openral_sim.furniture.builder import FurnitureBuilder

_ARM = 0.16
_BACK = 0.22


def build_sofa(builder: FurnitureBuilder) -> None:
    """Add a sofa whose seat is the map's surface height."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    seat, main = builder.fixture.surface("seat").z, builder.style.main
    builder.panel((-d, -w, 0.1), (d, w, seat - 0.14), main)
    builder.panel((-d, -w, seat - 0.14), (-d + _BACK, w, h), main)
    for y0, y1 in ((-w, -w + _ARM), (w - _ARM, w)):
        builder.panel((-d + _BACK, y0, seat - 0.14), (d, y1, seat + 0.17), main)
    for y0, y1 in ((-w + _ARM + 0.004, -0.004), (0.004, w - _ARM - 0.004)):
        builder.panel((-d + _BACK, y0, seat - 0.14), (d + 0.0, y1, seat), main)
        builder.panel((-d + _BACK, y0 + 0.01, seat), (-d + _BACK + 0.12, y1 - 0.01, h - 0.04), main)
    for x in (-d + 0.06, d - 0.06):
        for y in (-w + 0.06, w - 0.06):
            builder.post(0.025, (x, y, 0), (x, y, 0.1), "walnut")
    builder.ball((0.09, 0.22, 0.19), (-d + _BACK + 0.19, w - _ARM - 0.26, seat + 0.17), builder.style.accent)
