"""Every kind of furniture by name."""

from collections.abc import Callable, Iterable

from openral_core.errors import OpenRALError
from openral_sim.furniture.beds import build_bed
from openral_sim.furniture.builder import FurnitureBuilder
from openral_sim.furniture.cabinets import build_cabinet
from openral_sim.furniture.chairs import build_chair
from openral_sim.furniture.counters import build_counter
from openral_sim.furniture.drawers import build_drawer
from openral_sim.furniture.dressers import build_dresser
from openral_sim.furniture.fridges import build_fridge
from openral_sim.furniture.lamps import build_lamp
from openral_sim.furniture.plants import build_plant
from openral_sim.furniture.shelves import build_shelf
from openral_sim.furniture.sideboards import build_sideboard
from openral_sim.furniture.sofas import build_sofa
from openral_sim.furniture.tables import build_table
from openral_sim.furniture.wardrobes import build_wardrobe

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


class UnknownFurnitureKind(OpenRALError):
    """The map has a fixture of a kind nobody can build."""

    def __init__(self, fixture: str, kind: str, valid: Iterable[str]) -> None:
        super().__init__(f"fixture '{fixture}' is of unknown kind '{kind}'; valid kinds: {', '.join(valid)}")


def build_fixture(builder: FurnitureBuilder) -> None:
    """Add every part of the builder's fixture to its body.

    Raises:
        UnknownFurnitureKind: If there is no such kind.
        NotAContainer: If the kind is hollow and the fixture has no container.
    """
    fixture = builder.fixture
    if fixture.kind not in FURNITURE_KINDS:
        raise UnknownFurnitureKind(fixture.id, fixture.kind, FURNITURE_KINDS)
    FURNITURE_KINDS[fixture.kind](builder)
