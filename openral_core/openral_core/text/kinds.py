"""Which things are kinds of which."""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from openral_core.errors import OpenRALError, listed


class InvalidThesaurus(OpenRALError):
    """Entries that contradict each other."""

    def __init__(self, problem: str, names: Iterable[str]) -> None:
        super().__init__(f"thesaurus: {problem}: {listed(names)}")


class Kinds:
    """A hierarchy of things; a thing may be of several kinds (a wine bottle is a bottle and is wine)."""

    def __init__(self, parents: Mapping[str, Iterable[str]]) -> None:
        self._parents = {name: tuple(dict.fromkeys(kinds)) for name, kinds in parents.items()}
        named = frozenset[str]().union(*self._parents.values())
        if unknown := sorted(named - self._parents.keys()):
            raise InvalidThesaurus("kinds that are no things", unknown)
        order = _kinds_first(self._parents)
        self._above = _gathered(order, self._parents)
        self._below = _gathered(reversed(order), _turned(self._parents))

    def parents(self, name: str) -> tuple[str, ...]:
        """Direct kinds; none of an unknown thing."""
        return self._parents.get(name, ())

    def above(self, name: str) -> frozenset[str]:
        """Everything it is a kind of."""
        return self._above.get(name, frozenset())

    def below(self, name: str) -> frozenset[str]:
        """Everything that is a kind of it."""
        return self._below.get(name, frozenset())

    def siblings(self, name: str) -> frozenset[str]:
        """Things that share a specific kind with it, one of them directly: breads, but not all food."""
        own = {parent for parent in self.parents(name) if self.parents(parent)}
        below = frozenset[str]().union(*map(self.below, own))
        specific = {kind for kind in self.above(name) if self.parents(kind)}
        direct = {each for kind in specific for each in self.below(kind) if kind in self.parents(each)}
        return (below | direct) - {name} - self.above(name) - self.below(name)


def _kinds_first(parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    try:
        return tuple(TopologicalSorter(parents).static_order())
    except CycleError as error:
        raise InvalidThesaurus("things that are kinds of themselves", error.args[1][1:]) from error


def _turned(parents: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, kinds in parents.items():
        for kind in kinds:
            children[kind].append(name)
    return children


def _gathered(order: Iterable[str], nearest: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Everything that is reached by ``nearest`` from each; what is nearer comes first in ``order``."""
    reached: dict[str, frozenset[str]] = {}
    for name in order:
        reached[name] = frozenset(nearest[name]).union(*(reached[each] for each in nearest[name]))
    return reached
