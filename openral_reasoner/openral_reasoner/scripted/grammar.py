"""Grammar of the goals that the scripted planner understands, and its rules for serving.

The grammar tolerates politeness and misspellings. The rules name the vessels of drinks and the surfaces for
setting objects down.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from openral_core.documents import Document, parse_document, parse_yaml
from openral_reasoner.terms import normalize_term

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
"""Minimum similarity of a misspelt word to the intended one, as a ratio of `difflib` [0, 1]."""


def bare(text: str) -> str:
    """Strip the polite words around a goal."""
    words = " ".join(text.replace("\u2019", "'").split()).strip(" .!?,;:")
    return _AFTER.sub("", _BEFORE.sub("", words)).strip(" .!?,;:")


def plain(words: str) -> str:
    """Strip the articles of a noun phrase."""
    return _ARTICLES.sub("", words.strip(" ,.'\"")).strip()


def correct_spelling(words: str, known: Collection[str]) -> str:
    """Correct the first word if it is a misspelt known word."""
    first, _, rest = words.partition(" ")
    same = [word for word in known if first and word[0] == first[0].lower()]
    meant = get_close_matches(first.lower(), same, n=1, cutoff=ALIKE)
    return f"{meant[0]} {rest}" if meant else words


@dataclass(frozen=True, slots=True)
class Bring:
    """Fetch an object and give it to someone or put it somewhere; ``where`` is its stated place."""

    what: str
    to: str = "me"
    where: str = ""


@dataclass(frozen=True, slots=True)
class BringFilled:
    """Fill a vessel and give it to someone."""

    vessel: str
    contents: str
    to: str = "me"


@dataclass(frozen=True, slots=True)
class Pour:
    """Fill a vessel and leave it where it stands."""

    contents: str
    vessel: str


@dataclass(frozen=True, slots=True)
class PickUp:
    """Take an object into the hand; ``where`` is its stated place."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Find:
    """See an object and report its place; ``where`` is its stated place."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class GoTo:
    """Drive somewhere."""

    where: str


@dataclass(frozen=True, slots=True)
class LookAt:
    """Point the camera at something."""

    what: str


@dataclass(frozen=True, slots=True)
class LookInside:
    """Open something and look in."""

    what: str


@dataclass(frozen=True, slots=True)
class MoveDoor:
    """Open or close something."""

    what: str
    open: bool


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Text outside the grammar."""

    words: str


Goal = Bring | BringFilled | Pour | PickUp | Find | GoTo | LookAt | LookInside | MoveDoor | NotUnderstood
EXAMPLES = (
    "bring me the mug",
    "bring me a cup of wine",
    "bring the milk to Ana",
    "put the mug on the table",
    "pour wine into the glass",
    "pick up the apple",
    "find the keys",
    "go to the kitchen",
    "look at the table",
    "look in the fridge",
    "open the fridge",
)


_ME = "me"
_MYSELF = re.compile(r"^(?:me|myself|us|here|over here|to me)$", re.IGNORECASE)
_BRING = r"(?:bring|fetch|get|give|hand|pass|take|carry|deliver|serve)"
_WISH = (
    r"(?:i want|i would like|i'd like|i need|i could use"
    r"|(?:can|could|may) (?:i|we) (?:please )?(?:have|get))(?: to have)?"
)
_SEEK = (
    r"(?:find|see|locate|search for|look for|look up|seek|show me|where is|where are|where's|wheres"
    r"|where did i (?:leave|put)|have you seen|do you see|(?:can|could) you see|do you know where"
    r"|is there|are there)"
)
_AT = r"(?:from|off|out of|on|in|inside|at|under|near|next to)"
_ONTO = r"(?:on top of|next to|beside|onto|on|into|inside|in|at)"
_THE, _IT = r"(?:the|my|our|your)", r"(?:it|them|one)"
_VESSEL = r"(?:cup|glass|mug|bowl|tumbler|pitcher|bottle)"
_FILLED = re.compile(
    r"^(?P<vessel>cup|glass|mug|bowl|tumbler)(?:e?s)? (?:of|with|filled with|full of) (?P<contents>.+)$",
    re.IGNORECASE,
)
_WHERE = re.compile(
    rf"^(?P<what>.+?) {_AT} (?P<where>(?:the|my|our|your|a) .+|kitchen|\S+room)$", re.IGNORECASE
)
_FOR = re.compile(r"^(?P<what>.+?) for (?P<to>me|us|myself|[A-Z]\w*)$")
_DOOR = re.compile(r" door$", re.IGNORECASE)

