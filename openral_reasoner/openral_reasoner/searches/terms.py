"""When two ways to ask are one question."""

import re

_ARTICLES = re.compile(r"^(?:(?:a|an|the|my|some|any|please)\s+)+")


def term_key(words: str) -> str:
    """The words without case, articles and repeated space: one search episode per key."""
    plain = re.sub(r"[^\w\s-]", " ", words.lower(), flags=re.UNICODE)
    return _ARTICLES.sub("", " ".join(plain.split())).strip()


def same_term(first: str, second: str) -> bool:
    """Whether both ask for the same thing."""
    return term_key(first) == term_key(second)
