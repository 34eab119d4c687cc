"""Meanings of clauses that ask for an act: one builder for each intent of the templates."""

from collections.abc import Callable
from dataclasses import replace

from openral_core.consent.hazards import load_hazards
from openral_reasoner.likely_places.belief import is_drink
from openral_reasoner.request.goals import (
    Bring,
    BringEach,
    BringEvery,
    BringFilled,
    BringSeveral,
    Find,
    PickUp,
    Pour,
    Request,
    Swap,
)
from openral_reasoner.sentences.context import ME, ClauseReading
from openral_reasoner.sentences.kinds import is_person, kinds
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.sentences.noun_lists import EVERY
from openral_reasoner.sentences.noun_phrases import NounPhrase
from openral_reasoner.sentences.slots import Slots, Table, all_made, at, brought

_IN_PLACE = ("", "in", "on", "to", "at")
"""Relations of a placement that say no more than the place."""


def reading_of(
    slots: Slots, goals: tuple[Request, ...] | None, *, refers: bool = False, unfinished: bool = False
) -> ClauseReading | None:
    """Return the reading of a clause by its goals; None without any."""
    if not goals:
        return None
    return ClauseReading(goals, context=slots.context.after(goals), refers=refers, unfinished=unfinished)


def stating(goal: Request) -> Callable[[Slots], ClauseReading | None]:
    """Return the builder of a clause that always states this goal."""
    return lambda slots: reading_of(slots, (goal,))


def _delivered(
    slots: Slots, to: str | None, relation: str = "", *, unfinished: bool = False
) -> ClauseReading | None:
    """Bring the objects of the slot ``what`` to a receiver."""
    phrases, where = slots.objects(), slots.place("from")
    if phrases is None or where is None or not to or any(map(_is_in_vessel, phrases)):
        return None
    if not all(each.name and slots.nouns.is_movable(each) for each in phrases):
        return None
    placed = relation if relation not in _IN_PLACE else ""
    if any(is_drink(each.where or where) for each in phrases if each.where or where):
        return None
    moves_within = any(each.inside and _holds(to, each.where) for each in phrases)
    if moves_within or (slots.words("from") and any(each.where for each in phrases)):
        return None
    refers = slots.refers("what")
    goals = all_made(tuple(brought(at(each, where), to, placed) for each in phrases))
    if goals is not None and _is_shared_badly(goals, to):
        return None
    return reading_of(slots, goals, refers=refers or slots.refers_to("to"), unfinished=unfinished)


def _is_in_vessel(phrase: NounPhrase) -> bool:
    """Return True for food in a vessel, which may have to be put there: "juice in the blue cup"."""
    fluid = is_drink(phrase.name) or kinds().has("liquids", phrase.name)
    return phrase.inside and fluid and kinds().has("vessels", phrase.where)


def _holds(place: str, inside: str) -> bool:
    """Return True if a place is a room and the other is in it: "the shelf in the kitchen" is one place."""
    return not is_person(place) and kinds().is_room(place) and not kinds().is_room(inside)


def _is_shared_badly(goals: tuple[Request, ...], to: str) -> bool:
    """Return True for a vessel beside a drink that may be meant to be in it: "water, a tall glass"."""
    apart = [goal.what for goal in goals if isinstance(goal, Bring)]
    vessels = [name for name in apart if kinds().has("vessels", name)]
    served = [name for name in apart if name not in vessels and kinds().serves("glass", name)]
    return to == ME and bool(vessels) and bool(served) and len(apart) == 2 and apart[0] in served


def fetch(slots: Slots) -> ClauseReading | None:
    """Bring to the speaker, unless the next clause says where to."""
    return _delivered(slots, ME, unfinished=True)


def fetch_out(slots: Slots) -> ClauseReading | None:
    """Bring to the speaker from what was opened."""
    phrases, where = slots.objects(), slots.context.container
    if phrases is None or not where or any(each.where for each in phrases):
        return None
    goals = all_made(tuple(brought(at(each, where), ME) for each in phrases))
    return reading_of(slots, goals, refers=True, unfinished=True)


