"""Search terms: the words of an object or place without case, articles and spaces."""

import re
from functools import lru_cache

_ARTICLES = re.compile(r"^(?:(?:a|an|the|my|some|any|please)\s+)+")


@lru_cache(maxsize=1024)  # every candidate of every plan is compared by its terms
def normalize_term(term: str) -> str:
    """Normalise case, articles and spaces; there is one search episode per normalised term."""
    plain = re.sub(r"[^\w\s-]", " ", term.lower(), flags=re.UNICODE)
    return _ARTICLES.sub("", " ".join(plain.split())).strip()


def same_term(first: str, second: str) -> bool:
    """Return True if both terms name the same search."""
    return normalize_term(first) == normalize_term(second)


def rank_of(names: tuple[str, ...], room: str, likely: tuple[str, ...]) -> int:
    """Return the index of the first likely place that means this place or its room, else ``len(likely)``."""
    own = {normalize_term(name) for name in names} - {""}
    heads = {name.split()[-1] for name in own}
    known = own | heads | {f"{normalize_term(room)} {head}" for head in heads} | {normalize_term(room)} - {""}
    return next((i for i, place in enumerate(likely) if normalize_term(place) in known), len(likely))
