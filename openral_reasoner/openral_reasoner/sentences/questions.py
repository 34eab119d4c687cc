"""Meanings of questions, of states that are told, and of acts with people."""

from openral_reasoner.request.goals import (
    AskAbilities,
    AskCompare,
    AskCount,
    AskState,
    AskView,
    AskWhereabouts,
    Attend,
    Describe,
    GoTo,
    TellState,
)
from openral_reasoner.request.measures import ANYTHING
from openral_reasoner.sentences.acts import reading_of, stating
from openral_reasoner.sentences.context import ME, ClauseReading
from openral_reasoner.sentences.kinds import kinds
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.sentences.noun_lists import EVERY
from openral_reasoner.sentences.slots import Slots, Table


def count(slots: Slots) -> ClauseReading | None:
    """Say how many objects of a kind there are."""
    where = slots.place("where")
    if where is not None and (slots.words("anything") or slots.words("someone")):
        return reading_of(slots, (AskCount(slots.words("someone") or ANYTHING, where),))
    phrase = slots.nouns.phrase(slots.words("what"))
    if phrase is None or where is None or not phrase.name or not slots.nouns.is_tangible(phrase):
        return None
    if kinds().is_room(phrase.name) or phrase.count not in (1, EVERY):
        return None
    return reading_of(slots, (AskCount(singular(phrase.name), phrase.where or where),))


def count_people(slots: Slots) -> ClauseReading | None:
    """Say how many persons of a description there are."""
    where = slots.place("where")
    people = " ".join(filter(None, (slots.words("posture"), slots.words("people"), slots.words("wearing"))))
    return reading_of(slots, (Attend("count", people, where or ""),)) if where is not None else None


def view(slots: Slots) -> ClauseReading | None:
    """Say what is in view: of a kind, on a side of the image or of another object."""
    names: list[str] = []
    for key in ("what", "to"):
        phrase = slots.nouns.phrase(slots.words(key)) if slots.words(key) else None
        if slots.words(key) and (phrase is None or not phrase.name or phrase.where):
            return None
        names.append(singular(phrase.name) if phrase is not None else "")
    if slots.words("someone"):
        names[0] = "person"
    return reading_of(slots, (AskView(names[0], slots.words("side"), names[1]),))


def compare(slots: Slots) -> ClauseReading | None:
    """Say which object has the most or the least of a property."""
    where, near = slots.place("where"), slots.place("to")
    if where is None or near is None:
        return None
    if slots.words("anything"):
        return reading_of(slots, (AskCompare(ANYTHING, slots.words("property"), where, near=near),))
    phrase = slots.nouns.phrase(slots.words("what"))
    if phrase is None or not phrase.name:
        return None
    place = phrase.where or where
    return reading_of(slots, (AskCompare(singular(phrase.name), slots.words("property"), place, near=near),))


def compare_two(slots: Slots) -> ClauseReading | None:
    """Say which of two has the more or the less of a property."""
    first, second, near = slots.place("first"), slots.place("second"), slots.place("to")
    if not first or not second or near is None:
        return None
    return reading_of(slots, (AskCompare(first, slots.words("property"), other=second, near=near),))


def ask_state(slots: Slots) -> ClauseReading | None:
    """Say whether something is in a state."""
    phrase = slots.nouns.phrase(slots.words("what"))
    if phrase is None or not phrase.name or phrase.count != 1:
        return None
    name = phrase.name_with_place
    if kinds().has("panels", name) and kinds().is_container(name.rpartition(" ")[0] or name):
        name = name.rpartition(" ")[0]  # "the cupboard door"
    return reading_of(slots, (AskState(name, slots.words("value")),))


def tell_state(slots: Slots) -> ClauseReading | None:
    """Remember a state."""
    phrase = slots.nouns.phrase(slots.words("what"))
    if phrase is None or not phrase.name or phrase.count != 1 or phrase.where:
        return None
    return ClauseReading(
        (TellState(phrase.name, slots.words("value")),), context=slots.context.naming(phrase.name)
    )


def describe(slots: Slots) -> ClauseReading | None:
    """Report what memory has, of a room or of the home."""
    where = slots.place("where")
    if where is None or (where and not kinds().is_room(where)):
        return None
    return reading_of(slots, (Describe(where),))


def attend(slots: Slots) -> ClauseReading | None:
    """State an act with a person, as said."""
    who, where, to = _person(slots), slots.place("where"), slots.place("to")
    if not who or where is None or to is None:
        return None
    act = slots.words("act") or "tell"
    described = not slots.words("who") or slots.refers_to("who") or kinds().has("people", who.split()[0])
    described = described or any(kinds().has("people", word) for word in who.split())
    if act == "find person" and not described:
        return None
    last = slots.context.goals[-1] if slots.context.goals else None
    is_there = isinstance(last, GoTo) or (who == slots.context.person and act != "find person")
    goal = Attend(act, who, where or (slots.context.place if is_there else ""), to, slots.words("topic"))
    return ClauseReading((goal,), context=slots.context.after((goal,)).naming(goal.where, who))


def _person(slots: Slots) -> str:
    words = slots.words("who")
    if not words:
        return slots.context.person or ME
    pronoun = slots.nouns.words.pronouns.get(words.lower())
    if pronoun is not None:
        return {"speaker": ME, "person": slots.context.person, "them": slots.context.person}.get(pronoun, "")
    return slots.nouns.person(words)


QUESTIONS: Table = {
    "Count": count,
    "CountPeople": count_people,
    "Compare": compare,
    "CompareTwo": compare_two,
    "View": view,
    "Whereabouts": stating(AskWhereabouts()),
    "AskState": ask_state,
    "TellState": tell_state,
    "Describe": describe,
    "Abilities": stating(AskAbilities()),
    "Attend": attend,
}
