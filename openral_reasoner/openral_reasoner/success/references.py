"""References of a goal: the objects and places that its words mean, by the names peers use."""

from dataclasses import dataclass

from openral_core.text import Thesaurus, UnreadableText
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.search.progress import same_term
from openral_reasoner.success.evidence import Answered, Evidence, Node
from openral_reasoner.success.skill_effects import Course

ME = "me"
_THESAURUS = Thesaurus.load()
_TELLING = frozenset(("with", "for", "by", "to", "which", "who", "where"))
"""First words of a distinguishing tail, as in "the mug with a handle"."""


def answers(asked: str, name: str) -> bool:
    """Return True if every meaning of a name is what was asked for."""
    if same_term(asked, name):
        return True
    try:
        wanted, known = _THESAURUS.parse(asked).where, _THESAURUS.parse(name).where
        tells = wanted != known and wanted.partition(" ")[0] in _TELLING
        return not tells and _THESAURUS.relation(asked, name).is_hit
    except UnreadableText:
        return False


@dataclass(frozen=True, slots=True)
class Setting:
    """Requester, known places and people, and the containers that hide their contents."""

    requester: str = ""
    places: tuple[PlaceEntry, ...] = ()
    occluding: frozenset[str] = frozenset()

    def entry(self, node_id: str) -> PlaceEntry | None:
        """Return the place, room or person with this id."""
        return next((each for each in self.places if each.id == node_id), None)

    def node(self, node_id: str) -> Node:
        """Return the entry as a node; without a name if it is unknown."""
        entry = self.entry(node_id)
        return Node(entry.id, entry.label, entry.kind.value, entry.room) if entry else Node(node_id)


@dataclass(frozen=True, slots=True)
class Case:
    """Evidence, setting and effects by which a goal is judged."""

    evidence: Evidence
    setting: Setting
    course: Course

    def is_a(self, node_id: str, *phrases: str) -> bool:
        """Return True if an object is what one of the phrases asks for."""
        names = self.evidence.names_of(node_id)
        return node_id in phrases or any(answers(phrase, name) for phrase in phrases for name in names)

    def means(self, node: Node, phrase: str) -> bool:
        """Return True if a phrase means this place, room, person or object; memory's answer has priority."""
        known = self.evidence.resolved(phrase)
        if known is not None:
            return bool(known & self.evidence.ids_of(node.id))
        if phrase == ME:
            phrase = self.setting.requester
        if node.id == phrase:
            return True
        named = [each.id for each in self.setting.places if each.answers_to(phrase)]
        if named or not phrase:
            return node.id in named
        entry = self.setting.entry(node.id)
        names = (entry.label, *entry.aliases) if entry else tuple(self.evidence.names_of(node.id))
        return any(answers(phrase, name) for name in names)

    def is_in(self, node: Node, phrase: str) -> bool:
        """Return True if a node is what the phrase means, or lies in, on or at it."""
        around = [node.room, *node.within, self.setting.node(node.id).room]
        around += [self.setting.node(each).room for each in node.within]
        return self.means(node, phrase) or any(
            self.means(self.setting.node(each), phrase) for each in around if each
        )

    def same(self, first: str, second: str) -> bool:
        """Return True if both ids are one object."""
        return second in self.evidence.ids_of(first)

    def elsewhere(self, node_id: str, what: str, where: str) -> str:
        """Return the id of another such object that is where it was asked for if this one is not; else ""."""
        told = [node for node in self._described() if self.same(node_id, node.id)]
        if not where or any(self.is_in(node, where) for node in told):
            return ""
        others = (node.id for node in self._described() if not self.same(node_id, node.id))
        return next((each for each in others if self._is_there(each, what, where)), "")

    def _is_there(self, node_id: str, what: str, where: str) -> bool:
        told = [node for node in self._described() if node.id == node_id]
        return self.is_a(node_id, what) and self.is_in(told[-1], where)

    def _described(self) -> list[Node]:
        return [node for fact in self.evidence.facts if isinstance(fact, Answered) for node in fact.nodes]
