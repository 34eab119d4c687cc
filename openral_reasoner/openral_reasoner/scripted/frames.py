"""Verb frames: the goals that verbs make of the chunks of their clauses.

A frame is read only if each chunk of the clause has a role in it; what none explains is asked back.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from pydantic import RootModel

from openral_core.documents import Document
from openral_core.parsing import parse_yaml
from openral_reasoner.request.goals import (
    BringFilled,
    Find,
    Goal,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    PickUp,
    Pour,
)
from openral_reasoner.scripted.clauses import (
    AT,
    INTO,
    MYSELF,
    TO,
    Clause,
    read_clause_of,
    read_roles,
)
from openral_reasoner.scripted.delivery import VESSEL, read_bring
from openral_reasoner.scripted.noun_phrases import PERSON, ROOM, plain, split_place
from openral_reasoner.scripted.rules import DET, ME, fixture
from openral_reasoner.scripted.vocabulary import WORDS

_FILE = "frames.yaml"


class _Frame(Document):
    """Verbs of one kind of request, separated by commas."""

    kind: str
    verbs: str


class _Frames(RootModel[tuple[_Frame, ...]]):
    """The file ``frames.yaml``."""


@cache
def _frames() -> tuple[tuple[str, re.Pattern[str]], ...]:
    text = files("openral_reasoner.scripted").joinpath(_FILE).read_text(encoding="utf-8")
    frames = _Frames.model_validate(parse_yaml(text)).root
    return tuple((frame.kind, _beginning(frame.verbs)) for frame in frames)


def _beginning(verbs: str) -> re.Pattern[str]:
    longest = sorted((" ".join(verb.split()) for verb in verbs.split(",")), key=len, reverse=True)
    return re.compile(rf"(?P<verb>{'|'.join(longest)})(?:\s+(?P<rest>.+)|$)", re.IGNORECASE)


def read_frames(words: str) -> Iterator[Goal]:
    """Yield the goals that a clause may mean which begins with a verb, the likeliest first."""
    words = _LIGHT.sub("look", words, count=1)
    for kind, beginning in _frames():
        match = beginning.fullmatch(words)
        if match is not None:
            clause = read_clause_of(match["verb"].lower(), match["rest"] or "")
            held = clause.in_hand and kind in _HOLDING
            yield from (_pick_up if held else _KINDS[kind])(clause)


_HOLDING = frozenset(("bring", "put", "pick up", "hold"))
_LIGHT = re.compile(
    r"(?:have|take|give|get|grab|cast|throw|do)(?: me| yourself)? (?:(?:an?|another|your|the"
    r"|some) )?(?:[a-z]+ ){0,2}?"
    rf"(?:{'|'.join(WORDS['looks'])})(?: (?:around|out))?"
    r"(?= (?:at|in|inside|into|over|through|for|under|on)\b)",
    re.IGNORECASE,
)
"""Noun that means what a verb does, as in "have a quick glance at"."""
_RECEIVER = re.compile(
    rf"(?:(?:over |back |out |round )?(?:to |for )?(?P<me>me|us)(?: over| back| out)? (?P<a>.+)"
    rf"|(?P<who>{PERSON}) (?P<b>(?:{DET} )?.+)"
    rf"|(?P<one>(?:the|my|our|his|her) (?:\w+ )?\w+) (?P<c>{DET} .+)"
    rf"|(?P<name>(?!home\b)[a-z]\w+) (?P<d>{DET} .+))",
    re.IGNORECASE,
)


def _bring(clause: Clause) -> Iterator[Goal]:
    """Read a transfer: the receiver stands before the object, after "to", or is the speaker."""
    moved = clause.verb in WORDS["moving_verbs"]
    carried = _with_receiver(_with_contents(clause.without_beneficiary() if moved else clause)).to_here()
    handed = clause.verb in ("hand", "pass", "give", "serve")
    if carried is None or (clause.before and not handed and not _OVER.fullmatch(clause.before)):
        return
    theme, roles = carried.theme, read_roles(carried.phrases, at_is_goal=False)
    if roles.spoiled or not theme:
        return
    double = _RECEIVER.fullmatch(theme) if not roles.to else None
    if double and (double["me"] or not moved):
        to = double["me"] or double["who"] or double["one"] or double["name"]
        yield read_bring(double["a"] or double["b"] or double["c"] or double["d"], to, roles.where)
    if roles.to or not (moved or clause.verb in _NEEDS_RECEIVER):
        yield read_bring(theme, roles.to or ME, roles.where)


_OVER = re.compile(r"(?:over|back|along|across|down|around|round)(?: (?:over|here))?")
_NEEDS_RECEIVER = frozenset(("take", "grab", "slip", "reach"))


def _with_contents(clause: Clause) -> Clause:
    """Return "a mug with tea" and "tea in a mug" as one object."""
    if not clause.phrases:
        return clause
    (prep, words), *rest = clause.phrases
    vessel = prep == "with" and re.search(rf"\b{VESSEL}(?: filled| full)?$", clause.theme, re.IGNORECASE)
    whole = f"{clause.theme} {prep} {words}"
    served = prep == "in" and not rest and isinstance(read_bring(_TO_ME.sub("", whole), ME), BringFilled)
    return replace(clause, theme=whole, phrases=tuple(rest)) if vessel or served else clause


_TO_ME = re.compile(r"^(?:to )?(?:me|us) ", re.IGNORECASE)


def _with_receiver(clause: Clause) -> Clause:
    """Return "to Anna the mug" as "Anna the mug"."""
    if clause.theme or not clause.phrases or clause.phrases[0][0] not in ("to", "for"):
        return clause
    words = clause.phrases[0][1]
    pair = re.fullmatch(rf"(?:me|us|{PERSON}|\w+) {DET} .+|(?:me|us) .+", words, re.IGNORECASE)
    return replace(clause, theme=words, phrases=clause.phrases[1:]) if pair else clause


def _put(clause: Clause) -> Iterator[Goal]:
    clause = clause.without_beneficiary()
    roles = read_roles(clause.phrases, at_is_goal=True)
    thrown = clause.verb in _THROWN and any(
        prep == "at" or _FLOOR.fullmatch(words) for prep, words in clause.phrases
    )
    taken = clause.verb == "take" and all(prep in AT for prep, _ in clause.phrases)
    if roles.spoiled or thrown or taken or not (roles.to and clause.theme):
        return
    quantity = _SOME.match(clause.theme)
    if quantity and not roles.where and _BASIN.search(roles.to):
        yield Pour(plain(clause.theme[quantity.end() :]), plain(roles.to))
    yield read_bring(clause.theme, roles.to, roles.where)


_THROWN = frozenset(("throw", "chuck", "toss", "sling", "drop"))
_FLOOR = re.compile(r"(?:the )?(?:floor|ground|wall)", re.IGNORECASE)
_SOME = re.compile(r"(?:some|more|a (?:little|bit of|drop of|splash of|little bit of)) ", re.IGNORECASE)
_BASIN = re.compile(
    r"\b(?:cup|glass|mug|bowl|tumbler|pan|saucepan|pot|jug|kettle|bottle|vase|bucket|coffee|tea)$",
    re.IGNORECASE,
)


def _pick_up(clause: Clause) -> Iterator[Goal]:
    roles = read_roles(clause.without_hand().phrases, at_is_goal=False)
    upwards = {clause.before, clause.after} <= {"", "up"}
    if roles.spoiled or roles.to or not (clause.theme and upwards) or _NOT_HELD.match(clause.theme):
        return
    if clause.verb == "grab" and clause.theme.lower().startswith("my "):
        yield read_bring(clause.theme, ME, roles.where)
    what, where = split_place(clause.theme)
    yield PickUp(what, plain(roles.where) or where)


_NOT_HELD = re.compile(
    r"your |(?:an? |some )?(?:\w+ )?(?:pictures?|photos?|video|note|turn|seat|step|nap|selfie|number|guess"
    r"|break)\b"
    r"|me |us ",
    re.IGNORECASE,
)


def _pour(clause: Clause) -> Iterator[Goal]:
    theme = re.sub(r"^(?:me|us|out|some) ", "", clause.theme, flags=re.IGNORECASE)
    full = re.fullmatch(r"(?P<vessel>(?:the|my|our|that) .+) full of (?P<contents>.+)", theme, re.IGNORECASE)
    prep, vessel = clause.only_phrase
    if full and not clause.phrases:
        yield Pour(plain(full["contents"]), plain(full["vessel"]))
    if theme and prep in INTO:
        yield Pour(plain(theme), plain(vessel))


def _add(clause: Clause) -> Iterator[Goal]:
    prep, vessel = clause.only_phrase
    if prep in TO | INTO and _BASIN.search(vessel):
        yield Pour(plain(_SOME.sub("", clause.theme)), plain(vessel))


def _fill(clause: Clause) -> Iterator[Goal]:
    prep, contents = clause.only_phrase
    if prep == "with" and clause.theme:
        yield Pour(plain(contents), plain(clause.theme))


def _serve(clause: Clause) -> Iterator[Goal]:
    """Read "pour me a glass of wine"; of "get" only what is filled."""
    yield from (goal for goal in _bring(clause) if isinstance(goal, BringFilled))


def _door(is_open: bool) -> Callable[[Clause], Iterator[Goal]]:
    def read(clause: Clause) -> Iterator[Goal]:
        yield MoveDoor(fixture(_AFTER_DOOR.sub("", _TO_ME.sub("", clause.said))), is_open)

    return read


_AFTER_DOOR = re.compile(
    r"^(?:up|out) |(?: (?:up|again|wide|properly|fully|afterwards?|after|for me|for us|too|behind you"
    r"|for [A-Z]\w+))+$"
)


def _latch(clause: Clause) -> Iterator[Goal]:
    said = _LATCHED.fullmatch(clause.said)
    if said and (said["latch"].lower() != "to" or clause.verb not in ("get", "have", "pop")):
        yield MoveDoor(fixture(said["door"]), said["latch"].lower().startswith("open"))


_LATCHED = re.compile(
    r"(?P<door>.+?) (?P<latch>open(?:ed)?|closed?|shut|to)(?: (?:again|for me|for us))*", re.IGNORECASE
)


def _come(clause: Clause) -> Iterator[Goal]:
    here = re.fullmatch(r"(?:(?:over|back|right|straight|along|up|down) )*(?:here|to me|to us)?", clause.said)
    if here and (clause.said or clause.verb != "return"):
        yield GoTo(ME)


def _go(clause: Clause) -> Iterator[Goal]:
    prep, where = clause.only_phrase
    named = re.fullmatch(rf"{DET} .+|{ROOM}", clause.theme, re.IGNORECASE)
    if not clause.theme and prep == "for" and clause.verb in _FETCHING:
        yield read_bring(where, ME)
    elif not clause.theme and prep in TO | {"in", "inside", "on", "through"} and where.lower() != "bed":
        yield GoTo(ME if MYSELF.fullmatch(where) else plain(where))
    elif not clause.phrases and named and clause.verb in ("go", "navigate", "head"):
        yield GoTo(plain(clause.theme))


_FETCHING = frozenset(("go", "come", "run", "nip", "pop", "head"))


def _stand(clause: Clause) -> Iterator[Goal]:
    prep, where = clause.only_phrase
    if not clause.theme and prep in AT:
        yield GoTo(plain(where))


_HIDING = re.compile(
    r"(?:the|my|our) (?:\w+ )?(?:drawer|cabinet|cupboard|wardrobe|closet|fridge|refrigerator|freezer|oven"
    r"|microwave"
    r"|dishwasher)",
    re.IGNORECASE,
)


def _look(clause: Clause) -> Iterator[Goal]:
    """Read "look in the fridge", "look at the table", "look in the fridge for milk"."""
    phrases = dict(clause.phrases)
    sought = phrases.pop("for", "")
    places = list(phrases.items())
    if sought and not MYSELF.fullmatch(sought) and len(places) + bool(clause.theme) < 2:
        where = clause.theme or (places[0][1] if places else "")
        yield Find(*split_place(sought)) if not where else Find(plain(sought), plain(where))
        return
    if clause.theme or len(places) != 1:
        if clause.verb == "check" and not places and _HIDING.fullmatch(clause.theme):
            yield LookInside(fixture(clause.theme))
        return
    prep, place = places[0]
    yield LookInside(fixture(place)) if prep in INTO else LookAt(plain(place))


def _view(clause: Clause) -> Iterator[Goal]:
    yield LookAt(plain(clause.said))


def _find(clause: Clause) -> Iterator[Goal]:
    said = re.sub(r"^me (?=(?:the|my|our)\b)", "", clause.said, flags=re.IGNORECASE)
    yield Find(*split_place(said))


_KINDS: Mapping[str, Callable[[Clause], Iterator[Goal]]] = {
    "hold": _pick_up,
    "pour": _pour,
    "add": _add,
    "fill": _fill,
    "serve": _serve,
    "open": _door(is_open=True),
    "close": _door(is_open=False),
    "latch": _latch,
    "come": _come,
    "go": _go,
    "stand": _stand,
    "look": _look,
    "view": _view,
    "find": _find,
    "bring": _bring,
    "put": _put,
    "pick up": _pick_up,
}
