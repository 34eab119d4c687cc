"""A book lying flat."""

from openral_sim.materials import use_colour
from openral_sim.meshes import printed_box
from openral_sim.objects.builder import ObjectBuilder

_COVER = 0.004


def build_book(builder: ObjectBuilder) -> None:
    """Add a book, its spine along y."""
    width, length, height = builder.size
    cover = builder.paint()
    paper = use_colour(builder.spec, "paper", (0.96, 0.94, 0.88, 1.0), 0.05)
    board = printed_box((width, length, _COVER))
    for part, z in (("front", height / 2 - _COVER / 2), ("back", _COVER / 2 - height / 2)):
        builder.visual(part, board, cover, (0, 0, z))
    pages = (width - 0.008, length - 0.008, height - 2 * _COVER)
    builder.visual("pages", printed_box(pages), paper)
    builder.visual("spine", printed_box((_COVER, length, height)), cover, (_COVER / 2 - width / 2, 0, 0))
    builder.box((width / 2, length / 2, height / 2))