def bring_me(slots: Slots) -> ClauseReading | None:
    """Bring to the speaker."""
    return _delivered(slots, ME)


def give(slots: Slots) -> ClauseReading | None:
    """Bring to a person or place."""
    to = slots.receiver()
    return _delivered(slots, to) if to != ME or slots.words("to") else None


def for_person(slots: Slots) -> ClauseReading | None:
    """Bring what is said to be for a person."""
    return give(slots) if is_person(slots.receiver() or "") else None


def put(slots: Slots) -> ClauseReading | None:
    """Put somewhere, with a relation to the place; what is fluid is poured instead."""
    phrases, vessel = slots.objects(), slots.receiver() or ""
    if kinds().has("underfoot", vessel):
        return None
    if is_person(vessel) and slots.words("relation") not in ("", "to"):
        return None
    if (
        slots.words("relation") == "in"
        and phrases
        and any(_is_poured(each, vessel, "Put") for each in phrases)
    ):
        return None
    return _delivered(slots, slots.receiver(), slots.words("relation"))


def put_elliptic(slots: Slots) -> ClauseReading | None:
    """Put somewhere what was taken: "and put into the basket"."""
    reading = put(slots)
    return replace(reading, refers=True) if reading is not None else None


def put_in(slots: Slots) -> ClauseReading | None:
    """Put in what was opened or named last."""
    reading = _delivered(slots, slots.context.container or slots.context.place)
    return replace(reading, refers=True) if reading is not None else None


def fragment(slots: Slots) -> ClauseReading | None:
    """Bring what is named without a verb, if the speaker said "please"."""
    phrases = slots.objects() if slots.polite else None
    named = phrases is not None and all(each.determined or slots.nouns.is_known(each) for each in phrases)
    return _delivered(slots, slots.receiver(), unfinished=True) if named else None


def fragment_put(slots: Slots) -> ClauseReading | None:
    """Put what is named without a verb: with a direction, or if the speaker said "please"."""
    directed = slots.polite or slots.match.intent == "Directed"
    phrases = slots.objects() if directed else None
    named = phrases is not None and all(
        each.determined or (slots.polite and slots.nouns.is_known(each)) for each in phrases
    )
    return put(slots) if named else None


_Brought = Bring | BringSeveral | BringFilled | BringEvery


def more(slots: Slots) -> ClauseReading | None:
    """Do with one more object what was done with the last: "and the book on the shelf"."""
    last = slots.context.goals[-1] if slots.context.goals else None
    phrases = slots.objects()
    if not isinstance(last, _Brought) or phrases is None:
        return None
    if isinstance(last, Bring) and kinds().is_run_together(last.what):
        return None
    if any(slots.nouns.is_verb(each.name) for each in phrases):
        return None
    return _one_more(slots, last) if slots.match.intent == "More" else _one_more_elsewhere(slots, last)


def _one_more(slots: Slots, last: _Brought) -> ClauseReading | None:
    """Bring one more object, or another one of the same kind: "the green one"."""
    phrases = slots.objects()
    if phrases and slots.names_kind("what") and isinstance(last, Bring):
        reading = reading_of(slots, (replace(last, what=phrases[0].name),))
        return replace(reading, replaces=True) if reading is not None else None
    return _delivered(slots, last.to, getattr(last, "relation", ""))


def _one_more_elsewhere(slots: Slots, last: _Brought) -> ClauseReading | None:
    if bool(slots.words("to")) != (last.to != ME):
        return None
    return put(slots) if slots.words("relation") else give(slots)


def pick_up(slots: Slots) -> ClauseReading | None:
    """Take into the hand."""
    phrases, where = slots.objects(), slots.place("from")
    if phrases is None or where is None or any(each.count != 1 for each in phrases):
        return None
    if not all(each.name and slots.nouns.is_movable(each) for each in phrases):
        return None
    goals = tuple(PickUp(each.name, each.where or where) for each in phrases)
    return reading_of(slots, goals, unfinished=True, refers=slots.refers("what"))


