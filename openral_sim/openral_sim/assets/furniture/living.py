"""A bed with a headboard, pillows and a blanket."""
# MERGED A drawer: one of those in a chest, a fixture of its own because it opens and hides things by itself.
# MERGED A chest on legs that drawers slide into; the drawers are fixtures of their own.
# MERGED A floor lamp.
# MERGED A potted plant.
# MERGED An open bookshelf.
# MERGED A sideboard with a television on the wall side.
# MERGED A sofa with cushions.
# MERGED A wardrobe with two doors, one of which slides behind the other.

from math import cos, pi, sin

from openral_sim.assets.furniture.builder import FurnitureBuilder, add_handle, add_shell, add_shelves
from openral_sim.assets.furniture.doors import add_slide, container_of, sliding_door
from openral_sim.assets.materials import LookName

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


_DRAWERS_BOARD = 0.012
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
    builder.panel(
        (x0 - _DRAWERS_BOARD, y0 - _DRAWERS_BOARD, z0 - _DRAWERS_BOARD),
        (x1, y1 + _DRAWERS_BOARD, z0),
        inner,
        body,
    ).mass = _MASS
    side = z0 + 0.8 * (z1 - z0)
    builder.panel(
        (x0 - _DRAWERS_BOARD, y0 - _DRAWERS_BOARD, z0), (x0, y1 + _DRAWERS_BOARD, side), inner, body
    ).mass = 0.3
    for low, high in ((y0 - _DRAWERS_BOARD, y0), (y1, y1 + _DRAWERS_BOARD)):
        builder.panel((x0, low, z0), (x1, high, side), inner, body).mass = 0.3
    edge = builder.fixture.width / 2 - 0.002
    front = ((d - _FRONT, -edge, z0 - _DRAWERS_BOARD - _OVER), (d, edge, z1 + _OVER))
    builder.panel(*front, builder.style.main, body).mass = 1.0
    handle = add_handle(builder, body, (d, 0.0, (z0 + z1) / 2), _BAR)
    builder.doors.append(sliding_door(body, container.drawn, handle))


_SIDE = 0.02
_TOP = 0.025
_DRESSERS_LEG = 0.05
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
    for x in (-d, front - _DRESSERS_LEG):
        for y in (-w, w - _DRESSERS_LEG):
            builder.panel((x, y, 0), (x + _DRESSERS_LEG, y + _DRESSERS_LEG, low), builder.style.accent)
    builder.panel((-d + _DRESSERS_LEG, -w + 0.01, 0.16), (front - _DRESSERS_LEG, w - 0.01, 0.18), main)


def build_lamp(builder: FurnitureBuilder) -> None:
    """Add a foot, a pole and a shade as wide as the footprint."""
    radius, h = builder.fixture.width / 2, builder.fixture.height
    builder.post(radius * 0.75, (0, 0, 0), (0, 0, 0.025), builder.style.accent)
    builder.post(0.012, (0, 0, 0.025), (0, 0, h - 0.3), builder.style.accent)
    builder.post(radius, (0, 0, h - 0.3), (0, 0, h), builder.style.main)


_POT = 0.3
_LEAVES = 9


def build_plant(builder: FurnitureBuilder) -> None:
    """Add a pot, a stem and leaves that fill the footprint."""
    radius, h = builder.fixture.width / 2, builder.fixture.height
    builder.post(0.16, (0, 0, 0), (0, 0, _POT), builder.style.accent)
    builder.post(0.018, (0, 0, _POT), (0, 0, h - 0.2), "walnut")
    for leaf in range(_LEAVES):
        angle, z = 2.4 * leaf, _POT + 0.2 + (h - _POT - 0.3) * leaf / (_LEAVES - 1)
        out = radius * 0.45
        geom = builder.ball(
            (radius * 0.55, 0.08, 0.02), (out * cos(angle), out * sin(angle), z), builder.style.main
        )
        tilt = -0.45
        geom.alt.euler = (0.0, tilt, angle % (2 * pi))


def build_shelf(builder: FurnitureBuilder) -> None:
    """Add a bookshelf without doors."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.accent)


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


_LEAF = 0.018
_GAP = 0.004
_OVERLAP = 0.04
_WARDROBES_BAR, _BAR_Z = 0.3, 0.95
_FROM_EDGE = 0.09
_WARDROBES_MASS = 6.0


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
    builder.panel(
        (0.0, reach[0], bottom), (_LEAF, reach[1], top), builder.style.main, body
    ).mass = _WARDROBES_MASS
    edge = reach[0] + _FROM_EDGE if side > 0 else reach[1] - _FROM_EDGE
    handle = add_handle(builder, body, (_LEAF, edge, _BAR_Z), _WARDROBES_BAR)
    builder.doors.append(sliding_door(body, travel, handle))
