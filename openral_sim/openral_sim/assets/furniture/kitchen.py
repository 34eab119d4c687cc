"""Furniture of kitchens: cabinets, counters, fridges, tables and chairs.

In every builder ``d``, ``w``, ``h`` are half the depth, half the width and the height of the fixture [m].
"""

from openral_sim.assets.furniture.builder import FurnitureBuilder, add_shell, add_shelves
from openral_sim.assets.furniture.doors import add_door, container_of

WORKTOP = 0.04
"""Thickness of a counter's worktop [m]."""
COUNTER_PLINTH = 0.1
"""Height of a counter's plinth [m]."""
UNIT_WIDTH = 0.6
"""Width of a base unit [m], the standard of European kitchens; fronts are adjusted to fill the counter."""
FRIDGE_PLINTH = 0.07
"""Height of a fridge's plinth [m]."""
TABLE_TOP = 0.035
"""Thickness of a table's top [m]."""
TABLE_LEG = 0.06
"""Width of a table's square legs [m]."""
CHAIR_LEG = 0.035
"""Width of a chair's square legs and back posts [m]."""
SEAT = 0.035
"""Thickness of a chair's seat [m]."""


def build_cabinet(builder: FurnitureBuilder) -> None:
    """Add a wooden cabinet with shelves and one door above a plinth."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.main)
    add_door(builder, container, bottom=container.interior.min[2] - 0.04, handle_z=0.92)


def build_counter(builder: FurnitureBuilder) -> None:
    """Add a counter: worktop, splashback, and base units whose fronts do not open."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    main, accent = builder.style.main, builder.style.accent
    builder.panel((-d, -w, h - WORKTOP), (d, w, h), accent)
    builder.panel((-d, -w + 0.01, COUNTER_PLINTH), (d - 0.05, w - 0.01, h - WORKTOP), main)
    builder.panel((-d, -w + 0.01, 0), (d - 0.1, w - 0.01, COUNTER_PLINTH), "graphite")
    builder.panel((-d, -w, h), (-d + 0.01, w, h + 0.5), "wall_tiles")
    _add_fronts(builder, d - 0.05)


def _add_fronts(builder: FurnitureBuilder, x: float) -> None:
    """Add drawer and cupboard fronts, each with a rail handle."""
    w, h = builder.fixture.width / 2 - 0.01, builder.fixture.height - WORKTOP
    count = max(1, round(2 * w / UNIT_WIDTH))
    pitch = 2 * w / count
    for unit in range(count):
        y0, y1 = -w + unit * pitch + 0.004, -w + (unit + 1) * pitch - 0.004
        for z0, z1 in ((COUNTER_PLINTH + 0.005, h - 0.2), (h - 0.19, h - 0.01)):
            builder.panel((x, y0, z0), (x + 0.018, y1, z1), builder.style.main)
            rail = ((x + 0.018, y0 + 0.12, z1 - 0.045), (x + 0.032, y1 - 0.12, z1 - 0.033))
            builder.panel(*rail, "steel")


def build_fridge(builder: FurnitureBuilder) -> None:
    """Add a fridge with shelves and one tall door."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, "white")
    add_door(builder, container, bottom=FRIDGE_PLINTH + 0.01, handle_z=0.95)
    # A dark plinth, and a dark seal that shows around the closed door.
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    front = container.interior.max[0]
    builder.panel((front, -w + 0.02, 0.0), (d - 0.03, w - 0.02, FRIDGE_PLINTH), "graphite")
    for y0, y1 in ((-w, -w + 0.012), (w - 0.012, w)):
        builder.panel((front, y0, FRIDGE_PLINTH + 0.02), (front + 0.002, y1, h - 0.005), "graphite")


def build_table(builder: FurnitureBuilder) -> None:
    """Add a table on four legs; its top covers the fixture's footprint."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    builder.panel((-d, -w, h - TABLE_TOP), (d, w, h), builder.style.main)
    for x in (-d + 0.03, d - 0.03 - TABLE_LEG):
        for y in (-w + 0.03, w - 0.03 - TABLE_LEG):
            builder.panel((x, y, 0), (x + TABLE_LEG, y + TABLE_LEG, h - TABLE_TOP), builder.style.accent)
    for x in (-d + 0.05, d - 0.07):
        builder.panel(
            (x, -w + 0.09, h - TABLE_TOP - 0.07),
            (x + 0.02, w - 0.09, h - TABLE_TOP),
            builder.style.accent,
        )


def build_chair(builder: FurnitureBuilder) -> None:
    """Add a chair with its seat at the height of the map's surface and a backrest of two rails."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    seat, main = builder.fixture.surface("seat").z, builder.style.main
    builder.panel((-d, -w, seat - SEAT), (d, w, seat), builder.style.accent)
    for y in (-w, w - CHAIR_LEG):
        builder.panel((d - CHAIR_LEG, y, 0), (d, y + CHAIR_LEG, seat - SEAT), main)
        builder.panel((-d, y, 0), (-d + CHAIR_LEG, y + CHAIR_LEG, seat - SEAT), main)
        builder.panel((-d, y, seat), (-d + CHAIR_LEG, y + CHAIR_LEG, h), main)
    for z in (h - 0.1, h - 0.26):
        builder.panel((-d + 0.006, -w + CHAIR_LEG, z), (-d + 0.026, w - CHAIR_LEG, z + 0.09), main)
