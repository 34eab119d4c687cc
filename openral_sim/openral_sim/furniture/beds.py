"""A bed with a headboard, pillows and a blanket."""

from openral_sim.furniture.builder import FurnitureBuilder

_BOARD = 0.05
_FRAME = 0.3
_LEG = 0.14


def build_bed(builder: FurnitureBuilder) -> None:
    """Add a bed whose head is at the wall; the blanket's height is the map's surface."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    blanket = builder.fixture.surface("blanket").z
    builder.panel((-d, -w, 0.1), (-d + _BOARD, w, h), builder.style.main)
    builder.panel((-d + _BOARD, -w, _LEG), (d, w, _FRAME), builder.style.main)
    for x in (-d + _BOARD, d - 0.07):
        for y in (-w + 0.03, w - 0.09):
            builder.panel((x, y, 0), (x + 0.06, y + 0.06, _LEG), builder.style.main)
    builder.panel((-d + _BOARD, -w + 0.02, _FRAME), (d - 0.02, w - 0.02, blanket - 0.02), "linen")
    builder.panel((-d + 0.6, -w - 0.005, blanket - 0.12), (d + 0.0, w + 0.005, blanket), builder.style.accent)
    for y in (-w / 2, w / 2):
        builder.ball((0.2, 0.42 * w, 0.08), (-d + 0.33, y, blanket + 0.03), "linen")
