"""Search terms: the words of an object or place without case, articles and spaces."""

import re
from functools import lru_cache

from openral_core.text import Thesaurus, UnreadableText

_ARTICLES = re.compile(r"^(?:(?:a|an|the|my|some|any|please)\s+)+")
_THESAURUS = Thesaurus.load()
_TELLING = frozenset(("with", "for", "by", "to", "which", "who", "where"))
"""First words of a distinguishing tail, as in "the mug with a handle"."""


@lru_cache(maxsize=1024)  # every candidate of every plan is compared by its terms
def normalize_term(term: str) -> str:
    """Normalise case, articles and spaces; there is one search episode per normalised term."""
    plain = re.sub(r"[^\w\s-]", " ", term.lower(), flags=re.UNICODE)
    return _ARTICLES.sub("", " ".join(plain.split())).strip()


def same_term(first: str, second: str) -> bool:
    """Return True if both terms name the same search."""
    return normalize_term(first) == normalize_term(second)


def answers(query: str, name: str) -> bool:
    """Return True if every meaning of a name is what was asked for."""
    if same_term(query, name):
        return True
    try:
        place, named_place = _THESAURUS.parse(query).where, _THESAURUS.parse(name).where
        tells = place != named_place and place.partition(" ")[0] in _TELLING
        return not tells and _THESAURUS.relation(query, name).is_hit
    except UnreadableText:
        return False
