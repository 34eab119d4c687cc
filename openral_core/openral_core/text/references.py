"""Referring expressions: objects that a phrase tells from others of their kind by rank or by relation."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from openral_core.errors import OpenRALError, format_choices
from openral_core.text.noun_phrases import Phrase
from openral_core.text.thesaurus import Thesaurus


class SpatialRelation(StrEnum):
    """Relation of an object to an anchor, as the camera sees both; values name it in messages."""

    NEXT_TO = "next to"
    CLOSEST_TO = "closest to"
    LEFT_OF = "left of"
    RIGHT_OF = "right of"
    BEHIND = "behind"
    IN_FRONT_OF = "in front of"
    ON = "on"
    IN = "in"
    UNDER = "under"
    ABOVE = "above"


class Rank(StrEnum):
    """Place of an object in an order of all objects of its kind in view."""

    LARGEST = "largest"
    SMALLEST = "smallest"
    LEFTMOST = "leftmost"
    RIGHTMOST = "rightmost"
    NEAREST = "nearest"
    FARTHEST = "farthest"


_RANKS: Mapping[str, Rank] = MappingProxyType(
    {
        **dict.fromkeys(("largest", "biggest", "greatest", "large"), Rank.LARGEST),
        **dict.fromkeys(("smallest", "littlest", "tiniest", "small"), Rank.SMALLEST),
        **dict.fromkeys(("left", "leftmost", "lefthand"), Rank.LEFTMOST),
        **dict.fromkeys(("right", "rightmost", "righthand"), Rank.RIGHTMOST),
        **dict.fromkeys(("nearest", "closest", "nearer", "closer"), Rank.NEAREST),
        **dict.fromkeys(("farthest", "furthest", "farther", "further"), Rank.FARTHEST),
    }
)
_RELATIONS: Mapping[str, SpatialRelation] = MappingProxyType(
    {
        **dict.fromkeys(
            ("next to", "right next to", "close to", "beside", "right beside", "by", "near", "near to"),
            SpatialRelation.NEXT_TO,
        ),
        **dict.fromkeys(("closest to", "nearest to"), SpatialRelation.CLOSEST_TO),
        **{
            f"{how}left {side}of": SpatialRelation.LEFT_OF
            for how in ("", "to ", "on ")
            for side in ("", "side ")
        },
        **{
            f"{how}right {side}of": SpatialRelation.RIGHT_OF
            for how in ("", "to ", "on ")
            for side in ("", "side ")
        },
        "behind": SpatialRelation.BEHIND,
        "in front of": SpatialRelation.IN_FRONT_OF,
        **dict.fromkeys(("on", "on top of", "onto"), SpatialRelation.ON),
        **dict.fromkeys(("in", "inside", "inside of", "into"), SpatialRelation.IN),
        **dict.fromkeys(("under", "underneath", "beneath", "below"), SpatialRelation.UNDER),
        "above": SpatialRelation.ABOVE,
    }
)
_SIDES: Mapping[str, Rank] = MappingProxyType(
    {
        **{f"{how} left{side}": Rank.LEFTMOST for how in ("on", "to", "at") for side in ("", " side")},
        **{f"{how} right{side}": Rank.RIGHTMOST for how in ("on", "to", "at") for side in ("", " side")},
        **{
            f"{how} to {whom}": Rank.NEAREST
            for how in ("closest", "nearest")
            for whom in ("me", "you", "robot", "camera")
        },
    }
)
_COPULAS = ("which", "who", "where", "is", "are", "standing", "lying", "sitting")


class UnsupportedReference(OpenRALError):
    """A phrase that tells objects apart in a way that boxes cannot show."""

    def __init__(self, text: str, part: str) -> None:
        super().__init__(
            f"{part!r} of {text!r} cannot be judged: known are {format_choices(SpatialRelation)} one "
            f"object, and one of {format_choices(Rank)}"
        )


@dataclass(frozen=True, slots=True)
class ReferringExpression:
    """A phrase in parts; ``anchor`` is "" without a relation.

    "the largest mug next to the red bowl" has the target "mug" and the anchor "red bowl".
    """

    target: str
    rank: Rank | None = None
    relation: SpatialRelation | None = None
    anchor: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The phrases that must be found in the image."""
        return (self.target, self.anchor) if self.anchor else (self.target,)


def parse_reference(text: str, thesaurus: Thesaurus) -> ReferringExpression:
    """Separate rank, relation and anchor of a phrase from its target.

    Raises:
        UnreadableText: If the text names nothing.
        UnsupportedReference: If it has another location, two ranks, or an anchor with a location of its own.
    """
    phrase = thesaurus.parse(text)
    own = Phrase(phrase.head, phrase.modifiers, phrase.of)
    bare, sizes = thesaurus.split(own.text, "size")
    bare_phrase = thesaurus.parse(bare)
    words = [word for word in bare_phrase.modifiers if word in _RANKS]
    modifiers = tuple(word for word in bare_phrase.modifiers if word not in _RANKS)
    target = Phrase(bare_phrase.head, modifiers, bare_phrase.of).text
    side, relation, anchor = _location(phrase.where, text)
    ranks = [_RANKS[word] for word in (*words, *sizes) if word in _RANKS] + ([side] if side else [])
    if len(ranks) > 1 or len(words) + len(sizes) + bool(side) > len(ranks):
        raise UnsupportedReference(text, " ".join((*words, *sizes, phrase.where)).strip())
    if anchor and (thesaurus.parse(anchor).where or " and " in text):
        raise UnsupportedReference(text, phrase.where)
    return ReferringExpression(target, ranks[0] if ranks else None, relation, anchor)


def _location(where: str, text: str) -> tuple[Rank | None, SpatialRelation | None, str]:
    """Split a location into a side of the image, or a relation and its anchor."""
    words = where.split()
    while words and words[0] in _COPULAS:
        words = words[1:]
    if not words:
        return None, None, ""
    if " ".join(words) in _SIDES:
        return _SIDES[" ".join(words)], None, ""
    for count in range(len(words) - 1, 0, -1):
        if relation := _RELATIONS.get(" ".join(words[:count])):
            return None, relation, " ".join(words[count:])
    raise UnsupportedReference(text, where)
