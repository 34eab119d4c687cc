"""A dining chair."""

from openral_sim.furniture.builder import FurnitureBuilder

_LEG = 0.035
_SEAT = 0.035


def build_chair(builder: FurnitureBuilder) -> None:
    """Add a chair whose seat is the map's surface height, its backrest of two rails."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    seat, main = builder.fixture.surface("seat").z, builder.style.main
    builder.panel((-d, -w, seat - _SEAT), (d, w, seat), builder.style.accent)
    for y in (-w, w - _LEG):
        builder.panel((d - _LEG, y, 0), (d, y + _LEG, seat - _SEAT), main)
        builder.panel((-d, y, 0), (-d + _LEG, y + _LEG, seat - _SEAT), main)
        builder.panel((-d, y, seat), (-d + _LEG, y + _LEG, h), main)
    for z in (h - 0.1, h - 0.26):
        builder.panel((-d + 0.006, -w + _LEG, z), (-d + 0.026, w - _LEG, z + 0.09), main)
