"""Statements: clauses that ask for nothing, and what they mention.

A statement is a subject and a finite verb: "the kids have wrecked the playroom". It is passed over only if no
word of it could change what the rest of the text asks for.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from openral_reasoner.placement.belief import is_household_noun
from openral_reasoner.placement.immovable import IMMOVABLE_NOUNS
from openral_reasoner.scripted.finite_verbs import (
    ALL_VERBS,
    AUXILIARIES,
    CONTRACTED,
    DETERMINERS,
    INNER,
    PRONOUNS,
    WORD,
    base_of,
    finite_verb,
    holds_request,
    is_verbal,
)
from openral_reasoner.scripted.normalise import VERBS
from openral_reasoner.scripted.noun_phrases import (
    NUMBERS,
    PERSON,
    is_intangible,
    is_object,
    is_person,
    is_place,
    number_in,
    plain,
)
from openral_reasoner.scripted.vocabulary import WORDS


@dataclass(frozen=True, slots=True)
class Statement:
    """Clause that asks for nothing.

    Attributes:
        objects: Objects that it names and that a robot carries, in order.
        places: Furniture and rooms that it names, in order.
        person: Person that it is about, "" if there is none.
        located: It says that the object is at the place.
        people: Number of people that it names, 0 if none.
    """

    objects: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    person: str = ""
    located: bool = False
    people: int = 0


def read_statement(clause: str) -> Statement | None:
    """Read a clause that asks for nothing and cannot change what the rest asks for; else None."""
    words = _LEADING.sub("", clause.strip(" ,.!?;:"))
    if not words or _EXCLAMATION.fullmatch(words) or _QUESTION.match(words):
        return Statement()
    tokens = WORD.findall(words)
    lower = [token.lower() for token in tokens]
    verb = finite_verb(lower)
    if (
        verb is None
        or _PLACES_IT.match(words)
        or not WORDS["no_subjects"].isdisjoint(lower[:verb])
        or (verb == len(lower) - 1 and lower[verb] in AUXILIARIES)
        or holds_request(lower)
        or _changes_meaning(lower, verb)
    ):
        return None
    told = tokens[: lower.index("like")] if "like" in lower else tokens
    named = () if _OF_IT.match(words) else _named(told)
    objects = tuple(name for name in named if is_object(name) and name.split()[-1] not in IMMOVABLE_NOUNS)
    places = tuple(name for name in named if name not in objects)
    located = len(objects) == len(places) == 1 and _LOCATED.search(words) is not None
    return Statement(objects, places, _person(tokens), located, _people(words))


_OF_IT = re.compile(
    r"(?:it|this|that|he|she|they)(?:'s| is| are|'re| was| were) (?!(?:in|on|at|under|time)\b)", re.IGNORECASE
)
"""Beginning of a statement about what was mentioned before."""
_PLACES_IT = re.compile(
    r"(?:it|they)\b.* (?:behind|under|underneath|beneath|between|above|below)\b", re.IGNORECASE
)
"""Beginning of a statement that places what was asked for, and is needed for it."""
_LOCATED = re.compile(
    r"(?:\b(?:is|are|was|be|left|forgot|dropped|put|have|has|had|keep|saw|seen|kept|lies|lying|find|see)\b"
    r"|'s\b).*"
    r" (?:in|on|at|inside|under|behind|near|from|by|beside) |^(?:in|on|at|inside|under|behind) .* (?:is"
    r"|are|find|see)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:because|cause|cos|'cause|since|as|for|so|that|and|but|i (?:think|guess|believe|fear"
    r"|reckon)(?: that)?"
    r"|it (?:seems|looks like)|looks like|apparently|unfortunately|sadly|luckily) )+",
    re.IGNORECASE,
)
_EXCLAMATION = re.compile(
    rf"(?:(?:{'|'.join(WORDS['exclamations'])}|what an? [\w' ]{{1,30}}|how \w+|chop chop|hurry(?: up)?"
    r"|oh (?:dear|no)"
    r"|no rush|be quick|any ideas?|(?:do )?you know|sorry to (?:bother|trouble) you|i beg you"
    r"|you hear(?: me)?"
    r"|you'?re an? (?:\w+ )?\w+|(?:(?:can|could) you )?help(?: me)?(?: out)?"
    r"|(?:good|great|nice|lovely|perfect|thanks|please|pretty please)(?: \w+)?|(?:have|take) a (?:good "
    r"|quick )?look"
    r"|(?:tell|let) (?:me|us)(?: know)? (?:what (?:you (?:can )?(?:see|find)|is there|there is)(?: there)?"
    r"|(?:where|if|whether|when) (?:you (?:find|see|found|have) )?(?:it|they|them)(?:'s| is"
    r"| are)?(?: there)?)"
    r"|(?:tell|let) (?:me|us)(?: know)? (?:when|once|if) (?:you're|you are|it's|it is) (?:done|finished"
    r"|ready)"
    r"|(?:and )?see what's where|(?:and )?stay (?:there|put|here)"
    r"|(?:sort|see to|take care of|do) (?:that|it|this)(?: out)?|let some [\w ]+ in) ?)+",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:were you born|who (?:left|forgot|put)|why (?:is|are|does)|isn't it|don't you (?:think|feel|find)"
    r"|how are you"
    r"|are you (?:there|listening|awake|free|busy))\b",
    re.IGNORECASE,
)
"""Questions that want no answer."""


def _changes_meaning(tokens: list[str], verb: int) -> bool:
    """Return True if a statement may change, or be itself, a part of the request."""
    subject, said = tokens[: verb + 1], tokens
    speaker = subject[0].partition("'")[0] in ("i", "we")
    ordered = not speaker and any(before == "to" and word in VERBS for before, word in pairwise(said))
    plan = speaker and any(word in WORDS["transfers"] for word in said[1:2])
    if ordered or plan or not WORDS["corrections"].isdisjoint(said):
        return True
    if any(_is_duty(said, *duty) for duty in _DUTIES):
        return True
    if _NEGATED.search(" ".join(said)):
        able = speaker and any(
            word in said for word in ("can't", "cannot", "cant", "couldn't", "haven't", "not")
        )
        wanted = not WORDS["wishes"].isdisjoint(said)
        if wanted or not (able or subject[0] not in ("it", "that", "this", "you", "it's", "that's")):
            return True
    wished = next(
        (i for i, word in enumerate(said) if word in WORDS["wishes"] and not _is_likeness(said, i)), None
    )
    if wished is None:
        return False
    rest = said[wished + 1 :]
    if rest[:1] == ["to"]:
        return not speaker or (len(rest) > 1 and rest[1] in ("have", "get"))
    return bool(rest) and not is_intangible(plain(" ".join(rest)))


def _is_likeness(tokens: list[str], at: int) -> bool:
    """Return True if "like" compares: "the bedroom looks like a bomb site"."""
    return (
        tokens[at] == "like"
        and at > 0
        and re.match(r"(?:look|feel|smell|sound|taste)|just$", tokens[at - 1]) is not None
    )


_NEGATED = re.compile(r"\b(?:not|never|no|nothing|nobody|none|cannot|dont|cant|wont)\b|n't\b")
_DUTIES = (
    ("should",),
    ("must",),
    ("ought",),
    ("supposed",),
    ("have", "to"),
    ("has", "to"),
    ("needs", "to"),
    ("need", "to"),
    ("is", "to"),
    ("are", "to"),
    ("belongs",),
    ("belong",),
    ("goes",),
    ("go",),
)


_PEOPLE = re.compile(
    r"\b(?:we(?:'re| are|'ll be| will be| have)|there(?:'s| are|'ll be| will be)|it(?:'s| is)|just|only"
    r"|for) (?:the )?"
    rf"(?P<number>{'|'.join(NUMBERS)}|\d+)\b|\b(?P<of>{'|'.join(NUMBERS)}|\d+) (?:of us|people|guests"
    r"|persons|friends)\b",
    re.IGNORECASE,
)


def _people(words: str) -> int:
    """Return how many people a statement says there are: "there'll be four of us"."""
    said = _PEOPLE.search(words)
    return number_in(said["number"] or said["of"]) if said else 0


def _is_duty(tokens: list[str], *words: str) -> bool:
    """Return True if these words say what is to be done by another than the speaker."""
    return any(
        tokens[at : at + len(words)] == list(words) and not _OWN.intersection(tokens[max(0, at - 2) : at])
        for at in range(len(tokens))
    )


_OWN = frozenset(
    ("i", "we", "i'll", "we'll", "i'd", "can't", "cannot", "i've", "we've", "i'm", "we're", "to")
)


def _person(tokens: list[str]) -> str:
    """Return the first person that words name: "Anna", "Aunt Joan", "the baby"."""
    plural = re.search(r"[^']s$", tokens[0]) and tokens[1:2] and tokens[1].lower() not in ("is", "was", "has")
    for at in range(1 if plural else 0, len(tokens)):
        for length in (3, 2, 1):
            words = re.sub(r"'s$", "", " ".join(tokens[at : at + length]))
            if len(tokens) >= at + length and _PERSON.fullmatch(words) and not _is_no_person(words.lower()):
                return plain(words)
    return ""


_PERSON = re.compile(rf"{PERSON}|(?:the|our|my) (?:{'|'.join(WORDS['roles'])})", re.IGNORECASE)
_NO_PEOPLE = PRONOUNS | AUXILIARIES | DETERMINERS | frozenset(("i", "where", "what", "how", "why"))


def _is_no_person(words: str) -> bool:
    return words in _NO_PEOPLE or CONTRACTED.fullmatch(words) is not None or is_household_noun(words)


def _named(tokens: list[str]) -> tuple[str, ...]:
    """Return the objects and places that a statement names with a determiner, or as its subject."""
    found: list[str] = []
    at = 0
    while at < len(tokens):
        begins = (
            tokens[at].lower() in DETERMINERS
            or tokens[at].endswith("'s")
            or (at == 0 and _is_inner(tokens[0].lower()))
        )
        end = at + 1
        while begins and end < min(len(tokens), at + 5) and _is_inner(tokens[end].lower()):
            end += 1
            if tokens[end - 1].endswith("'s") and is_verbal([each.lower() for each in tokens], end - 1):
                break
        phrase = _OWNED.sub("", re.sub(r"'s$", "", plain(" ".join(tokens[at:end])))) if begins else ""
        if phrase and (at == 0 or end - at > 1) and _is_mentioned(phrase, at == 0):
            found.append(phrase)
        at = end
    return tuple(dict.fromkeys(found))


_OWNED = re.compile(rf"^{PERSON}'s (?=\w)", re.IGNORECASE)


def _is_inner(word: str) -> bool:
    contracted = CONTRACTED.fullmatch(word)
    return (
        word not in AUXILIARIES
        and word not in INNER
        and word not in DETERMINERS
        and word not in PRONOUNS
        and word not in WORDS["no_nouns"]
        and not (contracted and contracted["verb"] != "s")
        and (is_household_noun(word) or not (word in ALL_VERBS or base_of(word)))
        and (not word.endswith("ing") or word in WORDS["concrete"])
    )


def _is_mentioned(phrase: str, first: bool) -> bool:
    person = is_person(phrase) or _PERSON.fullmatch(f"the {phrase}")
    if person or phrase.lower() in PRONOUNS or is_intangible(phrase) or not is_place(phrase):
        return False
    return not first or is_household_noun(phrase) or is_household_noun(phrase.split()[-1])
