"""Normalise spoken requests: fillers, politeness, vocatives, misspelt verbs, remarks."""

import re
import unicodedata
from collections.abc import Collection
from difflib import get_close_matches
from functools import lru_cache

from openral_reasoner.placement.belief import is_household_noun, thesaurus
from openral_reasoner.scripted.vocabulary import PHRASES, WORDS

VERBS = WORDS["verbs"]
"""Verbs with which a request may begin."""
_REAL_VERBS = WORDS["other_verbs"]
_NO_NOUNS = WORDS["no_nouns"]
"""Verbs that are not a misspelling of one of the others."""

_VOCATIVE = PHRASES["vocatives"]
_SET_OFF = re.compile(
    rf"(?<=[,.!?])\s*(?:{_VOCATIVE}|u+h+m*|u+m+|e+r+m*|oh|ah|quick(?:ly)?|please|pls|you know|like|(?:would"
    r"|will|could|can) you)\s*(?=[,.!?])"
    r"|\b(?:u+h+m*|u+m+|e+r+m*|oh|ah)\b(?! dear| no\b)[,.]*",
    re.IGNORECASE,
)
POLITE = re.compile(
    r"\b(?:please|pls|plz|thanks|thank you|thx|cheers|if you (?:don't|wouldn't) mind|if you please"
    r"|if you(?:'d| would) be so (?:kind|good|nice))\b",
    re.IGNORECASE,
)
_NEGATIVE_TAG = re.compile(
    r"^you (?:couldn't|can't|wouldn't) (?P<asked>.+?),? (?:could|can|would) you\s*\?*$", re.IGNORECASE
)
"""Request as a negative statement with a tag: "you couldn't pass me the salt, could you?"."""


def clean(text: str) -> str:
    """Normalise quotes, spaces, shouting and interjections of a whole text."""
    words = _NEGATIVE_TAG.sub(r"\g<asked>", " ".join(text.translate(_QUOTES).split()))
    if words.isupper() and " " in words:
        words = words.lower()
    words = _without_last_symbols(words)
    words = _COLOURS.sub(r"\1-\2", words)
    words = _TIMES.sub(r"\1 ", _ENTITY.sub(lambda m: "&" if m[1] == "amp" else " ", words))
    words = _CHAT.sub("", _DICTATED.sub(lambda m: _MARKS[m[1].lower()], _ADDRESSED.sub("", words)))
    words = re.sub(r"\s*(?:\.\s?\.[.\s]*|\u2026|\s[-\u2013\u2014]+\s)\s*", ". ", words)
    words = re.sub(r",\s*(?=[,.!?])", "", _SET_OFF.sub("", _EMPTY.sub(" ", words)))
    repaired = _REPAIRS_RE.sub(lambda m: _REPAIRS[m[0].lower()], words)
    return " ".join(_LONG_WORD.sub(lambda m: correct_doubling(m[0]), repaired).split())


_MARKS = {"full stop": ".", "comma": ",", "question mark": "?", "exclamation mark": "!", "period": "."}
_DICTATED = re.compile(
    r"\s+(full stop|comma|question mark|exclamation mark|period(?=\s*[.!?]?\s*$|\s+(?:please|thank)))\b",
    re.IGNORECASE,
)
"""Punctuation that a speech recogniser writes out."""
_CHAT = re.compile(
    r"(?:\s+(?:pl+(?:ea)?[sz]{2,}|lol|haha+|lmao|rofl|xd|:-?\)|;-?\)|asap|tnx))+\s*[.!?]*$", re.IGNORECASE
)
_ENTITY = re.compile(r"&(amp|nbsp|quot);", re.IGNORECASE)
_COLOUR = r"black|white|red|green|blue|yellow|brown|gr[ae]y|pink|purple|beige|silver|gold(?:en)?"
_COLOURS = re.compile(rf"\b({_COLOUR}) and ({_COLOUR})(?= [a-z])", re.IGNORECASE)
"""Colours of one thing: "the black and white mug"."""
_TIMES = re.compile(r"\b(\d{1,2}) ?x (?=[a-z])", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"^(?:[-*\u2022]\s+|\d+[.)]\s+|(?:goal|task|todo|order|instruction)\s*:\s*"
    r"|(?:hey |ok |okay )?(?:alexa|siri|google|computer|jarvis)\s*[,:!]?\s+)",
    re.IGNORECASE,
)
"""List marks, headings and the wake words of assistants."""
_LONG_WORD = re.compile(r"(?<![\w'])[a-z]{5,}(?![\w'])")


