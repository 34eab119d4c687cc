"""Catalogue of the kinds of furniture, and the functions that build them.

In every builder ``d``, ``w``, ``h`` are half the depth, half the width and the height of the fixture [m]. A
chest of drawers is a `dresser`, the body, and one `drawer` fixture for each drawer, which opens by itself.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import cos, pi, sin

from openral_core.errors import OpenRALError, format_choices
from openral_sim.assets.furniture.appliances import add_lamp, add_screen
from openral_sim.assets.furniture.builder import FurnitureBuilder, add_handle, add_shell, add_shelves
from openral_sim.assets.furniture.doors import add_door, add_slide, container_of, sliding_door
from openral_sim.assets.materials import AppearanceName

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
    _add_cabinet_doors(builder, d - 0.05)


def _add_cabinet_doors(builder: FurnitureBuilder, x: float) -> None:
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


@dataclass(frozen=True)
class BedDimensions:
    """Dimensions of a bed [m]: thickness of the headboard, top of the frame, height of the legs."""

    headboard: float = 0.05
    frame_top: float = 0.3
    leg: float = 0.14


@dataclass(frozen=True)
class DrawerModel:
    """Dimensions [m] and masses [kg] of a drawer."""

    board: float = 0.012  # Thickness of the tray's bottom, sides and back [m].
    front: float = 0.02  # Thickness of the front [m].
    # Distance by which the front covers the chest above and below the interior [m].
    front_overlap: float = 0.018
    side_fraction: float = 0.8  # Height of the sides as a fraction of the interior's height [-].
    handle_length: float = 0.11  # Length of the bar handle [m].
    bottom_mass: float = 3.0  # Mass of the bottom [kg].
    side_mass: float = 0.3  # Mass of each side and of the back [kg].
    front_mass: float = 1.0  # Mass of the front [kg].


@dataclass(frozen=True)
class DresserDimensions:
    """Dimensions of the body of a chest of drawers."""

    side: float = 0.02  # Thickness of the sides [m].
    top: float = 0.025  # Thickness of the top [m].
    leg: float = 0.05  # Width of the square legs [m].
    leg_fraction: float = 0.5  # Height of the legs as a fraction of the height [-].


@dataclass(frozen=True)
class SlidingDoorModel:
    """Dimensions [m] and mass [kg] of a wardrobe's two doors, one of which slides in front of the other."""

    panel: float = 0.018  # Thickness of a door [m].
    gap: float = 0.004  # Gap behind each door [m].
    overlap: float = 0.04  # Width by which the closed doors overlap [m].
    handle_length: float = 0.3  # Length of the bar handle [m].
    handle_z: float = 0.95  # Height of the handle's middle [m].
    handle_inset: float = 0.09  # Distance of the handle from the door's edge [m].
    mass: float = 6.0  # Mass of the sliding door [kg].


BED = BedDimensions()
DRAWER = DrawerModel()
DRESSER = DresserDimensions()
SLIDING_DOOR = SlidingDoorModel()
PLANT_POT = 0.3
"""Height of a plant's pot [m]."""
LEAVES = 9
"""Number of leaves of a plant."""
LEAF_ANGLE = 2.4
"""Angle from one leaf to the next [rad]: the golden angle, as plants arrange their leaves."""
SOFA_ARM = 0.16
"""Width of a sofa's armrests [m]."""
SOFA_BACK = 0.22
"""Depth of a sofa's backrest [m]."""


def build_bed(builder: FurnitureBuilder) -> None:
    """Add a bed with its head at the back, and its blanket at the height of the map's surface."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    blanket = builder.fixture.surface("blanket").z
    builder.panel((-d, -w, 0.1), (-d + BED.headboard, w, h), builder.style.main)
    builder.panel((-d + BED.headboard, -w, BED.leg), (d, w, BED.frame_top), builder.style.main)
    for x in (-d + BED.headboard, d - 0.07):
        for y in (-w + 0.03, w - 0.09):
            builder.panel((x, y, 0), (x + 0.06, y + 0.06, BED.leg), builder.style.main)
    builder.panel(
        (-d + BED.headboard, -w + 0.02, BED.frame_top), (d - 0.02, w - 0.02, blanket - 0.02), "linen"
    )
    builder.panel((-d + 0.6, -w - 0.005, blanket - 0.12), (d + 0.0, w + 0.005, blanket), builder.style.accent)
    for y in (-w / 2, w / 2):
        builder.ball((0.2, 0.42 * w, 0.08), (-d + 0.33, y, blanket + 0.03), "linen")


def build_drawer(builder: FurnitureBuilder) -> None:
    """Add a sliding tray around the container's interior, with a front as wide as the chest."""
    container, d = container_of(builder.fixture), builder.fixture.depth / 2
    (x0, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    body = add_slide(builder, "tray", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), container.drawer_travel)
    inner: AppearanceName = "birch"
    board = DRAWER.board
    builder.panel(
        (x0 - board, y0 - board, z0 - board),
        (x1, y1 + board, z0),
        inner,
        body,
    ).mass = DRAWER.bottom_mass
    side = z0 + DRAWER.side_fraction * (z1 - z0)
    builder.panel((x0 - board, y0 - board, z0), (x0, y1 + board, side), inner, body).mass = DRAWER.side_mass
    for low, high in ((y0 - board, y0), (y1, y1 + board)):
        builder.panel((x0, low, z0), (x1, high, side), inner, body).mass = DRAWER.side_mass
    edge = builder.fixture.width / 2 - 0.002
    over = DRAWER.front_overlap
    front = ((d - DRAWER.front, -edge, z0 - board - over), (d, edge, z1 + over))
    builder.panel(*front, builder.style.main, body).mass = DRAWER.front_mass
    handle = add_handle(builder, body, (d, 0.0, (z0 + z1) / 2), DRAWER.handle_length)
    builder.doors.append(sliding_door(body, container.drawer_travel, handle))


