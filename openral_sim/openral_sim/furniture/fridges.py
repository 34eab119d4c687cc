"""A fridge: white shell, one tall door, three shelves."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.containers import container_of
from openral_sim.furniture.door_building import add_door
from openral_sim.furniture.shells import add_shell, add_shelves

_PLINTH = 0.07


def build_fridge(builder: FurnitureBuilder) -> None:
    """Add a fridge."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, "white")
    add_door(builder, container, bottom=_PLINTH + 0.01, handle_z=0.95)
    _add_details(builder)


def _add_details(builder: FurnitureBuilder) -> None:
    """A dark plinth, and a dark seal that shows around the shut door."""
    d, w, h = builder.fixture.depth / 2, builder.fixture.width / 2, builder.fixture.height
    front = container_of(builder.fixture).interior.max[0]
    builder.panel((front, -w + 0.02, 0.0), (d - 0.03, w - 0.02, _PLINTH), "graphite")
    for y0, y1 in ((-w, -w + 0.012), (w - 0.012, w)):
        builder.panel((front, y0, _PLINTH + 0.02), (front + 0.002, y1, h - 0.005), "graphite")
