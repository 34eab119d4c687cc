"""An open bookshelf."""

from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.containers import container_of
from openral_sim.furniture.shells import add_shell, add_shelves


def build_shelf(builder: FurnitureBuilder) -> None:
    """Add a bookshelf without doors."""
    container = container_of(builder.fixture)
    add_shell(builder, container, builder.style.main)
    add_shelves(builder, container, builder.style.accent)