_Make = Callable[[re.Match[str]], Goal]
_RULES: tuple[tuple[str, _Make], ...] = (
    (r"(?:take|bring|lead|guide|drive) me (?:over )?(?:to|into) (?P<where>.+)", lambda m: _go(m["where"])),
    (
        rf"(?:go|drive|walk) (?:over )?(?:to |into )?(?P<where>.+?) and {_BRING} (?:to )?me (?P<what>.+)",
        lambda m: _bring(f"{m['what']} from the {plain(m['where'])}", _ME),
    ),
    (
        rf"(?:{_SEEK}|{_BRING}|pick up|grab) (?P<what>.+?) and {_BRING} {_IT}(?: over)?(?: to)? (?P<to>.+)",
        lambda m: _bring(m["what"], m["to"]),
    ),
    (rf"{_BRING} (?:to )?(?:me|us) (?P<what>.+)", lambda m: _bring(m["what"], _ME)),
    (
        rf"{_BRING} (?P<to>(?-i:[A-Z]\w+)|the \w+) (?P<what>(?:the|an?|my|some) .+)",
        lambda m: _bring(m["what"], m["to"]),
    ),
    (
        rf"(?:{_BRING}|move|return|bring back) (?P<what>.+?) (?:over |back )?(?:to|into|onto) (?P<to>.+)",
        lambda m: _bring(m["what"], m["to"]),
    ),
    (
        rf"(?:put|place|set|lay|drop|leave) (?P<what>.+?) (?:down |back )?{_ONTO} (?P<to>.+)",
        lambda m: Bring(plain(m["what"]), plain(m["to"])),
    ),
    (
        r"(?:pour|fill) (?P<what>.+?) (?:into|in) (?P<vessel>.+)",
        lambda m: Pour(plain(m["what"]), plain(m["vessel"])),
    ),
    (rf"(?:pour|make) (?:me|us) (?P<what>(?:an? |the )?{_VESSEL}.+)", lambda m: _bring(m["what"], _ME)),
    (
        rf"fill (?P<vessel>(?:an? |the |my )?{_VESSEL}) with (?P<what>.+)",
        lambda m: Pour(plain(m["what"]), plain(m["vessel"])),
    ),
    (rf"{_WISH} (?P<what>.+)", lambda m: _bring(m["what"], _ME)),
    (
        r"(?:look|check|search) (?:in|inside|into|on|at|under)? ?(?P<where>.+) for (?P<what>.+)",
        lambda m: Find(plain(m["what"]), plain(m["where"])),
    ),
    (
        rf"(?:is|are|check (?:if|whether)) (?P<what>{_THE} .+?) (?:is |are )?{_AT} (?P<where>.+)",
        lambda m: Find(plain(m["what"]), plain(m["where"])),
    ),
    (r"(?:look|check|see) (?:in|inside|into) (?P<what>.+)", lambda m: LookInside(_fixture(m["what"]))),
    (r"(?:what is|what's|whats) (?:in|inside) (?P<what>.+)", lambda m: LookInside(_fixture(m["what"]))),
    (rf"{_SEEK} (?:where )?(?P<what>.+?)(?: is| are)?", lambda m: Find(*_split_place(m["what"]))),
    (
        r"(?:go|drive|navigate|move|come|walk|return)(?: over| back)? (?:to |into )?(?P<where>.+)",
        lambda m: _go(m["where"]),
    ),
    (
        r"(?:look at|examine|inspect|check|face|turn to|point at) (?P<what>.+)",
        lambda m: LookAt(plain(m["what"])),
    ),
    (
        r"(?P<verb>open|close|shut)(?: up)? (?P<what>.+)",
        lambda m: MoveDoor(_fixture(m["what"]), m["verb"].lower() == "open"),
    ),
    (
        r"(?:pick up|pick|grab|grasp|lift|hold) (?P<what>.+?)(?: up)?",
        lambda m: PickUp(*_split_place(m["what"])),
    ),
    (rf"{_BRING} (?P<what>.+)", lambda m: _bring(m["what"], _ME)),
)
_VAGUE = frozenset(("it", "them", "that", "this", "one", "something", "anything", "there", ""))
_KNOWN = frozenset(word for pattern, _ in _RULES for word in re.findall("[a-z]+", pattern)) - _VAGUE | POLITE
"""Words that a misspelt first word may stand for."""


def parse_goal(text: str) -> Goal:
    """Parse a goal, correcting a misspelt verb; NotUnderstood if that fails."""
    words = bare(text)
    return _read(words) or _read(bare(correct_spelling(words, _KNOWN))) or NotUnderstood(words)


def _read(words: str) -> Goal | None:
    for pattern, make in _RULES:
        match = re.fullmatch(pattern, words, re.IGNORECASE)
        if match is not None:
            vague = any(plain(said).lower() in _VAGUE for said in match.groups())
            return None if vague else make(match)
    return None


def _bring(what: str, to: str) -> Goal:
    meant = _FOR.match(what)
    if meant is not None:
        what, to = meant["what"], meant["to"]
    thing, where = _split_place(what)
    filled, receiver = _FILLED.match(thing), _receiver(to)
    if filled is not None:
        return BringFilled(filled["vessel"].lower(), plain(filled["contents"]), receiver)
    return Bring(thing, receiver, where)


def _go(where: str) -> Goal:
    return GoTo(_receiver(where))


def _split_place(words: str) -> tuple[str, str]:
    """Split a phrase into an object and its stated place."""
    said = _WHERE.match(words.strip())
    return (plain(said["what"]), plain(said["where"])) if said else (plain(words), "")


def _receiver(words: str) -> str:
    return _ME if _MYSELF.match(words.strip()) else plain(words)


def _fixture(words: str) -> str:
    """Strip articles and a trailing "door": the fridge door is the fridge."""
    return _DOOR.sub("", plain(words))


class ServingRules(Document):
    """Vessels by drink, and surfaces for setting objects down."""

    vessels: Mapping[str, str]
    staging: tuple[str, ...]

    def vessel_for(self, vessel: str, contents: str) -> str:
        """Return the vessel that suits these contents if ``vessel`` was asked for."""
        nouns = normalize_term(contents).split()
        return next((self.vessels[noun] for noun in nouns if noun in self.vessels), vessel)


@cache
def load_serving_rules() -> ServingRules:
    """Load the rules of the package."""
    name = "serving.yaml"
    text = files("openral_reasoner.scripted").joinpath(name).read_text(encoding="utf-8")
    return parse_document(ServingRules, parse_yaml(text), name)
