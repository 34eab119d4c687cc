"""Noun phrases of goals: their articles, numbers and stated places, and which words cannot be one."""

import re
from itertools import pairwise

from openral_reasoner.placement.belief import is_household_noun
from openral_reasoner.placement.immovable import IMMOVABLE_NOUNS
from openral_reasoner.scripted.vocabulary import WORDS

MAX_WORDS = 8
"""Longest noun phrase that a person uses for an object or a place [words]."""
NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "a couple of": 2,
    "couple of": 2,
    "a couple": 2,
    "a pair of": 2,
    "pair of": 2,
    "half a dozen": 6,
    "a dozen": 12,
    "dozen": 12,
}
_DETERMINERS = WORDS["determiners"]
_ARTICLES = re.compile(
    r"^(?:(?:(?:a )?(?:(?:little )?bit|drop|splash|dash|drizzle|little) of|some of"
    r"|still(?= (?:some|any|the|my|\w+$))|the|teh|an|a|some|any|this"
    r"|that|these|those|another|(?:my|your|our|his|her|their|its)(?! (?:the|an?|some|my)\b))\s+)+",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"^(?:kid|son|daughter|child|wife|husband|brother|sister|partner|friend|boy|girl)'s (?!\w*room\b|bed\b"
    r"|desk\b|\w+ room\b)",
    re.IGNORECASE,
)
_NOT_A_NOUN = WORDS["no_nouns"]
_CONTRACTED = re.compile(
    r"(?:n't|'re|'ve|'ll|'m|'d)$|^(?:it|that|there|he|she|what|who|where|let|how)'s$|^wh?(?:ere|at)s$"
)
_INTANGIBLE = WORDS["intangible"]
_NOT_A_PLACE = WORDS["no_places"]
_BACK_PART = re.compile(
    r"^back (?=(?:door|room|garden|yard|porch|seat|bedroom|shelf|window|patio|entrance|gate|hall)$)"
)
_ABSTRACT = re.compile(r"(?:ed|ing|ness)$")
_CONCRETE = WORDS["concrete"]
_NO_HEADS = frozenset(
    [
        "round",
        "open",
        "shut",
        "closed",
        "nice",
        "tidy",
        "clean",
        "dirty",
        "ready",
        "empty",
        "full",
        "good",
        "bad",
        "tired",
        "near",
    ]
)
"""Adjectives after a noun: "the fridge shut" names no object."""
_MARKS = re.compile(r"[,;:?!&+=]|\.(?:\s|$)|\s[-\u2013\u2014]+\s")
_INNER = frozenset(("the", "a", "an", "my", "our", "your", "his", "their", "some"))
"""Determiners, which stand inside a noun phrase only after a preposition."""
_IMPERATIVES = WORDS["verbs_before_determiners"]
_BARE_VERBS = (WORDS["verbs"] | WORDS["other_verbs"] | WORDS["stating_verbs"]) - WORDS["verbs_or_nouns"]
"""Verbs that alone name no object, as in a list "the plate, then come"."""
_HALVES = frozenset(("changing", "charging", "living", "dining"))
"""First words of compounds that alone name no object."""
_LOCATING = WORDS["locating"]
_OF_PLACES = WORDS["inside_places"]
_AFTER_IS = WORDS["past_forms"] | {"gone", "been", "being", "missing", "due", "not", "so", "too", "very"}
"""Words before which "'s" is a verb."""
_CLOSED_BY = frozenset(("of",))


def plain(words: str) -> str:
    """Strip the articles of a noun phrase, and the relative whose object it is."""
    return _RELATIVE.sub("", _ARTICLES.sub("", words.strip(" ,.!?'\"")).strip())


def is_object(words: str) -> bool:
    """Return True if these words can name one object that a robot carries."""
    head = _head(words).lower()
    movable = head not in IMMOVABLE_NOUNS and head not in _KIN and not re.fullmatch(ROOM, head, re.IGNORECASE)
    return is_tangible(words) and movable


