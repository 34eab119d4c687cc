"""Who has to go so that enough is freed: the least reloading later."""

from collections.abc import Sequence
from itertools import combinations

from openral_reasoner.residencies.residents import Resident

EXHAUSTIVE = 12
"""Up to so many peers every choice is weighed (2^12); beyond, the best bargain goes first."""
Cost = tuple[float, int, int, tuple[str, ...]]


def cost(gone: Sequence[Resident]) -> Cost:
    """Reload time [s]; then those that stream go first, then the fewest, then by name."""
    asked_for = sum(not each.streams for each in gone)
    return (
        round(sum(each.load_time for each in gone), 6),
        asked_for,
        len(gone),
        tuple(sorted(e.id for e in gone)),
    )


def cheapest(candidates: Sequence[Resident], needed: float) -> tuple[Resident, ...] | None:
    """The candidates to send away so that ``needed`` [MB] are freed; None if all together are not enough."""
    if needed <= 0.0:
        return ()
    if freed(candidates) < needed:
        return None
    if len(candidates) > EXHAUSTIVE:
        return _bargains(candidates, needed)
    every = (c for n in range(1, len(candidates) + 1) for c in combinations(candidates, n))
    return min((choice for choice in every if freed(choice) >= needed), key=cost)


def freed(gone: Sequence[Resident]) -> float:
    """What they give back together [MB]."""
    return sum(each.memory for each in gone)


def _bargains(candidates: Sequence[Resident], needed: float) -> tuple[Resident, ...]:
    """Most memory per second of reloading first, then without those that turn out superfluous."""
    by_price = sorted(candidates, key=lambda e: (e.load_time / max(e.memory, 1e-9), e.id))
    chosen: list[Resident] = []
    for each in by_price:
        if freed(chosen) < needed:
            chosen.append(each)
    for each in sorted(chosen, key=lambda e: (-e.load_time, e.id)):
        rest = [other for other in chosen if other is not each]
        if freed(rest) >= needed:
            chosen = rest
    return tuple(chosen)