def build_dresser(builder: FurnitureBuilder) -> None:
    """Add the body of a chest of drawers on legs, open at its front."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    main, back, front, low = builder.style.main, -d + 0.012, d - 0.022, DRESSER.leg_fraction * h
    side, top, leg = DRESSER.side, DRESSER.top, DRESSER.leg
    builder.panel((-d, -w, h - top), (d, w, h), main)
    builder.panel((-d, -w, low), (back, w, h - top), main)
    for y0, y1 in ((-w, -w + side), (w - side, w)):
        builder.panel((back, y0, low), (front, y1, h - top), main)
    builder.panel((back, -w + side, low), (front, w - side, low + 0.015), main)
    for x in (-d, front - leg):
        for y in (-w, w - leg):
            builder.panel((x, y, 0), (x + leg, y + leg, low), builder.style.accent)
    builder.panel((-d + leg, -w + 0.01, 0.16), (front - leg, w - 0.01, 0.18), main)


def build_lamp(builder: FurnitureBuilder) -> None:
    """Add a floor lamp whose shade is as wide as the footprint."""
    radius, h = builder.fixture.width / 2, builder.fixture.height
    builder.post(radius * 0.75, (0, 0, 0), (0, 0, 0.025), builder.style.accent)
    builder.post(0.012, (0, 0, 0.025), (0, 0, h - 0.3), builder.style.accent)
    shade = builder.post(radius, (0, 0, h - 0.3), (0, 0, h), builder.style.main)
    for appliance in builder.fixture.appliances:
        add_lamp(builder, appliance, shade)


def build_plant(builder: FurnitureBuilder) -> None:
    """Add a potted plant whose leaves fill the footprint."""
    radius, h = builder.fixture.width / 2, builder.fixture.height
    builder.post(0.16, (0, 0, 0), (0, 0, PLANT_POT), builder.style.accent)
    builder.post(0.018, (0, 0, PLANT_POT), (0, 0, h - 0.2), "walnut")
    for leaf in range(LEAVES):
        angle, z = LEAF_ANGLE * leaf, PLANT_POT + 0.2 + (h - PLANT_POT - 0.3) * leaf / (LEAVES - 1)
        out = radius * 0.45
        geom = builder.ball(
            (radius * 0.55, 0.08, 0.02), (out * cos(angle), out * sin(angle), z), builder.style.main
        )
        tilt = -0.45
        geom.alt.euler = (0.0, tilt, angle % (2 * pi))


def build_shelf(builder: FurnitureBuilder) -> None:
    """Add an open bookshelf."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.accent)


