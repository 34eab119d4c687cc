"""Pronouns: what the clauses of a text mention, and the nouns that they stand for in the next clause."""

import re
from dataclasses import dataclass, replace

from openral_core.text import UnreadableText
from openral_reasoner.placement.belief import thesaurus
from openral_reasoner.request.goals import (
    Bring,
    BringFilled,
    BringSeveral,
    Clear,
    Find,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    PickUp,
    Pour,
    Request,
)
from openral_reasoner.scripted.noun_phrases import (
    PERSON,
    is_noun_phrase,
    is_person,
    is_place,
    is_tangible,
    listed,
    plain,
    split_place,
)
from openral_reasoner.terms import same_term

_AFTER = (
    r"$|[,;.]| (?:to|for|on|in|into|inside|onto|from|out|over|back|up|down|away|there|here|again|with|at"
    r"|off|of|and|by"
    r"|open|shut|closed|poured|neatly|where)\b"
)
_END = rf"(?={_AFTER})"
_IT = re.compile(rf"\b(?:it|that|this|that one|this one|one|some|any)(?: all| too)?{_END}", re.IGNORECASE)
_THEM = re.compile(
    rf"\b(?:them|these|those|both|it all|both of them|they)(?: both| all)?{_END}", re.IGNORECASE
)
_NUMBER = re.compile(
    rf"\b(?P<number>two|three|four|five|six|a couple|\d{{1,2}})(?: of (?:them|those|these))?{_END}",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:them both|both of them|they both)\b", re.IGNORECASE)
