"""In which order to search, so that what is looked for is found soon on average."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LOOKAHEAD = 8
"""How many of the next stops are put in the best order together; the rest by ratio alone."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A place: ``chance`` that it is there, and what looking there costs beside the way [m]."""

    chance: float
    effort: float


def soonest(stops: Sequence[Stop], first: Sequence[float], between: Sequence[Sequence[float]]) -> list[int]:
    """Indices of the stops in the order of searching.

    The next is the one with the best chance for its cost; then the first few are exchanged for as long
    as that lowers the expected cost until it is found.

    Source: the ratio rule of discrete search (Stone, Theory of Optimal Search, 1975, ch. 4), improved by
    exchanges as for the minimum latency problem (Blum et al., 1994).

    Args:
        stops: Where to look, N of them.
        first: Ways from where the robot stands [m], length N.
        between: Ways from each stop to each other [m], (N, N).
    """
    order = _by_ratio(stops, first, between)
    head, rest = order[:LOOKAHEAD], order[LOOKAHEAD:]
    best, improved = _expected(head, stops, first, between), True
    while improved:
        improved = False
        for other in _exchanges(head):
            cost = _expected(other, stops, first, between)
            if cost < best - 1e-9:
                head, best, improved = other, cost, True
                break
    return head + rest


def _by_ratio(stops: Sequence[Stop], first: Sequence[float], between: Sequence[Sequence[float]]) -> list[int]:
    left, order, ways = list(range(len(stops))), list[int](), first
    while left:
        best = min(left, key=lambda i: (-stops[i].chance / (ways[i] + stops[i].effort), i))
        left.remove(best)
        order.append(best)
        ways = between[best]
    return order


def _exchanges(order: list[int]) -> Iterator[list[int]]:
    """Every order with one part turned round, or one stop moved."""
    for i in range(len(order)):
        for j in range(i + 2, len(order) + 1):
            yield order[:i] + order[i:j][::-1] + order[j:]
        rest = order[:i] + order[i + 1 :]
        for j in range(len(order)):
            if j not in (i, i - 1):
                yield [*rest[:j], order[i], *rest[j:]]


def _expected(
    order: Sequence[int], stops: Sequence[Stop], first: Sequence[float], between: Sequence[Sequence[float]]
) -> float:
    """Cost until it is found, weighed by the chances [m]."""
    total = reached = 0.0
    ways = first
    for index in order:
        reached += ways[index] + stops[index].effort
        total += stops[index].chance * reached
        ways = between[index]
    return total