def build_sideboard(builder: FurnitureBuilder) -> None:
    """Add a low sideboard whose doors do not open, with a television at its back."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    builder.panel((-d, -w, h - 0.03), (d, w, h), builder.style.main)
    builder.panel((-d, -w + 0.01, 0.14), (d - 0.03, w - 0.01, h - 0.03), builder.style.main)
    for x in (-d + 0.05, d - 0.07):
        for y in (-w + 0.08, w - 0.08):
            builder.post(0.018, (x, y, 0), (x, y, 0.14), "graphite")
    _add_fronts(builder, d - 0.03)
    builder.panel((-d + 0.03, -0.09, h), (-d + 0.09, 0.09, h + 0.03), "graphite")
    builder.panel((-d + 0.04, -0.45, h + 0.03), (-d + 0.07, 0.45, h + 0.55), "screen")
    for appliance in builder.fixture.appliances:
        add_screen(builder, appliance)


def _add_fronts(builder: FurnitureBuilder, x: float) -> None:
    w, h = builder.fixture.width / 2 - 0.01, builder.fixture.height - 0.03
    pitch = 2 * w / 3
    for unit in range(3):
        y0 = -w + unit * pitch
        builder.panel((x, y0 + 0.006, 0.15), (x + 0.016, y0 + pitch - 0.006, h - 0.01), builder.style.accent)
        builder.panel((x + 0.016, y0 + 0.02, h - 0.1), (x + 0.03, y0 + 0.16, h - 0.088), "graphite")


def build_sofa(builder: FurnitureBuilder) -> None:
    """Add a sofa with cushions, its seat at the height of the map's surface."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    seat, main = builder.fixture.surface("seat").z, builder.style.main
    builder.panel((-d, -w, 0.1), (d, w, seat - 0.14), main)
    builder.panel((-d, -w, seat - 0.14), (-d + SOFA_BACK, w, h), main)
    for y0, y1 in ((-w, -w + SOFA_ARM), (w - SOFA_ARM, w)):
        builder.panel((-d + SOFA_BACK, y0, seat - 0.14), (d, y1, seat + 0.17), main)
    for y0, y1 in ((-w + SOFA_ARM + 0.004, -0.004), (0.004, w - SOFA_ARM - 0.004)):
        builder.panel((-d + SOFA_BACK, y0, seat - 0.14), (d + 0.0, y1, seat), main)
        builder.panel((-d + SOFA_BACK, y0 + 0.01, seat), (-d + SOFA_BACK + 0.12, y1 - 0.01, h - 0.04), main)
    for x in (-d + 0.06, d - 0.06):
        for y in (-w + 0.06, w - 0.06):
            builder.post(0.025, (x, y, 0), (x, y, 0.1), "walnut")
    builder.ball(
        (0.09, 0.22, 0.19), (-d + SOFA_BACK + 0.19, w - SOFA_ARM - 0.26, seat + 0.17), builder.style.accent
    )


def build_wardrobe(builder: FurnitureBuilder) -> None:
    """Add a wardrobe; its outer door slides over the fixed inner one, to the hinge side of its style."""
    container, h = container_of(builder.fixture), builder.fixture.height
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.main)
    (_, y0, z0), (x1, y1, z1) = container.interior.min, container.interior.max
    side = 1.0 if builder.style.hinge == "right" else -1.0
    bottom, top, middle = z0 - 0.02, min(z1 + 0.02, h), (y0 + y1) / 2
    door = SLIDING_DOOR
    inner, outer = x1 + door.gap, x1 + 2 * door.gap + door.panel
    fixed = sorted((middle - side * door.overlap / 2, y1 if side > 0 else y0))
    builder.panel((inner, fixed[0], bottom), (inner + door.panel, fixed[1], top), builder.style.accent)
    reach = sorted((middle + side * door.overlap / 2, y0 if side > 0 else y1))
    travel = reach[1] - reach[0] - door.overlap
    body = add_slide(builder, "door", (outer, 0.0, 0.0), (0.0, side, 0.0), travel)
    builder.panel(
        (0.0, reach[0], bottom), (door.panel, reach[1], top), builder.style.main, body
    ).mass = door.mass
    edge = reach[0] + door.handle_inset if side > 0 else reach[1] - door.handle_inset
    handle = add_handle(builder, body, (door.panel, edge, door.handle_z), door.handle_length)
    builder.doors.append(sliding_door(body, travel, handle))


FURNITURE_KINDS: dict[str, Callable[[FurnitureBuilder], None]] = {
    "bed": build_bed,
    "cabinet": build_cabinet,
    "chair": build_chair,
    "counter": build_counter,
    "drawer": build_drawer,
    "dresser": build_dresser,
    "fridge": build_fridge,
    "lamp": build_lamp,
    "plant": build_plant,
    "shelf": build_shelf,
    "sideboard": build_sideboard,
    "sofa": build_sofa,
    "table": build_table,
    "wardrobe": build_wardrobe,
}
"""Every kind of furniture by name: the function that adds its parts."""


class UnknownFurnitureKind(OpenRALError):
    """A fixture of the map has a kind that is not in the catalogue."""

    def __init__(self, fixture: str, kind: str, valid: Iterable[str]) -> None:
        super().__init__(
            f"fixture '{fixture}' has unknown kind '{kind}'; valid kinds: {format_choices(valid)}"
        )


def build_fixture(builder: FurnitureBuilder) -> None:
    """Add every part of the builder's fixture to its body.

    Raises:
        UnknownFurnitureKind: If its kind is not in the catalogue.
        NotAContainer: If the kind is hollow and the fixture has no container.
    """
    fixture = builder.fixture
    if fixture.kind not in FURNITURE_KINDS:
        raise UnknownFurnitureKind(fixture.id, fixture.kind, FURNITURE_KINDS)
    FURNITURE_KINDS[fixture.kind](builder)
