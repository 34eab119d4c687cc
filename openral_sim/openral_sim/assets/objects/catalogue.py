"""Catalogue of the kinds of objects, read from `types.yaml`, and of the shapes that build them."""

from collections.abc import Callable, Mapping
from importlib.resources import as_file, files
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator

from openral_core.documents import parse_document, read_yaml
from openral_core.errors import format_choices
from openral_sim.assets.objects import misc, tableware
from openral_sim.assets.objects.builder import ObjectBuilder, ObjectKind

SHAPES: Mapping[str, Callable[[ObjectBuilder], None]] = MappingProxyType(
    {
        "apple": misc.build_apple,
        "ball": misc.build_ball,
        "banana": misc.build_banana,
        "book": misc.build_book,
        "bottle": tableware.vessel(tableware.BOTTLE),
        "bowl": tableware.build_bowl,
        "box": misc.build_box,
        "can": misc.build_can,
        "candle": tableware.vessel(tableware.CANDLE),
        "carton": misc.build_carton,
        "clock": misc.build_clock,
        "flashlight": misc.build_flashlight,
        "flask": tableware.vessel(tableware.FLASK),
        "jar": tableware.vessel(tableware.JAR),
        "kettle": tableware.build_kettle,
        "lemon": misc.build_lemon,
        "loaf": misc.build_loaf,
        "mug": tableware.build_mug,
        "pear": misc.build_pear,
        "plain_box": misc.build_plain_box,
        "plate": tableware.build_plate,
        "pot": tableware.build_pot,
        "remote": misc.build_remote,
        "roll": misc.build_roll,
        "shaker": tableware.vessel(tableware.SHAKER),
        "slate": misc.build_slate,
        "squeeze": tableware.vessel(tableware.SQUEEZE),
        "teddy_bear": misc.build_teddy_bear,
        "tin": tableware.vessel(tableware.TIN),
        "toy_car": misc.build_toy_car,
        "tumbler": tableware.build_tumbler,
        "vase": tableware.build_vase,
        "wine_bottle": tableware.build_wine_bottle,
        "wine_glass": tableware.build_wine_glass,
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
