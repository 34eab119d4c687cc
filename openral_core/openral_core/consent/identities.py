"""Identity of what a goal handles: every label that memory has for what is at its pose.

The word of the asker adds a name and replaces none: what forbids a baguette forbids it under any name. A
label that only an answer to a query gave is such a word too, because a detector with a free vocabulary finds
a mug in anything that it is asked about.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import hypot

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Presence, SceneGraph, SceneNode
from openral_core.text.folding import readings
from openral_core.text.noun_phrases import UnreadableText, label_words
from openral_core.text.thesaurus import Thesaurus

BESIDE, ABOVE = 0.10, 0.20
"""Horizontal and vertical distance from a remembered object at which a target still belongs to it [m]."""
NEAREST = 0.40
"""Distance up to which the nearest object is meant if the target belongs to none [m]: it may have moved."""
AT_PERSON = 1.5
"""Distance from a remembered person at which a target still belongs to them [m]: people move."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of an object or person: the ``name`` that the asker gave, and all names that memory has.

    Memory does not know it if ``labels`` is empty; ``is_hearsay`` if only answers to queries gave the labels
    of something there.
    """

    name: str = ""
    labels: frozenset[str] = frozenset()
    is_hearsay: bool = False

    def may_be(self, names: Iterable[str]) -> bool:
        """Return True unless it is certain that it has none of the names: what is unknown may be anything."""
        called = {label for label in (self.name, *self.labels) if label_words(label)}
        return not self.labels or not called or any(is_called(label, names) for label in called)

    def surely_is(self, names: Iterable[str]) -> bool:
        """Return True if every name that memory has for it is one of the names."""
        return (
            bool(self.labels)
            and not self.is_hearsay
            and all(is_called(label, names) for label in self.labels)
        )

    def is_known_as(self, names: Iterable[str]) -> bool:
        """Return True if memory calls it by one of the names."""
        return any(is_called(label, names) for label in self.labels)

    @property
    def shown(self) -> str:
        """Name to show to an operator: memory's too if the asker used another."""
        if self.is_hearsay:
            return f"object that a search called {' or '.join(sorted(self.labels)[:2])}"
        if not self.labels or self.name in self.labels:
            return self.name
        return " or ".join((*sorted(self.labels)[:2], *((self.name,) if self.name else ())))


def object_at(name: str, pose: Pose | None, graph: SceneGraph | None) -> Identity:
    """Return the identity of the object at a pose in map, by a graph of memory, None for no memory."""
    if pose is None or graph is None:
        return Identity(name)
    nodes = [node for node in graph.of_kind(NodeKind.OBJECT) if node.presence is not Presence.GONE]
    there = [node for node in nodes if _gap(node, pose) <= BESIDE and _height(node, pose) <= ABOVE]
    if not there:
        around = [node for node in nodes if _distance(node, pose) <= NEAREST]
        there = sorted(around, key=lambda node: _distance(node, pose))[:1]
    labels = frozenset(label for node in there for label in labels_of(node))
    return Identity(name, labels, is_hearsay=not all(node.unprompted for node in there))


def people_at(name: str, pose: Pose | None, graph: SceneGraph | None) -> tuple[Identity, ...]:
    """Return the identities of every person at a pose in map; a single unknown one if there is none."""
    if pose is None or graph is None:
        return (Identity(name),)
    there = [node for node in graph.of_kind(NodeKind.AGENT) if _distance(node, pose) <= AT_PERSON]
    return tuple(Identity(name, labels_of(node) | {node.id}) for node in there) or (Identity(name),)


def labels_of(node: SceneNode) -> frozenset[str]:
    """Return every label that memory has for a node: its own, aliases, and what detectors voted for."""
    return frozenset((node.label, *node.aliases, *node.votes, *node.unprompted))


def is_called(label: str, names: Iterable[str]) -> bool:
    """Return True if a label is one of the names or a kind of it, in whatever letters it is written."""
    return any(_is_called(reading, name) for reading in (label, *readings(label)) for name in names)


def is_a(label: str, names: Iterable[str]) -> bool:
    """Return True if a label means one of the names or a kind of it: "baby bottle" is no baby."""
    pairs = ((reading, name) for reading in (label, *readings(label)) for name in names)
    return any(_is_a(reading, name) and not _only_describes(name, reading) for reading, name in pairs)


def _is_called(label: str, name: str) -> bool:
    words = label_words(name)
    return bool(words and words <= label_words(label)) or _is_a(label, name)


def _only_describes(name: str, label: str) -> bool:
    """Return True if a label contains a name, and its last word is another."""
    within = label_words(name) <= label_words(label)
    return within and label_words(label.split()[-1]).isdisjoint(label_words(name))


def _is_a(label: str, name: str) -> bool:
    try:
        return _thesaurus().relation(name, label).is_hit
    except UnreadableText:
        return False


@cache
def _thesaurus() -> Thesaurus:
    return Thesaurus.load()


def _distance(node: SceneNode, pose: Pose) -> float:
    return hypot(node.pose.position[0] - pose.position[0], node.pose.position[1] - pose.position[1])


def _gap(node: SceneNode, pose: Pose) -> float:
    return _distance(node, pose) - max(node.size[:2]) / 2


def _height(node: SceneNode, pose: Pose) -> float:
    return abs(node.pose.position[2] - pose.position[2]) - node.size[2] / 2