def _without_last_symbols(words: str) -> str:
    """Drop emoji at the end, unless they stand for what is asked for: "bring me" and a picture of bread."""
    kept = words
    while kept and (kept[-1].isspace() or unicodedata.category(kept[-1]) in ("So", "Sk", "Cf")):
        kept = kept[:-1]
    last = kept.split()[-1].lower() if kept else ""
    return words if last in WORDS["determiners"] | {"", "me", "us", "of"} else kept


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@lru_cache(maxsize=4096)
def correct_doubling(word: str) -> str:
    """Return the one household noun that a word is but for a wrongly doubled or a missing letter."""
    if word in VERBS or word in _REAL_VERBS or word in _NO_NOUNS or is_household_noun(word):
        return word
    doubled = (word[:i] + word[i - 1 :] for i in range(1, len(word) + 1))
    single = (word[:i] + word[i + 1 :] for i in range(len(word) - 1) if word[i] == word[i + 1])
    inserted = (
        (word[:i] + c + word[i:] for i in range(1, len(word) + 1) for c in _LETTERS) if len(word) > 6 else ()
    )
    for candidates in ((*doubled, *single), inserted):
        meant = {each for each in candidates if is_household_noun(each) and thesaurus().knows(each)}
        if meant:
            return meant.pop() if len(meant) == 1 else word
    return word


_EMPTY = re.compile(
    r"[\s,]+(?:if you please|if you don't mind my asking|by any chance|for the life of me|on earth"
    r"|in the world|as well as you can"
    r"|if at all possible)(?=[\s,.!?]|$)"
    r"|(?<![\w'])(?:really|actually|honestly|basically|literally|possibly|simply|seriously|just"
    r"|pretty please|p+l+e+a+s+e+|pls|plz"
    r"|kindly)(?![\w'])(?! to\b)",
    re.IGNORECASE,
)
"""Words that change nothing wherever they stand."""
_QUOTES = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'", "\u201c": '"', "\u201d": '"'}
)
_REPAIRS = {
    "wheres": "where's",
    "whats": "what's",
    "theres": "there's",
    "im": "I'm",
    "ive": "I've",
    "thats": "that's",
    "dat": "that",
    "dis": "this",
    "dont": "don't",
    "cant": "can't",
    "havent": "haven't",
    "isnt": "isn't",
    "arent": "aren't",
    "everyones": "everyone's",
    "u": "you",
    "ya": "you",
    "r": "are",
    "ur": "your",
    "cud": "could",
    "wud": "would",
    "wat": "what",
    "wats": "what's",
    "wher": "where",
    "smth": "something",
    "id like": "I'd like",
    "gimme": "give me",
    "lemme": "let me",
    "wanna": "want to",
    "gotta": "have to",
    "outta": "out of",
    "cannae": "cannot",
    "dinnae": "don't",
    "ye": "you",
    "ye're": "you're",
    "tae": "to",
    "frae": "from",
    "gie": "give",
    "c'mere": "come here",
    "frigde": "fridge",
    "teh": "the",
    "frm": "from",
    "da": "the",
    "nd": "and",
    "n": "and",
    "cuppa tea": "cup of tea",
    "cuppa": "cup of tea",
    "cuppa coffee": "cup of coffee",
}
"""Contractions and words of typed messages, written out."""
_REPAIRS_RE = re.compile(
    rf"(?<![\w'])(?:{'|'.join(map(re.escape, sorted(_REPAIRS, key=len, reverse=True)))})(?![\w'])",
    re.IGNORECASE,
)


def fold_quotes(text: str) -> str:
    """Return a text with plain quotes and single spaces."""
    return " ".join(text.translate(_QUOTES).split())


def correct_spelling(words: str, known: Collection[str] = VERBS) -> str:
    """Correct the first word if it is a misspelt known verb and no word of its own."""
    first, _, rest = words.partition(" ")
    word = first.lower()
    if word in known or word in _REAL_VERBS or len(word) < 3 or imperative(word) in known:
        return words
    same = [each for each in known if each[0] == word[0]]
    swapped = [each for each in same if sorted(each) == sorted(word)]
    meant = swapped or get_close_matches(word, same, n=1, cutoff=ALIKE)
    return f"{meant[0]} {rest}".strip() if meant else words


_ALSO_NOUNS = WORDS["verbs_or_nouns"]


def is_real_verb(word: str, rest: str) -> bool:
    """Return True if this is an English verb that no rule begins with, and no noun before the rest."""
    noun = word.lower() in _ALSO_NOUNS and not re.match(
        r"(?:the|my|our|an?|some|it|them|this|that|\w+s)\b", rest
    )
    return word.lower() in _REAL_VERBS and not noun


ALIKE = 0.8
"""Minimum similarity of a misspelt verb to the intended one, as a ratio of `difflib` [0, 1]."""
_DONE = {
    "found": "find",
    "brought": "bring",
    "gotten": "get",
    "got": "get",
    "taken": "take",
    "given": "give",
    "gone": "go",
    "shut": "shut",
    "put": "put",
    "set": "set",
    "laid": "lay",
}
"""Irregular participles of the verbs, as in "once you have found it"."""


def imperative(clause: str) -> str:
    """Return "putting it away" or "you have put it away" as an imperative."""
    clause = re.sub(
        r"^you(?:'ve| have|'re| are)? (?:done |finished )?", "", clause.strip(" ,"), flags=re.IGNORECASE
    )
    first, _, rest = clause.partition(" ")
    word = first.lower()
    stems = [_DONE.get(word, word)]
    for ending in ("ing", "ed", "d"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            stems += [stem, f"{stem}e", stem[:-1], f"{stem[:-1]}y"]
    verb = next((stem for stem in stems if stem in VERBS), word)
    return f"{verb} {rest}".strip()
