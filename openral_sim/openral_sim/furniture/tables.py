"""A table on four legs."""

from openral_sim.furniture.builder import FurnitureBuilder

_TOP = 0.035
_LEG = 0.06


def build_table(builder: FurnitureBuilder) -> None:
    """Add a table; its top is the fixture's whole footprint."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    builder.panel((-d, -w, h - _TOP), (d, w, h), builder.style.main)
    for x in (-d + 0.03, d - 0.03 - _LEG):
        for y in (-w + 0.03, w - 0.03 - _LEG):
            builder.panel((x, y, 0), (x + _LEG, y + _LEG, h - _TOP), builder.style.accent)
    for x in (-d + 0.05, d - 0.07):
        builder.panel((x, -w + 0.09, h - _TOP - 0.07), (x + 0.02, w - 0.09, h - _TOP), builder.style.accent)
