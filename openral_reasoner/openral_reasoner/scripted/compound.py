"""Requests: a text is cut into clauses, and each is read as goals, as a remark or as a statement to refer to.

Every way to cut it is tried, the longest clauses first. A text of which any clause is not understood is not
understood as a whole: half a request is never acted on.
"""

import re
from collections.abc import Sequence as Items
from dataclasses import dataclass, replace
from functools import lru_cache

from openral_reasoner.placement.belief import is_drink, is_household_noun
from openral_reasoner.request.goals import (
    Act,
    Bring,
    BringSeveral,
    Find,
    Forbidden,
    NotUnderstood,
    PickUp,
    Request,
    Restricted,
    Sequence,
    SetTable,
    unrestricted,
)
from openral_reasoner.scripted.chores import read_chore
from openral_reasoner.scripted.conditions import read_condition, read_wait
from openral_reasoner.scripted.doubts import is_doubtful, is_doubtful_reading
from openral_reasoner.scripted.foreign_goals import read_foreign
from openral_reasoner.scripted.grammar import MAX_LENGTH, first_accepted, is_too_long
from openral_reasoner.scripted.languages import spoken_language
from openral_reasoner.scripted.listing import expand, is_run_together
from openral_reasoner.scripted.merging import merge_goals, moved_again, with_stated_place, without_way
from openral_reasoner.scripted.normalise import POLITE, VERBS, clean, imperative
from openral_reasoner.scripted.noun_phrases import is_object, is_place, plain
from openral_reasoner.scripted.politeness import bare, without_fillers
from openral_reasoner.scripted.prohibitions import is_prohibition, marked, read_prohibition
from openral_reasoner.scripted.references import Mentioned, read_topic
from openral_reasoner.scripted.rewriting import as_imperative, corrected
from openral_reasoner.scripted.state_words import read_abilities, read_count, read_state
from openral_reasoner.scripted.statements import read_statement
from openral_reasoner.scripted.vocabulary import WORDS
from openral_reasoner.terms import same_term

_ORDER = (
    r"(?:and )?(?:then|next|after that|afterwards?|after this|finally|lastly|once (?:that|this|it)(?:'s"
    r"| is) done|once done"
    r"|when (?:that's|that is|you're|you are) (?:done|finished))"
)
_CLEAR_VERB = "|".join(sorted(VERBS - WORDS["verbs_or_nouns"]))
_JOIN = re.compile(
    rf"\s*(?:[.!?;]+(?=\s|$)|,)?\s*\b(?:{_ORDER}|and so|and also|and|also|plus"
    r"|(?<!is )(?<!'s )(?<!are )(?<!'m )(?<!am )(?<!looks )(?<!feels )so|because|cos|but)\b\s*,?\s+"
    r"|\s*(?:[.!?;]+(?=\s|$)|[,:])\s*|\s+(?=(?:can|could|would|will) you \w|(?:it's|i'm|we're) \w"
    r"|its (?:\w+ing|so|too|very|cold|hot|dark|stuffy)\b)"
    r"|(?<!\bto)(?<!\band)(?<!n't)(?<!'ll)(?<!cannot)(?<!\bcan)(?<!\bi)(?<!\bwe)(?<!\byou)"
    rf"\s+(?=(?:{_CLEAR_VERB}) (?:me|us|the|my|an?|some|it)\b)",
    re.IGNORECASE,
)
_ORDERS = re.compile(_ORDER, re.IGNORECASE)
_TAIL = re.compile(
    r"[\s,]+(?:too|as well|also|again|first|next|afterwards?|after(?: that)?|then|later on|at the end)$",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|in case|should|otherwise|else|when|whenever|once|as soon as|until|till|wait|no|provided"
    r"|supposing|the (?:moment|minute)"
    r"|failing)\b",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"\bone for .*\bone for\b|\b(?:two|three|four|five|six|\d) [\w ]+[,:] one (?:for|to) (?:each|every)\b",
    re.IGNORECASE,
)
"""Objects divided among several people, which no goal can say."""
MAX_CLAUSES = 14
"""Most pieces between conjunctions and punctuation that are read."""
MAX_READINGS = 200
"""Most clauses that are tried for one text; a text of more ways to be cut is asked back."""


