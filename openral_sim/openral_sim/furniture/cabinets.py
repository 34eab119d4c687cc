"""A cabinet: wooden shell, one door, shelves."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.containers import container_of
from openral_sim.furniture.door_building import add_door
from openral_sim.furniture.shells import add_shell, add_shelves


def build_cabinet(builder: FurnitureBuilder) -> None:
    """Add a cabinet whose door opens above a plinth."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.main)
    add_door(builder, container, bottom=container.interior.min[2] - 0.04, handle_z=0.92)
