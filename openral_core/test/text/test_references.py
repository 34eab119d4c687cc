import pytest

from openral_core.text import (
    Rank,
    ReferringExpression,
    SpatialRelation,
    Thesaurus,
    UnsupportedReference,
    parse_reference,
)

THESAURUS = Thesaurus.load()


@pytest.mark.parametrize(
    ("text", "rank", "relation", "parts"),
    [
        ("mug", None, None, ("mug",)),
        ("the mug next to the red bowl", None, SpatialRelation.NEXT_TO, ("mug", "red bowl")),
        ("mug left of the bowl", None, SpatialRelation.LEFT_OF, ("mug", "bowl")),
        ("the mug to the left of the bowl", None, SpatialRelation.LEFT_OF, ("mug", "bowl")),
        ("remote on the right side of the sofa", None, SpatialRelation.RIGHT_OF, ("remote", "sofa")),
        ("cup in front of the tv", None, SpatialRelation.IN_FRONT_OF, ("cup", "tv")),
        ("the mug that is standing on the table", None, SpatialRelation.ON, ("mug", "table")),
        ("glass of wine on top of the counter", None, SpatialRelation.ON, ("glass of wine", "counter")),
        ("the cup beneath the table", None, SpatialRelation.UNDER, ("cup", "table")),
        ("mug closest to the bowl", None, SpatialRelation.CLOSEST_TO, ("mug", "bowl")),
        ("the biggest blue mug", Rank.LARGEST, None, ("blue mug",)),
        ("small box", Rank.SMALLEST, None, ("box",)),
        ("the mug on the left", Rank.LEFTMOST, None, ("mug",)),
        ("right mug", Rank.RIGHTMOST, None, ("mug",)),
        ("bottle closest to me", Rank.NEAREST, None, ("bottle",)),
        ("the left mug on the table", Rank.LEFTMOST, SpatialRelation.ON, ("mug", "table")),
    ],
)
def test_a_phrase_is_taken_apart(
    text: str, rank: Rank | None, relation: SpatialRelation | None, parts: tuple[str, ...]
) -> None:
    found = parse_reference(text, THESAURUS)
    assert found == ReferringExpression(parts[0], rank, relation, (*parts, "")[1])
    assert found.parts == parts


@pytest.mark.parametrize(
    "text",
    [
        "mug between the bowl and the plate",
        "mug with a handle",
        "mug on the table next to the bowl",
        "book near the lamp and the vase",
        "biggest left mug",
        "medium mug",
    ],
)
def test_what_boxes_cannot_show_is_refused_with_what_they_can(text: str) -> None:
    with pytest.raises(UnsupportedReference, match="cannot be judged: known are 'next to'"):
        parse_reference(text, THESAURUS)