def is_tangible(words: str) -> bool:
    """Return True if these words can name an object, an animal or a person."""
    return is_noun_phrase(words) and not is_intangible(words)


def is_intangible(words: str) -> bool:
    """Return True if the head of a noun phrase names what cannot be fetched, seen or opened."""
    return bool(_INTANGIBLE.intersection(_head(words).lower().split()[-1:]))


def _head(words: str) -> str:
    return words.partition(" of ")[0]


def is_place(words: str) -> bool:
    """Return True if these words can name one place at home, or a person."""
    return is_noun_phrase(words, place=True) and not _NOT_A_PLACE.intersection(words.lower().split()[-1:])


def is_noun_phrase(words: str, place: bool = False) -> bool:
    """Return True if these words can name one object, person or, with ``place``, one place.

    A wrong name makes the robot act wrongly, so anything that looks like a part of a sentence is not a name.
    """
    said = _BACK_PART.sub("", words.lower()).split()
    verb = words.lower() in _BARE_VERBS and re.fullmatch(ROOM, words, re.IGNORECASE) is None
    verb = verb or words.lower() in _HALVES
    if (verb and not is_household_noun(words)) or " full of " in words.lower():
        return False
    if not 0 < len(said) <= MAX_WORDS or _MARKS.search(words):
        return False
    if said[-1] == "can":
        said[-1] = "tin"
    allowed = _OF_PLACES if place else _CLOSED_BY
    inner_determiner = any(word in _INNER and before not in _LOCATING for before, word in pairwise(said))
    verb = said[0] in _IMPERATIVES and len(said) > 1 and said[1] in (*_INNER, *_LOCATING)
    edge = said[0] in _LOCATING or said[-1] in _LOCATING | _DETERMINERS
    located = any(word in _LOCATING and word not in allowed for word in said)
    is_verb = any(before.endswith("'s") and word in _AFTER_IS for before, word in pairwise(said))
    return not (
        is_verb
        or any(map(_is_no_noun, said))
        or _is_no_head(said[-1])
        or inner_determiner
        or verb
        or edge
        or located
    )


def _is_no_noun(word: str) -> bool:
    return (
        word.strip("'\"") in _NOT_A_NOUN
        or _CONTRACTED.search(word) is not None
        or (word.endswith("ly") and word not in _CONCRETE)
    )


def _is_no_head(word: str) -> bool:
    """Return True if a word cannot be the last of a noun phrase."""
    abstract = _ABSTRACT.search(word) and word not in _CONCRETE and not word.endswith("bed")
    other = word in _NO_HEADS or word in NUMBERS or word.isdigit()
    return bool(abstract) or word.endswith("'s") or other


_COUNTED = re.compile(
    r"^(?:the |my |these |those |just |another |some )?"
    rf"(?P<count>{'|'.join(sorted(NUMBERS, key=len, reverse=True))}|\d+)"
    r"(?: more)?(?: of)?(?: the| my| those| these)? (?P<what>.+)$",
    re.IGNORECASE,
)


def counted(words: str) -> tuple[int, str]:
    """Return "two mugs" as 2 and "mug"; 0 if no number is said."""
    match = _COUNTED.match(words.strip())
    if match is None:
        return 0, words
    said = match["count"].lower()
    number = NUMBERS[said] if said in NUMBERS else int(said) if len(said) < 5 else 10_000
    if said.endswith("pair of") and _PAIRED.search(match["what"]):
        return 0, words
    return number, singular(plain(match["what"]))


_PAIRED = re.compile(
    r"(?:glasses|scissors|shears|pliers|tweezers|tongs|goggles|binoculars|headphones|earphones|chopsticks"
    r"|trousers|jeans|shorts|pants|leggings|tights|pyjamas|pajamas|socks|shoes|boots|sandals|slippers"
    r"|trainers"
    r"|gloves|mittens|earrings)$",
    re.IGNORECASE,
)
"""Nouns of which a pair is one object."""


