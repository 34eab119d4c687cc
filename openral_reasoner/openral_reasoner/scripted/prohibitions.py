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
_NEVER = r"don't|do not|dont|never|under no circumstances|on no account|by no means"
_MUST_NOT = r"(?:must|may|can|should|need|shall) ?(?:not|n't)|cannot|are not to"
_LEAD = re.compile(
    rf"(?:please )?(?:but |and |only )?(?:(?:{_NEVER}|not)(?: you)?|you (?:{_MUST_NOT}))"
    r"(?: ever| please| dare| go)* (?P<what>.+)",
    re.IGNORECASE,
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
_STAYS = r"(?P<what>(?:the|my|our) .+?) (?:stays|must stay|has to stay|should stay|remains)"
_STATED = tuple(
    (act, re.compile(rf"(?:please )?(?:but |and |only )?(?:{pattern})", re.IGNORECASE))
    for act, pattern in (
        (Act.ENTER, r"(?:stay|keep) out of (?P<what>.+)"),
        (Act.ENTER, r"(?:you(?:'re| are) )?not allowed (?:in|into|inside) (?P<what>.+)"),
        (Act.ENTER, r"(?P<what>(?:the|my|our) .+?) is (?:off[- ]limits|forbidden|out of bounds)"),
        (Act.OPEN, r"(?:keep|leave) (?P<what>.+?) (?:closed|shut)"),
        (Act.OPEN, rf"{_STAYS} (?:closed|shut)"),
        (Act.OPEN, r"no opening (?P<what>.+)"),
        (Act.CLOSE, rf"{_STAYS} open"),
        (Act.TOUCH, r"(?:leave|let) (?P<what>.+?) (?:alone|be|where it is)"),
        (Act.TOUCH, r"(?:hands off|no touching) (?P<what>.+)"),
        (Act.TOUCH, r"(?:steer|stay|keep)(?: your \w+| well)? (?:away from|clear of) (?P<what>.+)"),
    )
)
_FORBIDS = re.compile(
    rf"\b(?:{_NEVER}|not allowed|off[- ]limits|forbidden|hands off"
    r"|stays? (?:closed|shut|open)"
    r"|(?:must|may|should) ?(?:not|n't)|stay out|keep out|keep away|clear of"
    r"|(?:leave|let) [\w ]+ (?:alone|be)\b|no (?:touching|opening|going|taking)"
    r"|(?:keep|leave) [\w ]+ (?:closed|shut))\b",
    re.IGNORECASE,
)
_FROM = re.compile(r"(?:(?:any(?:thing)?|one|some|it|them) )?(?:from|out of) (?P<what>.+)", re.IGNORECASE)


def marked(words: str) -> str:
    """Return a text in which "without opening" is a clause of its own."""
    return _WITHOUT.sub(", don't ", words)


def seems_to_forbid(text: str) -> bool:
    """Return True if a text has words that forbid something, whether or not that can be read."""
    return _FORBIDS.search(text) is not None


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
    words = bare(said)
    lead = _LEAD.fullmatch(words)
    tried = ((_ACTS, lead["what"]),) if lead else ((_STATED, words),)
    matches = ((act, pattern.fullmatch(text)) for patterns, text in tried for act, pattern in patterns)
    return next(((act, match["what"]) for act, match in matches if match), None)
