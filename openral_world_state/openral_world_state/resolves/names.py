"""Names of rooms, places, furniture and people."""

from difflib import get_close_matches

from openral_core.text import Relation, Thesaurus
from openral_world_state.homes import Home


class Names:
    """Fixed nodes by label and alias."""

    def __init__(self, home: Home, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._names = {node.id: (node.label, *node.aliases) for node in home.nodes.values()}

    def answering(self, words: str) -> list[str]:
        """Ids whose label says exactly that, else an alias, else a synonym, else a narrower thing.

        Raises:
            UnreadableText: If the words name nothing.
        """
        asked = self._thesaurus.parse(words).text
        exact = [name for name, (label, *_) in self._names.items() if self._text(label) == asked]
        alias = [name for name, (_, *rest) in self._names.items() if asked in map(self._text, rest)]
        return (
            exact or alias or self._related(words, Relation.EQUAL) or self._related(words, Relation.NARROWER)
        )

    def nearest(self, words: str) -> tuple[str, ...]:
        """Labels that look most like the words."""
        return tuple(
            get_close_matches(words.casefold(), [label for label, *_ in self._names.values()], 3, 0.3)
        )

    def _related(self, words: str, relation: Relation) -> list[str]:
        return [
            n for n, (label, *_) in self._names.items() if self._thesaurus.relation(words, label) is relation
        ]

    def _text(self, label: str) -> str:
        return self._thesaurus.parse(label).text