_TAKE_OUT = re.compile(r"(?P<taken>(?:get|take|fetch|bring|grab) .+) out", re.IGNORECASE)
_THERE = re.compile(r"\b(?:(?:in|on|from|to|over|back|into|onto) )*there$", re.IGNORECASE)
_PERSON = re.compile(
    rf"\b(?:her|him)(?={_AFTER}| (?:the|an?|some|this|that|these|those|my|one|two|\d+)\b)", re.IGNORECASE
)
_CONTAINER = re.compile(r"\b(?P<in>in|into|inside|on|onto|from|out of|to) it\b", re.IGNORECASE)
_OTHER_ONE = re.compile(
    r"\bthe (?P<other>(?!other|same|first|second|last|next|right|wrong|only)[a-z]+) ones?\b", re.IGNORECASE
)
_WHERE_IT = re.compile(r"\bwhere (?P<is>(?:is|are) )?(?:it|they|he|she)\b", re.IGNORECASE)
_CHECK = re.compile(
    r"(?:(?:go|and) )*(?:check|look|search|have a look|see|go look|go check)(?: there| around)?",
    re.IGNORECASE,
)
_LOOK_IN = re.compile(
    r"(?:look|peek|check|have a look|take a look|glance|see what's|tell me what's)(?: in| inside| into)",
    re.IGNORECASE,
)
_SEEKS = re.compile(r"(?:find|look|search|hunt|locate|seek|see)\b", re.IGNORECASE)
_CARRIES = re.compile(r"(?:take|bring|carry|move|get|run)\b", re.IGNORECASE)
_GO_THERE = re.compile(r"(?:go|go there|drive there|head there)", re.IGNORECASE)
_PUT_IN_FIRST = re.compile(r"^(?:put|pop|stick) in (?P<what>(?:the|my|an?) .+)$", re.IGNORECASE)
_DOOR = re.compile(r"(?:open|close|shut)\b|.* (?:open|closed|shut)$", re.IGNORECASE)
_CARRY_OVER = re.compile(
    r"(?:you )?(?:move|carry|put|take|bring|return|pop|get|do) (?:it|them|that|this)(?: (?:back|away|over"
    r"|up|in|there|then|across))*",
    re.IGNORECASE,
)
_BRING_HERE = re.compile(r"(?:you )?(?:bring|get) (?:it|them|that|this)", re.IGNORECASE)
"""The speaker wants the object; a place where it "should be" is then where it is."""
_PUT_IN = re.compile(
    r"^(?P<what>(?:put |pop |stick |drop )?(?:the |my )?[\w' -]+?) (?P<in>in|inside)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Objects, place and person that a text mentions so far, the newest last.

    Args:
        objects: Objects that "it" and "them" stand for.
        place: Place of "there", and of a door that "it" closes.
        person: Person of "her" and "him".
        source: Place where a statement, as opposed to a request, said that the objects are.
        destination: Place where a statement said that the objects should be.
    """

    objects: tuple[str, ...] = ()
    place: str = ""
    person: str = ""
    source: str = ""
    destination: str = ""

    def after(self, requests: tuple[Request, ...]) -> "Mentioned":
        """Return what is mentioned after these requests."""
        said = self
        for request in requests:
            said = said._after(request)
        new = tuple(each.what for each in requests if isinstance(each, Bring | BringSeveral | PickUp | Find))
        return replace(said, objects=new) if len(new) > 1 else said

    def _after(self, request: Request) -> "Mentioned":
        if isinstance(request, Bring | BringSeveral):
            person = request.to if is_person(request.to) else self.person
            place = request.to if request.to not in ("me", person) else request.where
            return Mentioned((request.what,), place or self.place, person, self._source(request.what))
        if isinstance(request, PickUp | Find):
            place = request.where or self.place
            return Mentioned((request.what,), place, self.person, self._source(request.what))
        if isinstance(request, BringFilled | Pour):
            person = request.to if isinstance(request, BringFilled) and is_person(request.to) else self.person
            return replace(self, objects=(request.vessel,), person=person)
        if isinstance(request, LookInside | MoveDoor | LookAt | Clear):
            fixture = request.where if isinstance(request, Clear) else request.what
            return Mentioned((), fixture, self.person)
        if isinstance(request, GoTo):
            return replace(self, place=request.where)
        return Mentioned(person=self.person)

    def _source(self, what: str) -> str:
        return self.source if any(same_term(what, each) for each in self.objects) else ""

    def resolve(self, clause: str) -> str:
        """Replace the pronouns of a clause; those that nothing mentioned explains are left."""
        whole = self._elliptic(clause)
        if whole:
            return whole
        clause = self._several(self._of_kind(clause))
        clause = self._in_place(clause)
        clause = self._container(clause)
        clause = self._of_person(clause)
        things = " and the ".join(self.objects)
        if _BOTH.search(clause) and len(self.objects) < 2:
            return clause
        if things:
            clause = _WHERE_IT.sub(rf"where \g<is>the {things}", _THEM.sub(f"the {things}", clause))
        fixture = self.place if _DOOR.match(clause) else ""
        thing = fixture or (self.objects[-1] if len(self.objects) == 1 else "") or self.place
        return _IT.sub(f"the {thing}", clause) if thing else clause

    def _elliptic(self, clause: str) -> str:
        """Complete "move it", "check" and "go" from a statement; "" if the clause is none of them."""
        things = " and the ".join(self.objects)
        moved = _CARRY_OVER.fullmatch(clause) and not _BRING_HERE.fullmatch(clause)
        if things and self.destination and moved:
            return f"put the {things} on the {self.destination}"
        if things and _CHECK.fullmatch(clause):
            return f"find the {things}"
        where = self.place or (self.objects[-1] if self.objects else "")
        return f"go to the {where}" if where and _GO_THERE.fullmatch(clause) else ""

    def _of_kind(self, clause: str) -> str:
        """Replace "the blue one" by another object of the kind that was mentioned."""
        try:
            kind = thesaurus().bare(self.objects[-1]) if self.objects else ""
        except UnreadableText:
            return clause
        return _OTHER_ONE.sub(rf"the \g<other> {kind}", clause) if kind else clause

    def _several(self, clause: str) -> str:
        """Replace "put two on it" by so many of the objects, and by the place mentioned with them."""
        if len(self.objects) != 1 or not _NUMBER.search(clause):
            return clause
        placed = _CONTAINER.sub(rf"\g<in> the {self.place}", clause) if self.place else clause
        return _NUMBER.sub(rf"\g<number> {self.objects[0]}", placed)

    def _in_place(self, clause: str) -> str:
        """Replace "there", and complete "look inside" and "put the battery in"."""
        if self.place and not self.objects and _LOOK_IN.fullmatch(clause):
            clause = f"{clause} the {self.place}"
        if self.place and not self.objects:
            clause = _PUT_IN.sub(lambda m: f"{_put(m['what'])} in the {self.place}", clause)
            clause = _PUT_IN_FIRST.sub(rf"put \g<what> in the {self.place}", clause)
        taken = _TAKE_OUT.fullmatch(clause)
        if self.place and not self.objects and taken:
            return f"{taken['taken']} out of the {self.place}"
        if self.place and _DOOR.match(clause):
            return _THERE.sub("", clause).strip()
        to = "to" if _CARRIES.match(clause) else "in"
        return _THERE.sub(f"{to} the {self.place}", clause) if self.place else clause

    def _of_person(self, clause: str) -> str:
        """Replace "her" and "him", which may mean an animal or a toy that is looked for."""
        if self.person:
            return re.sub(r"\bhim\b", self.person, _PERSON.sub(self.person, clause), flags=re.IGNORECASE)
        if self.objects and _SEEKS.match(clause):
            return re.sub(rf"\b(?:him|her){_END}", f"the {self.objects[-1]}", clause, flags=re.IGNORECASE)
        return clause

    def _container(self, clause: str) -> str:
        """Replace "in it": the place if only a place is mentioned, the object if only an object is."""
        if len(self.objects) == 1 and not (self.place and not re.match("pour", clause, re.IGNORECASE)):
            return _CONTAINER.sub(rf"\g<in> the {self.objects[-1]}", clause)
        if self.place and not self.objects:
            return _CONTAINER.sub(rf"\g<in> the {self.place}", clause)
        return clause if not (self.place and self.objects) else _CONTAINER.sub(r"\g<in> IT", clause)


def _put(words: str) -> str:
    return words if re.match(r"(?:put|pop|stick|drop) ", words, re.IGNORECASE) else f"put {words}"


_THING = r"(?:the|my|our|your|his|her|their|this|that|an?|some|any) .+?"
_LEFT = r"(?:left|forgot|forgotten|dropped|lost|put|leaves|mislaid)"
_AT = r"(?:from|on|in|inside|at|under|near)"
_TOPICS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"there(?:'s| is| are| should be| must be| might be| ought to be)(?: still)? "
            r"(?P<what>(?!no\b).+?)"
            rf" {_AT} (?P<place>.+)"
        ),
        (
            rf"(?:i think )?(?P<who>{PERSON}|i|we|someone|somebody|i've|you)(?: may| might"
            r"| must)?(?: have| has"
            rf"|'ve)? {_LEFT}"
            rf" (?P<what>{_THING})(?: {_AT} (?P<place>.+))?"
        ),
        (
            r"(?P<what>.+?) (?:really )?(?:should|ought to|needs to|must|has to) (?:be|go)(?: (?:standing"
            r"|lying|back|kept|hanging))*"
            r" (?:on|in|into|inside|at) (?P<destination>.+)"
        ),
        (
            rf"(?P<what>.+?) (?:has to|must|might|may|could|should) be(?: somewhere)? {_AT} (?P<place>.+?)"
            r" somewhere"
        ),
        (
            rf"(?P<what>{_THING})(?: is| are|'s) (?:(?:still|out|over|up|down|back|lying|standing|sitting) )*"
            rf"{_AT} (?P<place>.+)"
        ),
        rf"{_AT} (?P<place>.+?) there(?:'s| is| are| should be| must be)(?: still)? (?P<what>(?!no\b).+)",
        rf"(?P<who>{PERSON})(?: is|'s) (?:still )?(?:waiting|looking|hoping|asking) for (?P<what>{_THING})",
        (
            rf"(?:i think )?(?P<what>{_THING}) would (?:look|be) (?:\w+ )?(?:nicer|better|good|nice|lovely)"
            r" (?:on|in|at) (?P<destination>.+)"
        ),
        rf"who (?:took|has|moved|stole|hid|borrowed) (?P<what>{_THING})",
        (
            rf"(?:someone|somebody|guests|visitors|{PERSON})(?: is| are|'s) (?:already |waiting "
            r"|standing )*(?:at"
            r"|in|on|by) (?P<place>.+)"
        ),
        rf"(?P<what>{_THING})(?: is| are|'s) for (?P<who>{PERSON})",
        (
            rf"(?P<what>{_THING})(?: is| are|'s| has| have)(?: gone)? (?:missing|gone|lost"
            r"|vanished|disappeared"
            r"|nowhere to be (?:seen|found))"
        ),
        rf"(?P<fixture>{_THING})(?: is|'s| has)(?: been)?(?: left)?(?: wide| still)? (?:open|closed|shut)",
        rf"(?P<what>{_THING}) {_AT} (?P<place>.+)",
        (
            rf"(?:someone|somebody|you|i|we|{PERSON}) (?:has |have )?left (?P<fixture>{_THING})"
            r" (?:wide )?(?:open|closed|shut)"
        ),
        rf"(?P<fixture>{_THING})(?: is| are|'s) (?:full of|covered (?:in|with)) \w+(?: \w+)?",
        rf"(?P<fixture>{_THING})(?: is| are|'s| looks?) (?:(?:a|so|too|very|all|still|quite) )*(?!not\b)\w+",
    )
)


@dataclass(frozen=True, slots=True)
class Topic:
    """Statement that asks for nothing but that a pronoun of a later clause refers to."""

    mentioned: Mentioned


def read_topic(words: str, before: Mentioned) -> Topic | None:
    """Read a statement such as "there's milk in the fridge", or the name of an object alone."""
    for pattern in _TOPICS:
        match = pattern.fullmatch(words)
        mentioned = _topic(match.groupdict(), before) if match is not None else None
        if mentioned is not None:
            return Topic(mentioned)
    if is_tangible(plain(words)) and len(words.split()) < 5:
        return Topic(Mentioned((plain(words),), plain(words), before.person))
    return None


def _topic(said: dict[str, str | None], before: Mentioned) -> Mentioned | None:
    items = [split_place(item) for item in listed(said.get("what") or "")]
    fixture = plain(said.get("fixture") or "")
    place = plain(said.get("place") or "") or next((where for _, where in items if where), "")
    destination, who = plain(said.get("destination") or ""), said.get("who") or ""
    names = [what for what, _ in items]
    places = [each for each in (place, destination, fixture) if each]
    if not all(map(is_noun_phrase, names)) or not all(map(is_place, places)):
        return None
    person = (
        who
        if is_person(who) and who.lower() not in ("i", "i've", "we", "you", "someone", "somebody")
        else before.person
    )
    return Mentioned(tuple(names), fixture or place or destination, person, place or destination, destination)
