"""Which detector could have named an object."""

from functools import lru_cache

from openral_core.text import Thesaurus
from openral_world_state.memories import Record


class Vocabularies:
    """Labels of each detector; one that is unknown, or open, can name only what it named before."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._labels: dict[str, tuple[str, ...]] = {}
        self._can_name = lru_cache(1 << 14)(self._look_up)

    def learn(self, detector: str, labels: tuple[str, ...]) -> None:
        """Take over what a detector says it can name."""
        if self._labels.get(detector) != labels:
            self._labels[detector] = labels
            self._can_name.cache_clear()

    def can_name(self, detector: str, record: Record) -> bool:
        """Whether silence of this detector says something about the object."""
        return record.source == detector or any(self._can_name(detector, name) for name in record.votes)

    def _look_up(self, detector: str, name: str) -> bool:
        return any(self._thesaurus.relation(label, name).is_hit for label in self._labels.get(detector, ()))
