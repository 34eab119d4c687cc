"""A drawer: one of those in a chest, a fixture of its own because it opens and hides things by itself."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.containers import container_of
from openral_sim.furniture.handles import add_handle
from openral_sim.furniture.slides import add_slide, sliding_door
from openral_sim.materials import LookName

_BOARD = 0.012
_FRONT = 0.02
_OVER = 0.018
_BAR = 0.11
_MASS = 3.0


def build_drawer(builder: FurnitureBuilder) -> None:
    """Add a tray around the container's interior, with a front as wide as the chest."""
    container, d = container_of(builder.fixture), builder.fixture.depth / 2
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    body = add_slide(builder, "tray", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), container.drawn)
    inner: LookName = "birch"
    builder.panel((x0 - _BOARD, y0 - _BOARD, z0 - _BOARD), (x1, y1 + _BOARD, z0), inner, body).mass = _MASS
    side = z0 + 0.8 * (z1 - z0)
    builder.panel((x0 - _BOARD, y0 - _BOARD, z0), (x0, y1 + _BOARD, side), inner, body).mass = 0.3
    for low, high in ((y0 - _BOARD, y0), (y1, y1 + _BOARD)):
        builder.panel((x0, low, z0), (x1, high, side), inner, body).mass = 0.3
    edge = builder.fixture.width / 2 - 0.002
    front = ((d - _FRONT, -edge, z0 - _BOARD - _OVER), (d, edge, z1 + _OVER))
    builder.panel(*front, builder.style.main, body).mass = 1.0
    handle = add_handle(builder, body, (d, 0.0, (z0 + z1) / 2), _BAR)
    builder.doors.append(sliding_door(body, container.drawn, handle))
