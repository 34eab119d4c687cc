"""What each kind of room is like."""
# MERGED The data files beside this module.

from functools import cache
from importlib.resources import as_file, files

from openral_core.documents import AnyDocument, Document, parse_document, read_yaml
from openral_sim.assets.materials import LookName


def load_entries(name: str, model: type[AnyDocument]) -> dict[str, AnyDocument]:
    """Every entry of a data file, by its key.

    Raises:
        InvalidDocument: If an entry is wrong.
    """
    with as_file(files(__package__) / name) as path:
        content = read_yaml(path)
    return {
        key: parse_document(model, entry if isinstance(entry, dict) else {}, f"{name}: {key}")
        for key, entry in content.items()
    }


Span = tuple[float, float]


class RoomType(Document):
    """A kind of room.

    Attributes:
        width: Least and most extent along x in [m].
        depth: Least and most extent along y in [m].
        needs: Pieces it must have, the hardest to place first.
        may: Pieces it has where there is room.
        rug: The piece a rug lies before.
    """

    name: str
    aliases: tuple[str, ...] = ()
    width: Span
    depth: Span
    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    floors: tuple[LookName, ...]
    walls: tuple[LookName, ...]
    rug: str | None = None


@cache
def room_types() -> dict[str, RoomType]:
    """Every kind of room by name."""
    return load_entries("programmes.yaml", RoomType)
