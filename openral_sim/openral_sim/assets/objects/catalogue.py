"""Catalogue of the kinds of objects, read from `types.yaml`, and of the shapes that build them."""

from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator

from openral_core.documents import parse_document, read_yaml
from openral_core.errors import format_choices
from openral_sim.assets.objects.builder import ObjectBuilder, ObjectKind
from openral_sim.assets.objects.misc import (
    build_apple,
    build_ball,
    build_banana,
    build_book,
    build_box,
    build_can,
    build_carton,
    build_clock,
    build_flashlight,
    build_lemon,
    build_loaf,
    build_pear,
    build_plain_box,
    build_remote,
    build_roll,
    build_slate,
    build_teddy_bear,
    build_toy_car,
)
from openral_sim.assets.objects.tableware import (
    BOTTLE,
    CANDLE,
    FLASK,
    JAR,
    SHAKER,
    SQUEEZE,
    TIN,
    build_bowl,
    build_kettle,
    build_mug,
    build_plate,
    build_pot,
    build_tumbler,
    build_vase,
    build_wine_bottle,
    build_wine_glass,
    vessel,
)

SHAPES: Mapping[str, Callable[[ObjectBuilder], None]] = MappingProxyType(
    {
        "apple": build_apple,
        "ball": build_ball,
        "banana": build_banana,
        "book": build_book,
        "bottle": vessel(BOTTLE),
        "bowl": build_bowl,
        "box": build_box,
        "can": build_can,
        "candle": vessel(CANDLE),
        "carton": build_carton,
        "clock": build_clock,
        "flashlight": build_flashlight,
        "flask": vessel(FLASK),
        "jar": vessel(JAR),
        "kettle": build_kettle,
        "lemon": build_lemon,
        "loaf": build_loaf,
        "mug": build_mug,
        "pear": build_pear,
        "plain_box": build_plain_box,
        "plate": build_plate,
        "pot": build_pot,
        "remote": build_remote,
        "roll": build_roll,
        "shaker": vessel(SHAKER),
        "slate": build_slate,
        "squeeze": vessel(SQUEEZE),
        "teddy_bear": build_teddy_bear,
        "tin": vessel(TIN),
        "toy_car": build_toy_car,
        "tumbler": build_tumbler,
        "vase": build_vase,
        "wine_bottle": build_wine_bottle,
        "wine_glass": build_wine_glass,
    }
)
"""Every shape by name: a function that adds its visual and collision geoms to a builder's body."""


def _load(name: str) -> Mapping[str, ObjectKind]:
    with as_file(files(__package__) / name) as path:
        content = read_yaml(path)
    kinds = {
        key: parse_document(ObjectKind, entry if isinstance(entry, dict) else {}, f"{name}: {key}")
        for key, entry in content.items()
    }
    return MappingProxyType(kinds)


KINDS = _load("types.yaml")
"""Every kind of object by name."""


def _validated(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"unknown kind '{name}'; valid kinds: {format_choices(KINDS)}")
    return name


ObjectKindName = Annotated[str, AfterValidator(_validated)]
"""Key of `KINDS`."""


def build_object(builder: ObjectBuilder) -> None:
    """Add every part of the builder's kind to its body, and spread its mass over the collision geoms."""
    SHAPES[builder.kind.shape](builder)
    builder.set_mass(builder.kind.mass)
