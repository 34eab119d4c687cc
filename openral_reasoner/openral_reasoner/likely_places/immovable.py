"""Nouns of what a robot at home does not carry: furniture, people, animals, parts of the building."""

from openral_core.documents import Document, shipped_document
from openral_core.spatial_memory import SceneNode


class _ImmovableNouns(Document):
    """Nouns, separated by spaces."""

    immovable: str


_DOCUMENT = shipped_document(_ImmovableNouns, __package__, "immovable.yaml")
IMMOVABLE_NOUNS = frozenset(_DOCUMENT.immovable.split())
LARGEST = 0.6
"""Longest side of an object that is carried [m]; a detector reports furniture as well."""


def may_be_carried(node: SceneNode) -> bool:
    """Return True if neither name nor size nor affordance of an object says that it is furniture."""
    named = node.label.lower().split()[-1] in IMMOVABLE_NOUNS
    return not (named or node.affordance) and max(node.size) <= LARGEST
