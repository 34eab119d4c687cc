"""A cabinet: wooden shell, one door, shelves."""
# MERGED A kitchen counter: base units with flat fronts, a worktop, a splashback.
# MERGED A fridge: white shell, one tall door, three shelves.
# MERGED A table on four legs.
# MERGED A dining chair.

from openral_sim.assets.furniture.builder import FurnitureBuilder, add_shell, add_shelves
from openral_sim.assets.furniture.doors import add_door, container_of


def build_cabinet(builder: FurnitureBuilder) -> None:
    """Add a cabinet whose door opens above a plinth."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.main)
    add_door(builder, container, bottom=container.interior.min[2] - 0.04, handle_z=0.92)


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


_FRIDGES_PLINTH = 0.07


def build_fridge(builder: FurnitureBuilder) -> None:
    """Add a fridge."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, "white")
    add_door(builder, container, bottom=_FRIDGES_PLINTH + 0.01, handle_z=0.95)
    _add_details(builder)


def _add_details(builder: FurnitureBuilder) -> None:
    """A dark plinth, and a dark seal that shows around the shut door."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    front = container_of(builder.fixture).interior.max[0]
    builder.panel((front, -w + 0.02, 0.0), (d - 0.03, w - 0.02, _FRIDGES_PLINTH), "graphite")
    for y0, y1 in ((-w, -w + 0.012), (w - 0.012, w)):
        builder.panel((front, y0, _FRIDGES_PLINTH + 0.02), (front + 0.002, y1, h - 0.005), "graphite")


_TABLES_TOP = 0.035
_LEG = 0.06


def build_table(builder: FurnitureBuilder) -> None:
    """Add a table; its top is the fixture's whole footprint."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    builder.panel((-d, -w, h - _TABLES_TOP), (d, w, h), builder.style.main)
    for x in (-d + 0.03, d - 0.03 - _LEG):
        for y in (-w + 0.03, w - 0.03 - _LEG):
            builder.panel((x, y, 0), (x + _LEG, y + _LEG, h - _TABLES_TOP), builder.style.accent)
    for x in (-d + 0.05, d - 0.07):
        builder.panel(
            (x, -w + 0.09, h - _TABLES_TOP - 0.07),
            (x + 0.02, w - 0.09, h - _TABLES_TOP),
            builder.style.accent,
        )


_CHAIRS_LEG = 0.035
_SEAT = 0.035


def build_chair(builder: FurnitureBuilder) -> None:
    """Add a chair whose seat is the map's surface height, its backrest of two rails."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    seat, main = builder.fixture.surface("seat").z, builder.style.main
    builder.panel((-d, -w, seat - _SEAT), (d, w, seat), builder.style.accent)
    for y in (-w, w - _CHAIRS_LEG):
        builder.panel((d - _CHAIRS_LEG, y, 0), (d, y + _CHAIRS_LEG, seat - _SEAT), main)
        builder.panel((-d, y, 0), (-d + _CHAIRS_LEG, y + _CHAIRS_LEG, seat - _SEAT), main)
        builder.panel((-d, y, seat), (-d + _CHAIRS_LEG, y + _CHAIRS_LEG, h), main)
    for z in (h - 0.1, h - 0.26):
        builder.panel((-d + 0.006, -w + _CHAIRS_LEG, z), (-d + 0.026, w - _CHAIRS_LEG, z + 0.09), main)
