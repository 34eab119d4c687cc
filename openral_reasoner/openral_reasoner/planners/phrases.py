"""What is said around a goal, and how it is misspelt."""

import re
from collections.abc import Collection
from difflib import get_close_matches

_BEFORE = re.compile(
    r"^(?:(?:please|kindly|hey|hi|hello|ok|okay|robot|now|then|just|quickly"
    r"|(?:could|can|would|will) you|would you mind|i want you to|i need you to|i(?: would|'d) like you to"
    r"|go (?:and )?(?=(?:get|fetch|bring|find|look|open|close|check|take|grab|pick|pour|put) )"
    r")[\s,]*)+(?=\s|\b)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:[\s,]+(?:please|thanks|thank you|now|right now|right away|quickly|if you can|will you|would you"
    r"|could you))+$",
    re.IGNORECASE,
)
_ARTICLES = re.compile(
    r"^(?:(?:the|teh|a|an|my|some|any|your|our|this|that|these|those|another)\s+)+", re.IGNORECASE
)
POLITE = frozenset(("please", "could", "would", "kindly", "hello"))
ALIKE = 0.75
"""How alike a misspelt word and the one that is meant are at least."""


def bare(text: str) -> str:
    """The words without what politeness adds."""
    words = " ".join(text.replace("\u2019", "'").split()).strip(" .!?,;:")
    return _AFTER.sub("", _BEFORE.sub("", words)).strip(" .!?,;:")


def plain(words: str) -> str:
    """A thing without its articles."""
    return _ARTICLES.sub("", words.strip(" ,.'\"")).strip()


def respelt(words: str, known: Collection[str]) -> str:
    """The words with the first one as it was meant, if it is a known word misspelt."""
    first, _, rest = words.partition(" ")
    same = [word for word in known if first and word[0] == first[0].lower()]
    meant = get_close_matches(first.lower(), same, n=1, cutoff=ALIKE)
    return f"{meant[0]} {rest}" if meant else words
