"""Kinds of furniture that can be mapped, and how detectors call them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import PositiveFloat, TypeAdapter

from openral_core.documents import Document
from openral_core.home_map import Opens
from openral_core.parsing import parse_yaml


class FurnitureKind(Document):
    """A kind of furniture.

    Args:
        labels: Names that detectors give it, besides the kind's own.
        depth: Usual size from the front to the back [m].
        width: Usual size along the front [m].
        supports: True if objects can stand on it.
        opens: Mechanism of its container; None if it is none.
        part: True if it is part of another piece, as a drawer is of a dresser.
        long_front: True if its front is one of the longer sides, False if a shorter one, None if either.
    """

    labels: tuple[str, ...] = ()
    depth: PositiveFloat
    width: PositiveFloat
    supports: bool
    opens: Opens | None = None
    part: bool = False
    long_front: bool | None = None


@cache
def furniture_kinds() -> Mapping[str, FurnitureKind]:
    """Kinds by name, as shipped."""
    text = Path(__file__).with_name("furniture_kinds.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, FurnitureKind]).validate_python(parse_yaml(text))


@cache
def _kind_by_label() -> Mapping[str, str]:
    kinds = furniture_kinds()
    return {label: name for name, kind in kinds.items() for label in (name, *kind.labels)}


def kind_of(label: str) -> str:
    """Kind of furniture that a detector's label names, "" if it names none."""
    return _kind_by_label().get(label.strip().casefold(), "")


def is_part(*kinds: str) -> bool:
    """Tell if any of some kinds is part of another piece."""
    return any(furniture_kinds()[kind].part for kind in kinds)
