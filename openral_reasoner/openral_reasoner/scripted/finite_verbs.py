"""Finite verbs: where the verb of a clause with a subject stands, if it has one."""

import re
from functools import cache

from openral_reasoner.placement.belief import is_household_noun
from openral_reasoner.scripted.normalise import VERBS, imperative
from openral_reasoner.scripted.vocabulary import WORDS

WORD = re.compile(r"[^\W_](?:[\w'-]*\w)?")
DETERMINERS = WORDS["determiners"] | frozenset(("no", "every", "each", "all", "two", "three", "four", "more"))
PRONOUNS = WORDS["pronouns"]
AUXILIARIES = WORDS["auxiliaries"]
CONTRACTED = re.compile(r"(?P<subject>\w+)'(?P<verb>s|re|ve|d|ll|m)", re.IGNORECASE)
INNER = WORDS["locating"] | frozenset(
    ("of", "to", "from", "with", "into", "onto", "off", "out", "and", "over", "up")
)
ALL_VERBS = VERBS | WORDS["other_verbs"] | WORDS["stating_verbs"]
_OBJECT_FOLLOWS = WORDS["determiners"] - {"of", "both", "few", "that"} | {"me", "us", "it", "him", "them"}
_GOVERNING = (
    PRONOUNS | AUXILIARIES | frozenset(("to", "not", "helped", "let", "a", "an", "the", "my", "just", "kids"))
)
_RELATIVES = frozenset(("that", "which", "who", "whose"))


@cache
def base_of(word: str) -> str:
    """Return the verb of which a word is the past or the form of the third person, "" if of none."""
    if word in WORDS["past_forms"]:
        return word
    stems = {word.removesuffix(ending) for ending in ("ed", "d", "s", "es") if word.endswith(ending)}
    stems |= {stem[:-1] + "y" for stem in stems if stem.endswith("i")}
    stems |= {stem[:-1] for stem in stems if len(stem) > 3 and stem[-1] == stem[-2:-1]}
    return next((stem for stem in stems if stem in ALL_VERBS), "")


def holds_request(tokens: list[str]) -> bool:
    """Return True if a verb of a rule stands before its object without a subject, as in a run-on sentence."""
    return any(
        verb in VERBS
        and after in _OBJECT_FOLLOWS
        and before not in _GOVERNING
        and not CONTRACTED.fullmatch(before)
        for before, verb, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def finite_verb(tokens: list[str]) -> int | None:
    """Return the index of the finite verb after a subject, or of the subject that holds it ("they're")."""
    if not tokens or _begins_otherwise(tokens):
        return None
    if tokens[0] in WORDS["roles"] and tokens[1:2] and tokens[1] in WORDS["locating"]:
        return 1
    return next((at for at in range(min(7, len(tokens))) if _is_finite(tokens, at)), None)


def is_clause(words: str) -> bool:
    """Return True if words have a subject and a finite verb."""
    return finite_verb([token.lower() for token in WORD.findall(words)]) is not None


def _begins_otherwise(tokens: list[str]) -> bool:
    """Return True if words begin as a question or a request does, not with a subject."""
    first, second = tokens[0], tokens[1] if tokens[1:] else ""
    verb = first in ALL_VERBS and not is_household_noun(first)
    if first in ("you", "u", "ye") or first in VERBS or verb:
        return second not in AUXILIARIES
    subject = first in DETERMINERS or first in INNER or CONTRACTED.fullmatch(first)
    imperative = second in _OBJECT_FOLLOWS and not subject
    if imperative and first != "its":
        return True
    return first in AUXILIARIES or first in WORDS["no_subjects"]


def _is_finite(tokens: list[str], at: int) -> bool:
    """Return True if the word at this index is a finite verb, or holds one as "they're" does."""
    word, before = tokens[at], tokens[at - 1] if at else ""
    contracted = CONTRACTED.fullmatch(word)
    if contracted and (
        contracted["verb"] != "s" or contracted["subject"] in PRONOUNS or is_verbal(tokens, at)
    ):
        return True
    if at == 0:
        return word == "its" and len(tokens) > 1 and not is_household_noun(tokens[1])
    if before not in _RELATIVES and (word in AUXILIARIES or (word in ALL_VERBS and before in PRONOUNS)):
        return True
    if before in _RELATIVES or before in DETERMINERS or before in INNER or not _names_subject(tokens[:at]):
        return False
    many = before.endswith("s") and tokens[0] in DETERMINERS and word in ALL_VERBS
    named = at == 1 and before not in ALL_VERBS and not is_household_noun(before)
    agent = named or before in PRONOUNS or before in WORDS["kin"] or before in WORDS["roles"]
    if imperative(word) in VERBS and not agent:
        return False
    inflected = base_of(word) and (before in PRONOUNS or _follows_subject(tokens, at))
    return word in WORDS["past_forms"] or many or bool(inflected)


def _names_subject(tokens: list[str]) -> bool:
    """Return True if words before a verb may be its subject."""
    known = any(is_household_noun(word) or word in WORDS["roles"] or word in WORDS["kin"] for word in tokens)
    return known or tokens[0] in DETERMINERS or tokens[0] in PRONOUNS or len(tokens) == 1


def is_verbal(tokens: list[str], at: int) -> bool:
    """Return True if "'s" is a verb: what follows is no noun that is possessed."""
    after = tokens[at + 1] if at + 1 < len(tokens) else ""
    later = tokens[at + 2] if at + 2 < len(tokens) else ""
    if after in DETERMINERS or after in INNER or after in ("not", "so", "too", "very", "just", "been"):
        return True
    noun = is_household_noun(after) and not after.endswith("ing")
    return bool(after) and not noun and not (later and (later in AUXILIARIES or is_household_noun(later)))


def _follows_subject(tokens: list[str], at: int) -> bool:
    """Return True if a form that may also be a noun or an adjective is a verb here."""
    word, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
    closed = (
        not after
        or after in DETERMINERS
        or after in INNER
        or after in PRONOUNS
        or after in WORDS["adverbs"]
        or after
        in (
            "here",
            "there",
            "home",
            "back",
            "in",
            "me",
            "us",
            "him",
            "her",
            "them",
            "so",
            "too",
            "like",
            "that",
            "at",
            "today",
            "very",
        )
        or after.endswith("ing")
    )
    if word.endswith("s") and not word.endswith("ss"):
        plural = is_household_noun(word.removesuffix("s")) or is_household_noun(word)
        return closed and not plural
    return closed or not is_household_noun(after)
