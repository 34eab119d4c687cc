"""Edges of the scene graph."""

from dataclasses import dataclass
from enum import StrEnum


class Relation(StrEnum):
    """Read ``source relation target``: mug on table, fridge contains milk."""

    ON = "on"
    IN = "in"
    AT_PLACE = "at_place"
    IN_ROOM = "in_room"
    NEAR = "near"
    CONTAINS = "contains"
    TRAVERSABLE_TO = "traversable_to"
    PART_OF = "part_of"


@dataclass(frozen=True, slots=True)
class SceneEdge:
    """A directed relation; ``weight`` [m] for traversable_to and near, else 0."""

    source: str
    relation: Relation
    target: str
    weight: float = 0.0
