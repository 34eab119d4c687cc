"""A chest on legs that drawers slide into; the drawers are fixtures of their own."""

from openral_sim.furniture.builder import FurnitureBuilder

_SIDE = 0.02
_TOP = 0.025
_LEG = 0.05
_LEGS_SHARE = 0.5


def build_dresser(builder: FurnitureBuilder) -> None:
    """Add top, sides, back, bottom and legs of a chest that is open at its front."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    main, back, front, low = builder.style.main, -d + 0.012, d - 0.022, _LEGS_SHARE * h
    builder.panel((-d, -w, h - _TOP), (d, w, h), main)
    builder.panel((-d, -w, low), (back, w, h - _TOP), main)
    for y0, y1 in ((-w, -w + _SIDE), (w - _SIDE, w)):
        builder.panel((back, y0, low), (front, y1, h - _TOP), main)
    builder.panel((back, -w + _SIDE, low), (front, w - _SIDE, low + 0.015), main)
    for x in (-d, front - _LEG):
        for y in (-w, w - _LEG):
            builder.panel((x, y, 0), (x + _LEG, y + _LEG, low), builder.style.accent)
    builder.panel((-d + _LEG, -w + 0.01, 0.16), (front - _LEG, w - 0.01, 0.18), main)