def find(slots: Slots) -> ClauseReading | None:
    """Look for objects, animals or persons."""
    phrases, where = slots.names(), slots.place("where")
    if phrases is None or where is None or not all(map(slots.nouns.is_tangible, phrases)):
        return None
    if any(kinds().is_room(each.name) or kinds().has("people", each.head or each.name) for each in phrases):
        return None
    if any(each.count != 1 for each in phrases):
        return None
    goals = tuple(Find(each.name, each.where or where) for each in phrases)
    return reading_of(slots, goals, unfinished=True, refers=slots.refers("what"))


def pour(slots: Slots) -> ClauseReading | None:
    """Fill a vessel where it stands."""
    contents, vessels = slots.nouns.phrase(slots.words("contents")), slots.names("vessel")
    if contents is None or vessels is None or len(vessels) != 1 or not contents.name or contents.where:
        return None
    vessel = vessels[0].name
    if kinds().has("toxic", contents.name) or not _is_poured(contents, vessel, slots.match.intent):
        return None
    return reading_of(slots, (Pour(contents.name, vessel),), refers=slots.refers("vessel"))


def _is_poured(contents: NounPhrase, vessel: str, intent: str) -> bool:
    """Return True if contents are poured: after "put", only drinks into vessels."""
    movable = (
        bool(vessel and contents.name) and kinds().is_movable(vessel) and kinds().is_movable(contents.name)
    )
    drink = is_drink(contents.name) and not kinds().has("packages", contents.name)
    liquid = drink or kinds().has("liquids", contents.name)
    fluid = intent == "Pour" or (liquid and kinds().has("poured_into", vessel))
    return movable and fluid and not load_hazards().is_place(vessel, "water", "electric", "heated_inside")


def serve(slots: Slots) -> ClauseReading | None:
    """Bring a vessel with its contents to a person."""
    phrases, to = slots.objects(), slots.receiver()
    if phrases is None or not to or not all(each.vessel for each in phrases):
        return None
    return reading_of(slots, all_made(tuple(brought(each, to) for each in phrases)), unfinished=True)


def swap(slots: Slots) -> ClauseReading | None:
    """Exchange the places of two objects."""
    first, second = slots.objects("first"), slots.objects("second")
    pair = (*first, *second) if first and second else slots.objects()
    if pair is None or len(pair) != 2 or any(each.count != 1 for each in pair):
        return None
    names = [f"{each.name} on {each.where}" if each.where else each.name for each in pair]
    return reading_of(slots, (Swap(names[0], names[1]),)) if names[0] != names[1] else None


def swap_each(slots: Slots) -> ClauseReading | None:
    """Exchange the places of two objects, each of which is named twice."""
    pairs = [slots.nouns.phrase(slots.words(key)) for key in ("first", "second", "what", "to")]
    names = [each.name for each in pairs if each is not None]
    crossed = len(names) == len(pairs) and names[0] == names[3] and names[1] == names[2]
    return reading_of(slots, (Swap(names[0], names[1]),)) if crossed and names[0] != names[1] else None


def bring_each(slots: Slots) -> ClauseReading | None:
    """Bring one object to each person."""
    phrases, where = slots.objects(), slots.place("from")
    if (
        phrases is None
        or where is None
        or any(each.count not in (1, EVERY) or each.vessel for each in phrases)
    ):
        return None
    if any(each.pronoun for each in phrases):
        return None
    return reading_of(slots, tuple(BringEach(singular(each.name), each.where or where) for each in phrases))


ACTS: Table = {
    "Fetch": fetch,
    "FetchOut": fetch_out,
    "BringMe": bring_me,
    "Give": give,
    "ForPerson": for_person,
    "Put": put,
    "PutElliptic": put_elliptic,
    "PutIn": put_in,
    "Fragment": fragment,
    "FragmentPut": fragment_put,
    "Directed": fragment_put,
    "More": more,
    "MorePut": more,
    "MoreGive": more,
    "PickUp": pick_up,
    "Grab": pick_up,
    "Find": find,
    "Pour": pour,
    "PutDrink": pour,
    "Serve": serve,
    "Swap": swap,
    "SwapEach": swap_each,
    "BringEach": bring_each,
}
