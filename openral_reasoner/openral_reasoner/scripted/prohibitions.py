"""Prohibitions: "don't open the fridge", "not from the shelf", "without going into the bedroom"."""

import re

from openral_reasoner.request.goals import Act, Forbidden
from openral_reasoner.scripted.noun_phrases import is_object, is_place, split_place
from openral_reasoner.scripted.politeness import bare

_WITHOUT = re.compile(
    r",?\s*\b(?:but |and )?without "
    r"(?=(?:opening|closing|shutting|touching|moving|using|taking|entering|going)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:please )?(?:but |and )?(?:don't|do not|dont|never|not)(?: ever| please)? (?P<what>.+)", re.IGNORECASE
)
_TAKING = r"tak(?:e|ing)|bring(?:ing)?|fetch(?:ing)?|grab(?:bing)?|get(?:ting)?|pick(?:ing)? up"
_GOING = r"enter(?:ing)?|(?:go|going|drive|driving|come|coming)(?: in| into| inside| to)+"
_ACTS = tuple(
    (act, re.compile(rf"{pattern}(?P<what>.+)", re.IGNORECASE))
    for act, pattern in (
        (Act.OPEN, r"open(?:ing)? "),
        (Act.CLOSE, r"(?:clos(?:e|ing)|shut(?:ting)?) "),
        (Act.ENTER, rf"(?:{_GOING}) "),
        (Act.TOUCH, r"(?:touch(?:ing)?|us(?:e|ing)|mov(?:e|ing)) "),
        (Act.TAKE, rf"(?:{_TAKING})(?: me| us)? "),
        (Act.TAKE, r"(?=(?:from|out of) )"),
    )
)
_FROM = re.compile(r"(?:(?:any(?:thing)?|one|some|it|them) )?(?:from|out of) (?P<what>.+)", re.IGNORECASE)


def marked(words: str) -> str:
    """Return a text in which "without opening" is a clause of its own."""
    return _WITHOUT.sub(", don't ", words)


def is_prohibition(said: str) -> bool:
    """Return True if a clause forbids an act that has a name, whether or not its object can be read."""
    return _parts(said) is not None


def read_prohibition(said: str) -> tuple[Forbidden, ...]:
    """Read a clause; none if it forbids nothing that is known, or something unclear."""
    parts = _parts(said)
    if parts is None:
        return ()
    act, words = parts
    source = _FROM.fullmatch(words)
    what, where = split_place(source["what"] if source else words)
    if where or not (is_object(what) or is_place(what)):
        return ()
    # Nothing that may not be taken from a place has to be looked for in it.
    return tuple(Forbidden(each, what) for each in ((Act.TAKE, Act.OPEN) if source else (act,)))


def _parts(said: str) -> tuple[Act, str] | None:
    lead = _LEAD.fullmatch(bare(said))
    if lead is None:
        return None
    matches = ((act, pattern.fullmatch(lead["what"])) for act, pattern in _ACTS)
    return next(((act, match["what"]) for act, match in matches if match), None)
