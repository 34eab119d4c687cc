"""A sideboard with a television on the wall side."""

from openral_sim.furniture.builder import FurnitureBuilder


def build_sideboard(builder: FurnitureBuilder) -> None:
    """Add a low sideboard on short legs, its doors shut, a screen standing at its back."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    builder.panel((-d, -w, h - 0.03), (d, w, h), builder.style.main)
    builder.panel((-d, -w + 0.01, 0.14), (d - 0.03, w - 0.01, h - 0.03), builder.style.main)
    for x in (-d + 0.05, d - 0.07):
        for y in (-w + 0.08, w - 0.08):
            builder.post(0.018, (x, y, 0), (x, y, 0.14), "graphite")
    _add_fronts(builder, d - 0.03)
    builder.panel((-d + 0.03, -0.09, h), (-d + 0.09, 0.09, h + 0.03), "graphite")
    builder.panel((-d + 0.04, -0.45, h + 0.03), (-d + 0.07, 0.45, h + 0.55), "screen")


def _add_fronts(builder: FurnitureBuilder, x: float) -> None:
    w, h = builder.fixture.width / 2 - 0.01, builder.fixture.height - 0.03
    pitch = 2 * w / 3
    for unit in range(3):
        y0 = -w + unit * pitch
        builder.panel((x, y0 + 0.006, 0.15), (x + 0.016, y0 + pitch - 0.006, h - 0.01), builder.style.accent)
        builder.panel((x + 0.016, y0 + 0.02, h - 0.1), (x + 0.03, y0 + 0.16, h - 0.088), "graphite")
