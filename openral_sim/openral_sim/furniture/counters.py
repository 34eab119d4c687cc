"""A kitchen counter: base units with flat fronts, a worktop, a splashback."""

from openral_sim.furniture.builder import FurnitureBuilder

_TOP = 0.04
_PLINTH = 0.1
_UNIT = 0.6


def build_counter(builder: FurnitureBuilder) -> None:
    """Add a counter; its fronts are shut."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    main, accent = builder.style.main, builder.style.accent
    builder.panel((-d, -w, h - _TOP), (d, w, h), accent)
    builder.panel((-d, -w + 0.01, _PLINTH), (d - 0.05, w - 0.01, h - _TOP), main)
    builder.panel((-d, -w + 0.01, 0), (d - 0.1, w - 0.01, _PLINTH), "graphite")
    builder.panel((-d, -w, h), (-d + 0.01, w, h + 0.5), "wall_tiles")
    _add_fronts(builder, d - 0.05)


def _add_fronts(builder: FurnitureBuilder, x: float) -> None:
    """Drawer and cupboard fronts, each with a rail to pull."""
    w, h = builder.fixture.width / 2 - 0.01, builder.fixture.height - _TOP
    count = max(1, round(2 * w / _UNIT))
    pitch = 2 * w / count
    for unit in range(count):
        y0, y1 = -w + unit * pitch + 0.004, -w + (unit + 1) * pitch - 0.004
        for z0, z1 in ((_PLINTH + 0.005, h - 0.2), (h - 0.19, h - 0.01)):
            builder.panel((x, y0, z0), (x + 0.018, y1, z1), builder.style.main)
            rail = ((x + 0.018, y0 + 0.12, z1 - 0.045), (x + 0.032, y1 - 0.12, z1 - 0.033))
            builder.panel(*rail, "steel")
