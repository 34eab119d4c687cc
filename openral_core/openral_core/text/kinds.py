"""Which things are kinds of which."""

from collections.abc import Iterable, Mapping

import networkx as nx

from openral_core.errors import OpenRALError, listed


class InvalidThesaurus(OpenRALError):
    """Entries that contradict each other."""

    def __init__(self, problem: str, names: Iterable[str]) -> None:
        super().__init__(f"thesaurus: {problem}: {listed(names)}")


class Kinds:
    """A hierarchy of things; a thing may be of several kinds (a wine bottle is a bottle and is wine)."""

    def __init__(self, parents: Mapping[str, Iterable[str]]) -> None:
        graph = nx.DiGraph([(name, kind) for name, kinds in parents.items() for kind in kinds])
        graph.add_nodes_from(parents)
        if unknown := sorted(set(graph) - parents.keys()):
            raise InvalidThesaurus("kinds that are no things", unknown)
        if not nx.is_directed_acyclic_graph(graph):
            raise InvalidThesaurus(
                "things that are kinds of themselves", (edge[0] for edge in nx.find_cycle(graph))
            )
        self._parents = {name: tuple(graph.successors(name)) for name in graph}
        self._above = {name: frozenset(nx.descendants(graph, name)) for name in graph}
        self._below = {name: frozenset(nx.ancestors(graph, name)) for name in graph}

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
