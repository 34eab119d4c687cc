"""How a stored label stands to the words asked for."""

from enum import StrEnum


class Relation(StrEnum):
    """Only EQUAL and NARROWER are hits; BROADER says where to look, never what is there."""

    EQUAL = "equal"
    NARROWER = "narrower"
    BROADER = "broader"
    RELATED = "related"
    NONE = "none"

    @property
    def is_hit(self) -> bool:
        """Whether everything the label can mean is what was asked for."""
        return self in (Relation.EQUAL, Relation.NARROWER)


_WEAKEST_FIRST = (Relation.NONE, Relation.RELATED, Relation.BROADER, Relation.NARROWER, Relation.EQUAL)


def weaker(first: Relation, second: Relation) -> Relation:
    """What remains when both must hold: a narrower kind of a broader thing is only a broader match."""
    return min(first, second, key=_WEAKEST_FIRST.index)
