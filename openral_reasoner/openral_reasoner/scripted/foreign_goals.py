"""Goals in other languages than English.

A clause is read only if every word of it is accounted for: a name that the language's file does not translate
is asked back.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openral_reasoner.placement.belief import thesaurus
from openral_reasoner.request.goals import (
    Bring,
    BringFilled,
    BringSeveral,
    Clear,
    Compound,
    Describe,
    Explore,
    Find,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    NotUnderstood,
    PickUp,
    Pour,
    Press,
    Request,
    Sequence,
    SetTable,
    Swap,
    Tidy,
)
from openral_reasoner.scripted.grammar import MAX_LENGTH, is_sound
from openral_reasoner.scripted.languages import Language, contains, fold, strip_edges, translate
from openral_reasoner.scripted.listing import MAX_COUNT
from openral_reasoner.scripted.noun_phrases import ROOM, singular
from openral_reasoner.scripted.switch_names import read_switch

MAX_CLAUSES = 4
"""Most clauses of a request in another language."""
_NAME = re.compile(r"[^\W\d_][\w'-]+")


def read_foreign(language: Language, text: str) -> Request:
    """Read a goal in another language; NotUnderstood if any part of it is not."""
    said = " ".join(text[:MAX_LENGTH].split())
    names = {fold(word): word for word in re.findall(_NAME, said)}
    reader = _Reader(language, names, contains(language.polite, said))
    parts = reader.clauses(language.normalised(said), MAX_CLAUSES, None)
    if not parts:
        return NotUnderstood(said, language.name)
    return parts[0] if len(parts) == 1 else Sequence(parts, ordered=contains(language.order, said))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reader of one text.

    Attributes:
        language: Its language.
        names: Words of the text by their folded form.
        polite: The speaker said "please".
    """

    language: Language
    names: Mapping[str, str]
    polite: bool

    def clauses(self, words: str, left: int, before: Request | None) -> tuple[Request, ...] | None:
        """Read a text as up to ``left`` clauses, the longest first; None if it is not understood."""
        whole = self.clause(words, before)
        if whole is not None:
            return whole
        joins = list(re.finditer(fold(self.language.join), words, re.IGNORECASE)) if left > 1 else []
        for join in reversed(joins):
            first = self.clause(strip_edges(words[: join.start()]), before)
            if first is None:
                continue
            last = first[-1] if first else before
            rest = self.clauses(strip_edges(words[join.end() :]), left - 1, last)
            if rest is not None:
                return (*(first[:-1] if _completes(first, rest) else first), *rest)
        return None

    def clause(self, words: str, before: Request | None) -> tuple[Request, ...] | None:
        """Read one clause by the first rule whose slots all have a meaning; a remark has no goal."""
        if re.fullmatch(fold(self.language.remarks), words, re.IGNORECASE):
            return ()
        for rule, pattern in self.language.patterns:
            match = pattern.fullmatch(words) if self.polite or not rule.polite else None
            if match is None:
                continue
            said = {key: phrase for key, phrase in match.groupdict().items() if phrase}
            made = _GOALS[rule.goal](_Slots(self.language, self.names, said, before))
            if made is not None and all(map(_is_sound, made)):
                return made
        return None


def _completes(before: tuple[Request, ...], after: tuple[Request, ...]) -> bool:
    """Return True if a goal includes the one before it: "take the milk and bring it to me"."""
    if not before or not after or not isinstance(after[0], Bring):
        return False
    return isinstance(before[-1], PickUp | Find) and after[0].what == before[-1].what


def _is_sound(request: Request) -> bool:
    if isinstance(request, BringSeveral):
        return 1 < request.count <= MAX_COUNT and is_sound(Bring(request.what, request.to, request.where))
    return isinstance(request, Compound) or is_sound(request)


