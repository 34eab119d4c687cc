"""What each kind of room is like."""

from functools import cache

from openral_core.documents import Document
from openral_sim.homes.data import load_entries
from openral_sim.materials import LookName

Span = tuple[float, float]


class Programme(Document):
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
def programmes() -> dict[str, Programme]:
    """Every kind of room by name."""
    return load_entries("programmes.yaml", Programme)
