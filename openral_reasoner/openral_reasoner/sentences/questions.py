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
    Request,
    TellState,
)
from openral_reasoner.request.measures import ANYTHING
from openral_reasoner.sentences.context import ME, ClauseReading
from openral_reasoner.sentences.kinds import kinds
from openral_reasoner.sentences.lexicon import singular
from openral_reasoner.sentences.noun_lists import EVERY
from openral_reasoner.sentences.slots import Slots, Table


def _reading(slots: Slots, goal: Request) -> ClauseReading:
    return ClauseReading((goal,), context=slots.context.after((goal,)))


def count(slots: Slots) -> ClauseReading | None:
    """Say how many objects of a kind there are."""
    where = slots.place("where")
    if where is not None and slots.said("anything"):
        return _reading(slots, AskCount(ANYTHING, where))
    phrase = slots.nouns.phrase(slots.said("what"))
    if phrase is None or where is None or not phrase.name or not slots.nouns.is_tangible(phrase):
        return None
    movable = kinds().is_movable(phrase.name) or kinds().has("furniture", phrase.name)
    if not movable or phrase.count not in (1, EVERY):
        return None
    return _reading(slots, AskCount(singular(phrase.name), phrase.where or where))


def count_people(slots: Slots) -> ClauseReading | None:
    """Say how many persons of a description there are."""
    where = slots.place("where")
    said = " ".join(filter(None, (slots.said("posture"), slots.said("people"), slots.said("wearing"))))
    return _reading(slots, Attend("count", said, where or "")) if where is not None else None


def compare(slots: Slots) -> ClauseReading | None:
    """Say which object has the most or the least of a property."""
    where, near = slots.place("where"), slots.place("to")
    if where is None or near is None:
        return None
    if slots.said("anything"):
        return _reading(slots, AskCompare(ANYTHING, slots.said("property"), where, near=near))
    phrase = slots.nouns.phrase(slots.said("what"))
    if phrase is None or not phrase.name:
        return None
    place = phrase.where or where
    return _reading(slots, AskCompare(singular(phrase.name), slots.said("property"), place, near=near))


def compare_two(slots: Slots) -> ClauseReading | None:
    """Say which of two has the more or the less of a property."""
    first, second, near = slots.place("first"), slots.place("second"), slots.place("to")
    if not first or not second or near is None:
        return None
    return _reading(slots, AskCompare(first, slots.said("property"), other=second, near=near))


def view(slots: Slots) -> ClauseReading | None:
    """Say what the robot sees."""
    return _reading(slots, AskView())


def whereabouts(slots: Slots) -> ClauseReading | None:
    """Say where the robot is."""
    return _reading(slots, AskWhereabouts())


def ask_state(slots: Slots) -> ClauseReading | None:
    """Say whether something is in a state."""
    phrase = slots.nouns.phrase(slots.said("what"))
    if phrase is None or not phrase.name or phrase.count != 1:
        return None
    name = f"{phrase.name} in {phrase.where}" if phrase.where else phrase.name
    if kinds().has("panels", name) and kinds().is_container(name.rpartition(" ")[0] or name):
        name = name.rpartition(" ")[0]  # "the cupboard door"
    return _reading(slots, AskState(name, slots.said("value")))


def tell_state(slots: Slots) -> ClauseReading | None:
    """Remember a state."""
    phrase = slots.nouns.phrase(slots.said("what"))
    if phrase is None or not phrase.name or phrase.count != 1 or phrase.where:
        return None
    return ClauseReading(
        (TellState(phrase.name, slots.said("value")),), context=slots.context.naming(phrase.name)
    )


def describe(slots: Slots) -> ClauseReading | None:
    """Report what memory has, of a room or of the home."""
    where = slots.place("where")
    known = where is not None and (not where or kinds().is_room(where))
    return _reading(slots, Describe(where)) if where is not None and known else None


def abilities(slots: Slots) -> ClauseReading | None:
    """Say what the robot can do."""
    return _reading(slots, AskAbilities())


def attend(slots: Slots) -> ClauseReading | None:
    """State an act with a person, as said."""
    who, where, to = _person(slots), slots.place("where"), slots.place("to")
    if not who or where is None or to is None:
        return None
    act = slots.said("act") or "tell"
    described = not slots.said("who") or slots.refers_to("who") or kinds().has("people", who.split()[0])
    described = described or any(kinds().has("people", word) for word in who.split())
    if act == "find person" and not described:
        return None
    last = slots.context.goals[-1] if slots.context.goals else None
    known = isinstance(last, GoTo) or (who == slots.context.person and act != "find person")
    goal = Attend(act, who, where or (slots.context.place if known else ""), to, slots.said("topic"))
    return ClauseReading((goal,), context=slots.context.after((goal,)).naming(goal.where, who))


def _person(slots: Slots) -> str:
    said = slots.said("who")
    if not said:
        return slots.context.person or ME
    pronoun = slots.nouns.words.pronouns.get(said.lower())
    if pronoun is not None:
        return {"speaker": ME, "person": slots.context.person, "them": slots.context.person}.get(pronoun, "")
    return slots.nouns.person(said)


QUESTIONS: Table = {
    "Count": count,
    "CountPeople": count_people,
    "Compare": compare,
    "CompareTwo": compare_two,
    "View": view,
    "Whereabouts": whereabouts,
    "AskState": ask_state,
    "TellState": tell_state,
    "Describe": describe,
    "Abilities": abilities,
    "Attend": attend,
}
