"""Clauses that begin with a verb, cut into chunks at their prepositions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from openral_reasoner.scripted.noun_phrases import PERSON

FROM = frozenset(("from", "off", "off of", "out of"))
TO = frozenset(("to", "towards", "toward", "into", "onto", "on to", "in to"))
INTO = frozenset(("in", "inside", "into", "in to"))
ONTO = frozenset(("on", "in", "at", "inside", "beside", "by", "next to", "on top of"))
"""Prepositions of places where a robot puts objects."""
AT = ONTO | {"under", "underneath", "behind", "near", "in front of", "against"}
_OVER = frozenset(("over", "around", "round"))
_PREPOSITIONS = FROM | TO | AT | _OVER | {"for", "with", "through", "about"}
_PREPOSITION = "|".join(sorted(_PREPOSITIONS, key=len, reverse=True))
_PARTICLE = (
    r"(?:up|down|over|back|away|out|outside|along|across|through|around|round|off|on|in|right|together"
    r"|straight|again"
    r"|all the way|neatly|carefully|gently|safely|nicely|quickly|properly)"
)
_BETWEEN = re.compile(
    rf"(?:^|\s+)(?:{_PARTICLE}(?: and \w+ly)? )*(?P<prep>{_PREPOSITION})\s+(?!(?:{_PREPOSITION})\b)(?=\S)",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"^(?:{_PARTICLE}(?:\s+|$))+", re.IGNORECASE)
_AFTER = re.compile(rf"(?:\s+{_PARTICLE})+$", re.IGNORECASE)
_THAT_IS = re.compile(
    r"\s+(?:(?:that|which)(?:'s| is| are)|thats|lying|standing|sitting|hanging|hiding)(?: \w+ing)?"
    r"\s+(?:on top of|on|in|at|inside|under|behind|by|near)\b",
    re.IGNORECASE,
)
"""Relative clause that says where the object is."""
_JOINS = re.compile(r",|&|\b(?:and|plus|as well as)\b", re.IGNORECASE)
"""Joins of a list: what follows the first phrase belongs to the next item."""
_HERE = re.compile(r"(?:\s|^)(?:(?:right |over |back )*here|my way)$", re.IGNORECASE)
MYSELF = re.compile(r"(?:me|us|myself|here|my place|my side)", re.IGNORECASE)
_HAND = re.compile(r"(?:your|the|ur) (?:\w+ )?(?:hands?|grippers?|arm|claw|fingers|grip)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """Object of a verb, and the phrases after it by their prepositions, in order.

    Attributes:
        verb: The verb, in lower case.
        said: All the words after the verb.
        theme: Words before the first preposition, without particles.
        phrases: Preposition and words of each phrase.
        before: Particles right after the verb.
        after: Particles at the end of the theme.
    """

    verb: str
    said: str
    theme: str
    phrases: tuple[tuple[str, str], ...] = ()
    before: str = ""
    after: str = ""

    @property
    def only_phrase(self) -> tuple[str, str]:
        """The phrase of a clause that has one; else two empty strings."""
        return self.phrases[0] if len(self.phrases) == 1 else ("", "")

    @property
    def in_hand(self) -> bool:
        """True if a phrase names the robot's hand."""
        return any(_HAND.fullmatch(words) for _, words in self.phrases)

    def without_hand(self) -> "Clause":
        """Return the clause without the phrases that name the robot's hand."""
        return replace(self, phrases=tuple(pair for pair in self.phrases if not _HAND.fullmatch(pair[1])))

    def without_beneficiary(self) -> "Clause":
        """Return the clause without "for me"."""
        kept = (pair for pair in self.phrases if pair[0] != "for" or not MYSELF.fullmatch(pair[1]))
        return replace(self, phrases=tuple(kept))

    def to_here(self) -> "Clause | None":
        """Return the clause with "over here" as "to me" and "over the mug" as object; None if unclear."""
        theme, phrases = self.theme, self.phrases
        if phrases and phrases[0][0] in _OVER:
            words, phrases = phrases[0][1], phrases[1:]
            if not _HERE.fullmatch(words) and theme.lower() not in ("", "me", "us"):
                return None
            theme = f"{theme} {words}".strip()
        here = _HERE.search(theme)
        moved = (*phrases, ("to", "me")) if here else phrases
        return replace(self, theme=theme[: here.start()] if here else theme, phrases=moved)


def read_clause_of(verb: str, words: str) -> Clause:
    """Cut the words after a verb at their prepositions."""
    said = _THAT_IS.sub(" from", words.strip(" ,"))
    cuts = list(_BETWEEN.finditer(said))
    joined = _JOINS.search(said, cuts[0].end()) if cuts else None
    cuts = [cut for cut in cuts if joined is None or cut.end() < joined.start()]
    theme = said[: cuts[0].start()] if cuts else said
    before, after = _BEFORE.match(theme), _AFTER.search(theme)
    particles = (match[0].strip().lower() if match else "" for match in (before, after))
    return Clause(verb, said, _without_particles(theme), tuple(_phrases(said, cuts)), *particles)


def _phrases(said: str, cuts: list[re.Match[str]]) -> Iterator[tuple[str, str]]:
    ends = [cut.start() for cut in cuts[1:]] + [len(said)]
    for cut, end in zip(cuts, ends, strict=False):
        yield " ".join(cut["prep"].lower().split()), _without_particles(said[cut.end() : end])


def _without_particles(words: str) -> str:
    return _AFTER.sub("", _BEFORE.sub("", words)).strip(" ,")


@dataclass(slots=True)
class Roles:
    """Receiver or destination, and stated place, of a clause; ``spoiled`` if a phrase has neither role."""

    to: str = ""
    where: str = ""
    spoiled: bool = False


def read_roles(phrases: tuple[tuple[str, str], ...], at_is_goal: bool) -> Roles:
    """Assign a role to each phrase.

    Args:
        phrases: Phrases of the clause.
        at_is_goal: "on the table" is where the object goes, not where it is.
    """
    roles = Roles()
    for prep, words in phrases:
        goal = prep in TO or (at_is_goal and prep in ONTO)
        person = prep == "for" and (MYSELF.fullmatch(words) or re.fullmatch(PERSON, words, re.IGNORECASE))
        if person or (goal and not roles.to):
            roles.to = roles.to or words
        elif prep in FROM | AT and not roles.where and not (roles.to and prep in AT - {"on", "on top of"}):
            roles.where = words
        elif prep in AT and roles.to and not roles.where:
            roles.to = f"{roles.to} {prep} {words}"
        elif prep in AT and roles.where and not roles.to:
            roles.where = f"{roles.where} {prep} {words}"
        else:
            roles.spoiled = True
    return roles
