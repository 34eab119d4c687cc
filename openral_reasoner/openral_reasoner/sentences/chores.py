"""Meanings of clauses about places, doors and appliances: one builder for each intent of the templates."""

from collections.abc import Callable

from openral_reasoner.request.goals import (
    Clear,
    Explore,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    Press,
    Request,
    SetTable,
    Switch,
    Tidy,
)
from openral_reasoner.sentences.acts import reading_of, stating
from openral_reasoner.sentences.context import ME, ClauseReading
from openral_reasoner.sentences.kinds import is_person, kinds
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.sentences.noun_lists import MAX_COUNT
from openral_reasoner.sentences.noun_phrases import NounPhrase
from openral_reasoner.sentences.slots import Slots, Table, all_made


def go(slots: Slots) -> ClauseReading | None:
    """Drive to a place or a person."""
    to = slots.receiver()
    if slots.words("who") and not slots.nouns.person(slots.words("who")):
        return None
    if not to or to == ME or to.lower().endswith("ing"):  # "go shopping"
        return None
    return reading_of(slots, (GoTo(to),), refers=slots.refers_to("to"))


def go_there(slots: Slots) -> ClauseReading | None:
    """Drive to the place that was named last."""
    to = slots.context.place or slots.context.person
    return reading_of(slots, (GoTo(to),), refers=True) if to else None


def _each_fixture(make: Callable[[str], Request | None]) -> Callable[[Slots], ClauseReading | None]:
    def build(slots: Slots) -> ClauseReading | None:
        names = slots.fixtures()
        if slots.words("who") and not slots.nouns.person(slots.words("who")):
            return None
        goals = all_made(tuple(make(name) for name in names)) if names else None
        return reading_of(slots, goals, refers=slots.refers("what"))

    return build


def look(slots: Slots) -> ClauseReading | None:
    """Look in or at a place: in what opens, at the rest."""
    names = slots.fixtures()
    if names is None or len(names) != 1:
        return None
    inside = slots.words("side_of") == "in"
    if inside and kinds().is_room(names[0]):
        return None
    goal = LookInside(names[0]) if inside else LookAt(names[0])
    return reading_of(slots, (goal,), refers=slots.refers("what"))


def _door(name: str, *, opened: bool) -> Request | None:
    *furniture, last = name.split(" ")
    whole = " ".join(furniture)
    of_furniture = last == "door" and whole and kinds().is_closable(whole)
    head = name.partition(" in ")[0]
    alive = is_person(head) or kinds().has("animals", head)
    return None if alive else MoveDoor(whole if of_furniture else name, open=opened)


def _closable(name: str, *, opened: bool) -> Request | None:
    return _door(name, opened=opened) if kinds().is_closable(name) else None


def _switch(*, on: bool) -> Callable[[Slots], ClauseReading | None]:
    def build(slots: Slots) -> ClauseReading | None:
        where, verbless = slots.place("where"), slots.match.intent.startswith("Put")
        if where is None:
            return None
        goals = tuple(_switched(slots, each, on, where, verbless) for each in slots.appliances())
        return reading_of(slots, all_made(goals), refers=slots.refers("what"))

    return build


def _switched(slots: Slots, phrase: NounPhrase, on: bool, where: str, verbless: bool) -> Request | None:
    """Make the goal for one appliance; without a verb of switching, it has to be known as one."""
    unfit = (
        is_person(phrase.name)
        or kinds().mentions("vital", phrase.name)
        or not slots.nouns.is_tangible(phrase)
    )
    if unfit or (verbless and not kinds().has("appliances", phrase.name)):
        return None
    one = singular(phrase.name)
    many = phrase.count != 1 or (one != phrase.name and kinds().has("appliances", one))
    return Switch(one if many else phrase.name, on, phrase.where or where, many)


def press(slots: Slots) -> ClauseReading | None:
    """Press a button."""
    phrase = slots.nouns.phrase(slots.words("what"))
    if phrase is None or phrase.count != 1 or kinds().mentions("vital", phrase.name):
        return None
    return reading_of(slots, (Press(phrase.name),)) if kinds().has("pressed", phrase.name) else None


def tidy(slots: Slots) -> ClauseReading | None:
    """Put everything where it belongs."""
    names = slots.fixtures("where") if slots.words("where") else ("",)
    homes = names and all(not name or kinds().is_site(name) for name in names)
    return reading_of(slots, tuple(map(Tidy, names))) if names and homes else None


def clear(slots: Slots) -> ClauseReading | None:
    """Take everything off a place."""
    where, to = slots.place("where"), slots.receiver()
    if not where or not to or is_person(where):
        return None
    if slots.nouns.lexicon.translates and not slots.nouns.lexicon.is_place(where):
        return None
    to_speaker = slots.match.intent == "ClearToMe"
    return reading_of(slots, (Clear(where, to if slots.words("to") or to_speaker else ""),))


def set_table(slots: Slots) -> ClauseReading | None:
    """Put what people need for a meal on the table."""
    count = int(slots.words("count") or "0")
    if count > MAX_COUNT or (slots.words("count") and count == 0):
        return None
    return reading_of(slots, (SetTable(count, slots.words("meal")),))


def explore(slots: Slots) -> ClauseReading | None:
    """Look around."""
    where = slots.place("where")
    if where is None or (where and not kinds().is_room(where)):
        return None
    return reading_of(slots, (Explore(where),))


CHORES: Table = {
    "Go": go,
    "GoThere": go_there,
    "Come": stating(GoTo(ME)),
    "Look": look,
    "LookAt": _each_fixture(LookAt),
    "Check": _each_fixture(lambda name: LookInside(name) if kinds().is_container(name) else LookAt(name)),
    "LookInside": _each_fixture(lambda name: None if kinds().is_room(name) else LookInside(name)),
    "Open": _each_fixture(lambda name: _door(name, opened=True)),
    "PullOpen": _each_fixture(lambda name: _closable(name, opened=True)),
    "Close": _each_fixture(lambda name: _door(name, opened=False)),
    "PushShut": _each_fixture(lambda name: _closable(name, opened=False)),
    "SwitchOn": _switch(on=True),
    "PutOn": _switch(on=True),
    "SwitchOff": _switch(on=False),
    "PutOff": _switch(on=False),
    "Press": press,
    "Tidy": tidy,
    "Clear": clear,
    "ClearToMe": clear,
    "SetTable": set_table,
    "Explore": explore,
}
