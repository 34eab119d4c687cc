"""A wardrobe with two doors, one of which slides behind the other."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.containers import container_of
from openral_sim.furniture.handles import add_handle
from openral_sim.furniture.shells import add_shell, add_shelves
from openral_sim.furniture.slides import add_slide, sliding_door

_LEAF = 0.018
_GAP = 0.004
_OVERLAP = 0.04
_BAR, _BAR_Z = 0.3, 0.95
_FROM_EDGE = 0.09
_MASS = 6.0


def build_wardrobe(builder: FurnitureBuilder) -> None:
    """Add a wardrobe; its outer door slides over the fixed inner one, towards the hinge side of its style."""
    container, h = container_of(builder.fixture), builder.fixture.height
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.main)
    (_, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    side = 1.0 if builder.style.hinge == "right" else -1.0
    bottom, top, middle = z0 - 0.02, min(z1 + 0.02, h), (y0 + y1) / 2
    inner, outer = x1 + _GAP, x1 + 2 * _GAP + _LEAF
    fixed = sorted((middle - side * _OVERLAP / 2, y1 if side > 0 else y0))
    builder.panel((inner, fixed[0], bottom), (inner + _LEAF, fixed[1], top), builder.style.accent)
    reach = sorted((middle + side * _OVERLAP / 2, y0 if side > 0 else y1))
    travel = reach[1] - reach[0] - _OVERLAP
    body = add_slide(builder, "door", (outer, 0.0, 0.0), (0.0, side, 0.0), travel)
    builder.panel((0.0, reach[0], bottom), (_LEAF, reach[1], top), builder.style.main, body).mass = _MASS
    edge = reach[0] + _FROM_EDGE if side > 0 else reach[1] - _FROM_EDGE
    handle = add_handle(builder, body, (_LEAF, edge, _BAR_Z), _BAR)
    builder.doors.append(sliding_door(body, travel, handle))
