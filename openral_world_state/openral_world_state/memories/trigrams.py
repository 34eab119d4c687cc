"""Names that look alike: by the three-letter pieces they share."""

from collections import Counter, defaultdict

_MOST_POSTINGS = 3000


class Trigrams:
    """Finds the names most like another without comparing all."""

    def __init__(self) -> None:
        self._names: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._sizes: dict[str, int] = {}

    def put(self, name: str) -> None:
        """Keep a name."""
        pieces = _pieces(name)
        self._sizes[name] = len(pieces)
        for piece in pieces:
            self._names[piece][name] = None

    def remove(self, name: str) -> None:
        """Forget a name; one not kept is no error."""
        if self._sizes.pop(name, None) is not None:
            for piece in _pieces(name):
                self._names[piece].pop(name, None)
                if not self._names[piece]:
                    del self._names[piece]

    def nearest(self, words: str, count: int) -> tuple[str, ...]:
        """Names that share most with the words, the rarest pieces first; some of all when none does."""
        pieces = _pieces(words)
        lists = sorted((self._names[piece] for piece in pieces if piece in self._names), key=len)
        shared: Counter[str] = Counter()
        taken = 0
        for names in lists:
            taken += len(names)
            if shared and taken > _MOST_POSTINGS:
                break
            shared.update(names.keys())
        found = sorted(shared, key=lambda n: (-2.0 * shared[n] / (len(pieces) + self._sizes[n]), n))[:count]
        others = (name for name in self._sizes if name not in found)
        return (*found, *(name for name, _ in zip(others, range(count - len(found)), strict=False)))


def _pieces(text: str) -> frozenset[str]:
    padded = f"  {text.casefold()} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))
