"""Effects of a mission on a symbolic home, in a short notation, and their comparison with the wanted ones.

An effect is one of ``at OBJECT PLACE``, ``held OBJECT``, ``delivered OBJECT PERSON``, ``filled VESSEL``,
``open PLACE`` and ``closed PLACE``. In a wanted effect the last word may be ``*``, and alternatives are
separated by ``|``.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase

from openral_testing.reasoner.symbolic_home import SymbolicHome


def state_of(home: SymbolicHome) -> frozenset[str]:
    """Return everything that skills change, as effects."""
    delivered = dict(home.delivered)
    objects = {
        f"delivered {item.id} {delivered[item.id]}"
        if item.id in delivered
        else f"held {item.id}"
        if item.id == home.holding
        else f"at {item.id} {item.place}"
        for item in home.objects.values()
    }
    doors = {
        f"{'open' if place.is_open else 'closed'} {place.id}"
        for place in home.places.values()
        if place.occludes
    }
    return frozenset(objects | doors | {f"filled {vessel}" for vessel in home.filled})


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference between the effects of a mission and the wanted ones.

    ``missing`` were wanted and did not happen; ``unasked`` happened and were not wanted.
    """

    missing: tuple[str, ...]
    unasked: tuple[str, ...]

    @property
    def score(self) -> float:
        """Share of the wanted effects, 0 if anything unasked happened [1]."""
        return 0.0 if self.unasked or self.missing else 1.0


def compare(before: Set[str], after: Set[str], expected: Iterable[str]) -> Comparison:
    """Compare what changed with what was wanted; ``expected`` may end with ``?`` for what is only allowed."""
    changes, open_effects = set(after - before), list[str]()
    for each in expected:
        effect, optional = each.removesuffix("?").strip(), each.endswith("?")
        hits = {change for change in changes if _matches(change, effect)}
        changes -= hits
        if not hits and not optional:
            open_effects.append(effect)
    return Comparison(tuple(open_effects), tuple(sorted(changes)))


def _matches(change: str, effect: str) -> bool:
    return any(fnmatchcase(change, alternative.strip()) for alternative in effect.split("|"))