@dataclass(frozen=True, slots=True)
class _Slots:
    """Phrases of a clause, and the goal of the clause before it."""

    language: Language
    names: Mapping[str, str]
    said: Mapping[str, str]
    before: Request | None

    def name(self, key: str) -> str | None:
        """Translate the name of one object or place; "" if none was said, None if it is not known."""
        if key not in self.said:
            return ""
        count, name = translate(self.language, self.said[key])
        return name if count == 0 else None

    def place(self, key: str) -> str | None:
        """Translate the name of a room or of furniture."""
        name = self.name(key)
        return name if not name or name in self.language.places else None

    def receiver(self) -> str | None:
        """Translate a receiver: a person, or a place; the speaker if none was said."""
        said = self.said.get("person", "")
        if not said:
            return self.name("to") or ("me" if "to" not in self.said else None)
        known = translate(self.language, said)[1]
        if known is not None:
            return known if known in self.language.relatives else None
        is_name = _NAME.fullmatch(said) and said[0].isupper() and said.lower() not in self.language.recognised
        return self.names.get(said, said) if is_name else None

    def objects(self, to: str, where: str) -> tuple[Request, ...] | None:
        """Read a list of objects to be brought."""
        items = re.split(self.language.both, self.said["what"], flags=re.IGNORECASE)
        brought = [self._object(item, to, where) for item in items]
        return None if None in brought else tuple(each for each in brought if each is not None)

    def _object(self, item: str, to: str, where: str) -> Request | None:
        count, name = translate(self.language, item)
        if name is not None:
            return BringSeveral(singular(name), count, to, where) if count > 1 else Bring(name, to, where)
        for cut in re.finditer(fold(self.language.of), item, re.IGNORECASE):
            count, vessel = translate(self.language, item[: cut.start()])
            drinks, contents = translate(self.language, item[cut.end() :])
            if vessel in _VESSELS and not count and not drinks and not where and _is_content(contents):
                return BringFilled(vessel, str(contents), to)
        return None


_VESSELS = ("cup", "glass", "mug", "bowl")


def _is_content(name: str | None) -> bool:
    return bool(name) and any(thesaurus().relation(kind, str(name)).is_hit for kind in ("drink", "food"))


_Made = tuple[Request, ...] | None


def _bring(slots: _Slots) -> _Made:
    to, where = slots.receiver(), slots.name("where")
    return slots.objects(to, where) if to is not None and where is not None else None


def _serve(slots: _Slots) -> _Made:
    made = slots.objects("me", "")
    return made if made is not None and all(isinstance(each, BringFilled) for each in made) else None


def _bring_it(slots: _Slots) -> _Made:
    to, before = slots.receiver(), slots.before
    if to is None or not isinstance(before, Bring | PickUp | Find):
        return None
    return (Bring(before.what, to, before.where),)


def _with(make: Callable[..., Request], *keys: str) -> Callable[[_Slots], _Made]:
    """Make a goal of the names in these slots."""

    def read(slots: _Slots) -> _Made:
        names = [slots.name(key) for key in keys]
        return None if None in names else (make(*names),)

    return read


def _switch(slots: _Slots, on: bool) -> _Made:
    name = slots.name("what")
    return (read_switch(name, on),) if name else None


def _in_place(make: Callable[[str], Request]) -> Callable[[_Slots], _Made]:
    def read(slots: _Slots) -> _Made:
        where = slots.place("what")
        return (make(where),) if where else None

    return read


def _in_room(make: Callable[[str], Request]) -> Callable[[_Slots], _Made]:
    def read(slots: _Slots) -> _Made:
        room = slots.place("what")
        return (make(room),) if room and re.fullmatch(ROOM, room) else None

    return read


def _set_table(slots: _Slots) -> _Made:
    said = slots.said.get("count", "0").lower()
    count = slots.language.counts.get(said, int(said) if said.isdecimal() else 0)
    return (SetTable(count),) if count or "count" not in slots.said else None


_GOALS: Mapping[str, Callable[[_Slots], _Made]] = {
    "bring": _bring,
    "bring_it": _bring_it,
    "serve": _serve,
    "pour": _with(Pour, "what", "other"),
    "swap": _with(Swap, "what", "other"),
    "pick_up": _with(PickUp, "what", "where"),
    "find": _with(Find, "what", "where"),
    "go": _with(GoTo, "what"),
    "come": lambda slots: (GoTo("me"),),
    "look_at": _with(LookAt, "what"),
    "look_inside": _with(LookInside, "what"),
    "open": _with(lambda what: MoveDoor(what, open=True), "what"),
    "close": _with(lambda what: MoveDoor(what, open=False), "what"),
    "tidy": _in_place(Tidy),
    "tidy_all": lambda slots: (Tidy(),),
    "clear": _in_place(Clear),
    "set_table": _set_table,
    "explore_all": lambda slots: (Explore(),),
    "explore": _in_room(Explore),
    "describe_all": lambda slots: (Describe(),),
    "describe": _in_room(Describe),
    "press": _with(Press, "what"),
    "switch_on": lambda slots: _switch(slots, on=True),
    "switch_off": lambda slots: _switch(slots, on=False),
}
