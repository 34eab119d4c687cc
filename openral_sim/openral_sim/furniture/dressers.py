"""A chest that drawers slide into; the drawers are fixtures of their own."""

from openral_sim.furniture.builder import FurnitureBuilder

_SIDE = 0.02
_TOP = 0.025
_PLINTH = 0.09


def build_dresser(builder: FurnitureBuilder) -> None:
    """Add top, sides, back and plinth of a chest that is open at its front."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    main, back = builder.style.main, -d + 0.012
    builder.panel((-d, -w, h - _TOP), (d, w, h), main)
    builder.panel((-d, -w, 0), (back, w, h - _TOP), main)
    for low, high in ((-w, -w + _SIDE), (w - _SIDE, w)):
        builder.panel((back, low, 0), (d - 0.022, high, h - _TOP), main)
    builder.panel((back, -w + _SIDE, _PLINTH - 0.015), (d - 0.03, w - _SIDE, _PLINTH), main)
    builder.panel((d - 0.06, -w + _SIDE, 0), (d - 0.04, w - _SIDE, _PLINTH - 0.015), "graphite")
