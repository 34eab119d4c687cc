"""Kinds of rooms, read from `room_types.yaml`."""

from functools import cache
from importlib.resources import as_file, files

from openral_core.documents import AnyDocument, Document, parse_document, read_yaml
from openral_sim.assets.materials import AppearanceName

Span = tuple[float, float]
"""Lower and upper bound."""


def load_entries(name: str, model: type[AnyDocument]) -> dict[str, AnyDocument]:
    """Load every entry of a data file of this package, by its key.

    Raises:
        InvalidDocument: If an entry is invalid.
    """
    with as_file(files(__package__) / name) as path:
        content = read_yaml(path)
    return {
        key: parse_document(model, entry if isinstance(entry, dict) else {}, f"{name}: {key}")
        for key, entry in content.items()
    }


class RoomType(Document):
    """A kind of room."""

    name: str
    aliases: tuple[str, ...] = ()
    width: Span  # Bounds of its extent along x [m].
    depth: Span  # Bounds of its extent along y [m].
    needs: tuple[str, ...]  # Required pieces of furniture, the hardest to place first.
    may: tuple[str, ...] = ()  # Optional pieces of furniture, placed where they fit.
    floors: tuple[AppearanceName, ...]  # Appearances to choose its floor from.
    walls: tuple[AppearanceName, ...]  # Appearances to choose its walls from.
    rug: str | None = None  # Piece with a rug in front of it.


@cache
def room_types() -> dict[str, RoomType]:
    """Return every kind of room by name."""
    return load_entries("room_types.yaml", RoomType)