def number_in(words: str) -> int:
    """Return the first number in a text, 0 if there is none."""
    said = re.findall(r"[a-z]+|\d{1,3}", words.lower())
    return next((NUMBERS.get(word) or int(word) for word in said if word in NUMBERS or word.isdecimal()), 0)


_PLURALS = (
    (r"(?<=kni)ves$", "fe"),
    (r"(?<=[aeo]l)ves$|(?<=lea)ves$|(?<=loa)ves$", "f"),
    (r"(?<=[^aeiou])ies$", "y"),
)
_ONE = {"cookies": "cookie", "movies": "movie", "brownies": "brownie", "smoothies": "smoothie", "pies": "pie"}
_SIBILANT = re.compile(r"(?<=sh|ch|ss)es$|(?<=x)es$|(?<=tato|mato)es$", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=[^su])s$", re.IGNORECASE)


def singular(words: str) -> str:
    """Return a noun phrase in the singular: the last word, or the one before "of"."""
    head, of, rest = words.partition(" of ")
    *before, last = head.split(" ")
    if last.lower() in _ONE:
        return " ".join((*before, _ONE[last.lower()])) + of + rest
    for pattern, ending in _PLURALS:
        if re.search(pattern, head, re.IGNORECASE):
            return re.sub(pattern, ending, head, flags=re.IGNORECASE) + of + rest
    single = _SIBILANT.sub("", head)
    return (single if single != head else _PLURAL.sub("", head)) + of + rest


_LIST = re.compile(
    r"\s*(?:,\s*(?:(?:and|plus|then)\s+)?(?:also\s+)?|\b(?:and also|and then|and|plus|as well as|along with"
    r"|together with)\b"
    r"|&|\+)\s*",
    re.IGNORECASE,
)


def listed(words: str) -> tuple[str, ...]:
    """Split "the mug, the spoon and the bowl" into its items."""
    whole = re.sub(r"^both\s+", "", words.strip(), flags=re.IGNORECASE)
    return tuple(item for item in _LIST.split(whole) if item)


_THAT_IS = (
    r"(?:(?:that|which)(?:'s| is| are)|thats|that should be|(?:lying|sitting|standing"
    r"|hanging)) ?(?:lying|sitting|standing)? ?"
)
_WHERE = re.compile(
    rf"^(?P<what>.+?) (?:{_THAT_IS})?(?:from|off|out of|on top of|on|inside|in|at|under|near|next to)"
    r"(?! the (?:top|bottom|left|right)$)(?: of)?(?: inside| on| in)? (?P<where>.+)$",
    re.IGNORECASE,
)


_REMAINING = re.compile(r" (?:left|remaining)$", re.IGNORECASE)


def split_place(words: str) -> tuple[str, str]:
    """Split a phrase into an object and its stated place."""
    said = _WHERE.match(words.strip())
    if said is None:
        return plain(words), ""
    return plain(_REMAINING.sub("", said["what"])), plain(said["where"])


_KIN = WORDS["kin"]
ROOM = (
    r"(?:(?:\w+ )?(?:(?!broom|mushroom|groom)\w*room|kitchen|hall|hallway|corridor|garage|garden|balcony"
    r"|porch|patio|terrace|office|study|cellar|attic|basement|pantry|nursery|conservatory|den|loft|landing"
    r"|foyer"
    r"|lobby|yard|backyard|shed))"
)
PERSON = (
    r"(?:(?:aunt|uncle|auntie) \w+|(?:mrs|mr|ms|miss|dr|nurse)\.? (?-i:[A-Z][\w'-]+)|(?-i:[A-Z][\w'-]+)"
    rf"|(?:my |our |the )?(?:{'|'.join(sorted(_KIN))}))"
)
"""Name of a person that is recognisable without context."""


ANIMAL = r"(?:dog|cat|puppy|kitten|hamster|rabbit|bird|pet|parrot)"
"""Animal of a household, in the singular."""


def is_person(words: str) -> bool:
    """Return True if these words are recognisable as a name of a person."""
    return re.fullmatch(PERSON, words.strip(), re.IGNORECASE) is not None
