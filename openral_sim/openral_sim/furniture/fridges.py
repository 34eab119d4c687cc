"""A fridge: white shell, one tall door, three shelves."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.containers import container_of
from openral_sim.furniture.door_building import add_door
from openral_sim.furniture.shells import add_shell, add_shelves


def build_fridge(builder: FurnitureBuilder) -> None:
    """Add a fridge."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, "white")
    add_door(builder, container, bottom=0.07, handle_z=0.95)
