"""Catalogue of the kinds of furniture."""

from collections.abc import Callable, Iterable

from openral_core.errors import OpenRALError, format_choices
from openral_sim.assets.furniture.builder import FurnitureBuilder
from openral_sim.assets.furniture.kitchen import (
    build_cabinet,
    build_chair,
    build_counter,
    build_fridge,
    build_table,
)
from openral_sim.assets.furniture.living import (
    build_bed,
    build_drawer,
    build_dresser,
    build_lamp,
    build_plant,
    build_shelf,
    build_sideboard,
    build_sofa,
    build_wardrobe,
)

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