def parse_request(text: str) -> Request:
    """Parse a goal of one or several parts; NotUnderstood if any part of it is not."""
    request = _parse(text)
    parts = unrestricted(request)
    stated = set(re.findall(r"[^\W\d_]+", text.lower())) & WORDS["ordering"]
    if not (stated and isinstance(parts, Sequence) and not parts.ordered):
        return request
    in_turn = replace(parts, in_turn=True)
    return replace(request, goal=in_turn) if isinstance(request, Restricted) else in_turn


def _parse(text: str) -> Request:
    if is_too_long(text):
        return NotUnderstood(" ".join(text[:MAX_LENGTH].split()))
    language = spoken_language(text)
    if language is not None:
        return read_foreign(language, text)
    words = marked(corrected(clean(text)))
    if is_doubtful(words):
        return NotUnderstood(bare(words))
    if (question := read_abilities(words) or read_count(words)) is not None:
        return question
    whole = _RequestReader(bool(POLITE.search(text))).read(words, Mentioned()) or read_state(bare(words))
    is_clear = whole is not None and not is_doubtful_reading(whole, words)
    return whole if whole is not None and is_clear else NotUnderstood(bare(words))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Span of a text between two joins."""

    start: int
    end: int
    ordered: bool
    new_sentence: bool
    added: bool


@dataclass(frozen=True, slots=True)
class _State:
    """Result of the clauses so far.

    Attributes:
        mentioned: Objects, place and person that pronouns may mean.
        parts: Goals.
        ordered: The goals have a stated order.
        awaited: A statement is yet to be referred to.
        people: Number of people that a statement named, 0 if none did.
        forbidden: What must not be done.
    """

    mentioned: Mentioned
    parts: tuple[Request, ...] = ()
    ordered: bool = False
    awaited: bool = False
    people: int = 0
    forbidden: tuple[Forbidden, ...] = ()


class _RequestReader:
    """Reader of one text, with the number of clauses that it may still try."""

    def __init__(self, polite: bool) -> None:
        self.polite = polite
        self.left = MAX_READINGS

    def read(self, words: str, mentioned: Mentioned) -> Request | None:
        """Read a request; None if it is not understood."""
        self.left -= 1
        if self.left < 0:
            return None
        if _SHARED.search(words):
            return None
        said = bare(words)
        if _CONDITIONAL.search(said):
            special = read_wait(said, self.read) or read_condition(said, self.read)
            if special is not None:
                return special
        reordered = self._reordered(said, mentioned)
        return reordered if reordered is not None else self._clauses(words.strip(), mentioned)

    def _reordered(self, words: str, mentioned: Mentioned) -> Request | None:
        """Read "before you bring me the mug, close the door" and its other orders."""
        for rule in _REORDERED:
            match = rule.fullmatch(words)
            if match is None:
                continue
            earlier, later = imperative(bare(match["earlier"])), imperative(bare(match["later"]))
            if _begins_with_verb(earlier) and _begins_with_verb(later):
                return self._clauses(f"{earlier}; then {later}", mentioned)
        return None

    def _clauses(self, words: str, mentioned: Mentioned) -> Request | None:
        pieces = _pieces(words)
        if not 0 < len(pieces) <= MAX_CLAUSES:
            return None
        end = self._rest(words, pieces, _State(mentioned))
        if end is None or not end.parts or any(_contradicts(part, end.forbidden) for part in end.parts):
            return None
        if _VESSEL_APART.search(words) and _is_drink_apart(end.parts):
            return None
        parts = tuple(_for_people(part, end.people) for part in end.parts)
        goal = parts[0] if len(parts) == 1 else Sequence(parts, end.ordered)
        return Restricted(goal, end.forbidden) if end.forbidden else goal

    def _rest(self, words: str, pieces: Items[_Piece], state: _State) -> _State | None:
        """Read the pieces as clauses, the longest first."""
        if not pieces:
            return None if state.awaited or not state.parts else state
        longest = next((i for i, piece in enumerate(pieces) if i and piece.new_sentence), len(pieces))
        for count in range(longest, 0, -1):
            self.left -= 1
            if self.left < 0:
                return None
            first = replace(pieces[0], ordered=any(piece.ordered for piece in pieces[:count]))
            after = self._clause(words[first.start : pieces[count - 1].end], first, state)
            end = self._rest(words, pieces[count:], after) if after is not None else None
            if end is not None:
                return end
        return self._without_request(words, pieces, state)

    def _without_request(self, words: str, pieces: Items[_Piece], state: _State) -> _State | None:
        """Read the first piece as a remark or a statement, or the first two as a remark with "and"."""
        for count in (1, 2):
            single = count == 1
            if not single and (len(pieces) < count or not _continues(_span(words, pieces[1]))):
                break
            said = words[pieces[0].start : pieces[count - 1].end]
            place = _after_place(said, state) if single else None
            topic = _after_topic(said, state) if single else None
            forbidden = single and not (len(pieces) > 1 and pieces[1].added)
            prohibition = _after_prohibition(said, state) if forbidden else None
            passed = () if single and is_prohibition(said) else (place, topic, _after_statement(said, state))
            for after in (prohibition, *passed):
                end = self._rest(words, pieces[count:], after) if after is not None else None
                if end is not None:
                    return end
        return None

    def _clause(self, clause: str, piece: _Piece, state: _State) -> _State | None:
        said = bare(clause)
        tail = _TAIL.search(said)
        said = bare(_TAIL.sub("", said))
        referred = state.mentioned.resolve(said)
        read = (
            (read_clause(referred, self.polite) or read_one_more(said, piece, state.parts)) if said else None
        )
        if read is None:
            return None
        placed = tuple(with_stated_place(each, state.mentioned) for each in read)
        merged = merge_goals(state.parts, placed, said, said != referred)
        if merged is None and said != referred and moved_again(state.parts, placed):
            return None
        parts = merged or (*without_way(state.parts, placed), *placed)
        in_order = (
            state.ordered or piece.ordered or bool(tail and state.parts) or (said != referred and not merged)
        )
        awaited = state.awaited and said == referred
        after = replace(state, mentioned=state.mentioned.after(placed), parts=parts, awaited=awaited)
        return replace(after, ordered=in_order and len(parts) > 1)


@lru_cache(maxsize=1024)
def read_clause(words: str, polite: bool) -> tuple[Request, ...] | None:
    """Read one clause into the goals that it lists."""
    chore = read_chore(words) or read_chore(_FOR_SPEAKER.sub("", words))
    read = (chore,) if chore is not None else first_accepted(words, expand, polite)
    active = as_imperative(words) if read is None else ""
    return read_clause(active, polite) if active else read


def read_one_more(words: str, piece: _Piece, parts: tuple[Request, ...]) -> tuple[Request, ...] | None:
    """Read a noun phrase after "and" as one more object of the last goal: "a mug. Oh, and a spoon"."""
    last = parts[-1] if parts else None
    if (
        not piece.added
        or not isinstance(last, Bring)
        or last.to != "me"
        or is_run_together(last.what)
        or words.partition(" ")[0].lower() in VERBS
    ):
        return None
    return expand(Bring(words))


def _after_statement(said: str, state: _State) -> _State | None:
    """Pass over a statement; a later pronoun means the only object, place or person that it names.

    A statement of a household object may be half of the request: a pronoun has to refer to it.
    """
    statement = read_statement(without_fillers(said)) or read_statement(bare(said))
    if statement is None:
        return None
    state = replace(state, people=statement.people or state.people)
    before = state.mentioned
    person = statement.person or before.person
    if len(statement.objects) + len(statement.places) == 0:
        return replace(state, mentioned=replace(before, person=person))
    objects = statement.objects if len(statement.objects) == 1 else ()
    place = statement.places[0] if len(statement.places) == 1 else ""
    source = place if statement.located else ""
    awaited = state.awaited or any(map(is_household_noun, statement.objects))
    return replace(state, mentioned=Mentioned(objects, place, person, source), awaited=awaited)


_IT_IS_THERE = re.compile(
    r"(?:it|they)(?:'s| is| are|'re| should be| must be| might be)(?: still| probably| lying| standing)*"
    r" (?:in|on|inside|at|under) (?P<place>.+)",
    re.IGNORECASE,
)
_THE_ONE = re.compile(
    r"the (?P<kind>(?!other|same|first|second|last|next|right|wrong|only)\w+) one", re.IGNORECASE
)


def _after_place(said: str, state: _State) -> _State | None:
    """Add what follows a goal about its object: "it's in the bathroom", "the green one"."""
    last = state.parts[-1] if state.parts else None
    if not isinstance(last, Bring | BringSeveral | PickUp | Find):
        return None
    there, kind = _IT_IS_THERE.fullmatch(bare(said)), _THE_ONE.fullmatch(bare(said))
    place = plain(there["place"]) if there else ""
    if place and not last.where and is_place(place):
        return replace(state, parts=(*state.parts[:-1], replace(last, where=place)))
    if kind is not None and is_object(f"{kind['kind']} {last.what}"):
        return replace(state, parts=(*state.parts[:-1], replace(last, what=f"{kind['kind']} {last.what}")))
    return None


def _after_topic(said: str, state: _State) -> _State | None:
    topic = read_topic(bare(said), state.mentioned)
    if topic is None or state.awaited:
        return None
    return replace(state, mentioned=topic.mentioned, awaited=True)


def _after_prohibition(said: str, state: _State) -> _State | None:
    """Note what is forbidden; a later "one" means the object that is not to be taken."""
    forbidden = read_prohibition(said)
    if not forbidden:
        return None
    taken = tuple(each.what for each in forbidden if each.act is Act.TAKE and is_object(each.what))
    mentioned = replace(state.mentioned, objects=taken) if taken else state.mentioned
    return replace(state, mentioned=mentioned, forbidden=(*state.forbidden, *forbidden))


def _contradicts(request: Request, forbidden: Items[Forbidden]) -> bool:
    what = getattr(request, "what", "") or getattr(request, "where", "")
    return any(same_term(what, each.what) for each in forbidden)


_VESSEL_APART = re.compile(r"[,.] an? (?:\w+ )?\w+[\s.!]*$", re.IGNORECASE)


def _is_drink_apart(requests: tuple[Request, ...]) -> bool:
    """Return True if a drink and a vessel are asked for apart, which may mean the drink in the vessel."""
    names = [each.what.lower() for each in requests if isinstance(each, Bring)]
    vessels = [name for name in names if name.split()[-1] in WORDS["vessels"]]
    return bool(vessels) and any(is_drink(name) for name in names if name not in vessels)


def _for_people(request: Request, people: int) -> Request:
    """Set the table for the people that a statement named."""
    return replace(request, count=people) if isinstance(request, SetTable) and not request.count else request


def _continues(words: str) -> bool:
    """Return True if a piece may be the end of a statement: neither a request nor a statement of its own."""
    return not _begins_with_verb(bare(words)) and read_statement(words) is None


def _span(words: str, piece: _Piece) -> str:
    return words[piece.start : piece.end]


def _pieces(words: str) -> tuple[_Piece, ...]:
    pieces: list[_Piece] = []
    start, ordered, sentence, added = 0, False, False, False
    for join in _JOIN.finditer(words):
        if words[start : join.start()].strip():
            pieces.append(_Piece(start, join.start(), ordered, sentence, added))
            ordered = sentence = added = False
        start, ordered = join.end(), ordered or bool(_ORDERS.search(join.group()))
        sentence = sentence or bool(re.search("[.!?;]", join.group()))
        added = added or bool(re.search("and|also|plus|then", join.group(), re.IGNORECASE))
    if words[start:].strip():
        pieces.append(_Piece(start, len(words), ordered, sentence, added))
    return tuple(pieces)


_REORDERED = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        r"before (?:you )?(?P<later>.+?), (?P<earlier>.+)",
        r"(?P<later>.+?),? but first,? (?P<earlier>.+)",
        r"(?P<later>.+?),? but (?P<earlier>.+?) first",
        r"(?P<earlier>.+?),? (?:but )?before (?:you )?(?P<later>.+)",
        r"(?:after|once|when|as soon as) (?P<earlier>(?:you(?:'ve)? |\w+ing ).+?), (?:then )?(?P<later>.+)",
        (
            r"after (?P<earlier>\w+ing .+?) (?P<later>"
            rf"(?:{_CLEAR_VERB}) .+)"
        ),
        r"(?P<later>.+?),? (?:after|once|as soon as) (?P<earlier>(?:you(?:'ve)? |\w+ing ).+)",
    )
)


def _begins_with_verb(words: str) -> bool:
    first, _, rest = words.partition(" ")
    return bool(rest) and (first.lower() in VERBS or rest.startswith("a look"))


_FOR_SPEAKER = re.compile(r" for (?:me|us)$", re.IGNORECASE)
