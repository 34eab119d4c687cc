"""From words to a goal."""

import re
from collections.abc import Callable

from openral_reasoner.planners.goals import Bring, BringFilled, Door, Find, Goal, GoTo, LookAt, NotUnderstood

_POLITE = re.compile(
    r"^(?:(?:please|hey|hi|robot|now|then|could you|can you|would you|will you"
    r"|i want you to|i would like you to)[\s,]+)+|[\s,]+please$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|my|some|your|our)\s+", re.IGNORECASE)
_FILLED = re.compile(r"^(?P<vessel>cup|glass|mug|bowl|tumbler)s? of (?P<contents>.+)$", re.IGNORECASE)
_ME = "me"
_BRING = r"(?:bring|fetch|get|give|hand|pass|take|carry|deliver)"

_Make = Callable[[re.Match[str]], Goal]
_RULES: tuple[tuple[str, _Make], ...] = (
    (rf"{_BRING} (?:to )?me (?P<what>.+)", lambda m: _bring(m["what"], _ME)),
    (rf"{_BRING} (?P<what>.+) (?:over )?to (?P<to>.+)", lambda m: _bring(m["what"], _plain(m["to"]))),
    (
        r"(?:put|place|set|lay) (?P<what>.+?) (?:down )?(?:on|onto|in|into|at) (?P<to>.+)",
        lambda m: Bring(_plain(m["what"]), _plain(m["to"])),
    ),
    (r"(?:i want|i would like|i'd like|i need) (?P<what>.+)", lambda m: _bring(m["what"], _ME)),
    (
        r"(?:find|locate|search for|look for|look up|where is|where are|where's) (?P<what>.+)",
        lambda m: Find(_plain(m["what"])),
    ),
    (
        r"(?:go|drive|navigate|move|come|walk) (?:over )?(?:to |into )?(?P<where>.+)",
        lambda m: GoTo(_plain(m["where"])),
    ),
    (r"(?:look at|examine|inspect|check|watch) (?P<what>.+)", lambda m: LookAt(_plain(m["what"]))),
    (
        r"(?P<verb>open|close|shut) (?P<what>.+)",
        lambda m: Door(_plain(m["what"]), m["verb"].lower() == "open"),
    ),
    (rf"{_BRING} (?P<what>.+)", lambda m: _bring(m["what"], _ME)),
)


def parse_goal(text: str) -> Goal:
    """The goal these words state, or NotUnderstood."""
    words = " ".join(text.split()).rstrip(".!?")
    words = _POLITE.sub("", words).strip()
    for pattern, make in _RULES:
        match = re.fullmatch(pattern, words, re.IGNORECASE)
        if match:
            return make(match)
    return NotUnderstood(words)


def _bring(what: str, to: str) -> Goal:
    plain = _plain(what)
    filled = _FILLED.match(plain)
    if filled:
        return BringFilled(filled["vessel"].lower(), _plain(filled["contents"]), to)
    return Bring(plain, to)


def _plain(words: str) -> str:
    return _ARTICLE.sub("", words.strip()).strip()
