"""Nouns of what a robot at home does not carry: furniture, people, animals, parts of the building."""

from importlib import resources

from openral_core.documents import Document, parse_document
from openral_core.parsing import parse_yaml
from openral_core.spatial_memory import SceneNode

_FILE = "immovable.yaml"


class _ImmovableNouns(Document):
    """Nouns, separated by spaces."""

    immovable: str


def _load() -> frozenset[str]:
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    return frozenset(parse_document(_ImmovableNouns, parse_yaml(text), _FILE).immovable.split())


IMMOVABLE_NOUNS = _load()
LARGEST = 0.6
"""Longest side of an object that is carried [m]; a detector reports furniture as well."""


def may_be_carried(node: SceneNode) -> bool:
    """Return True if neither name nor size nor affordance of an object says that it is furniture."""
    named = node.label.lower().split()[-1] in IMMOVABLE_NOUNS
    return not (named or node.affordance) and max(node.size) <= LARGEST
