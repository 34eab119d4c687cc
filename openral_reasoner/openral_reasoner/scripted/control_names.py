"""Names of switches and buttons: which of the listed controls the words of a goal mean."""

import re
from collections.abc import Iterable

from openral_reasoner.palette.entries import ControlEntry
from openral_reasoner.scripted.goals import Switch
from openral_reasoner.scripted.noun_phrases import plain, singular, split_place
from openral_reasoner.terms import same_term

_EVERY = re.compile(r"(?:all(?: of)?(?: the| my| our)?|both(?: the)?|every|each) (?P<what>.+)", re.IGNORECASE)
_MANY = re.compile(r"lights|lamps|screens|tvs|televisions", re.IGNORECASE)
"""Names of appliances in the plural; of other words, as in "the news", the plural may be the name itself."""


def read_switch(words: str, on: bool) -> Switch:
    """Make a goal of the words for what is to be turned on or off."""
    every = _EVERY.fullmatch(words.strip())
    what, where = split_place(every["what"] if every else words)
    many = _MANY.fullmatch(what.split()[-1]) is not None if what else False
    return Switch(singular(what) if every or many else what, on, where, every is not None or many)


def controls_named(controls: Iterable[ControlEntry], words: str) -> tuple[ControlEntry, ...]:
    """Return the controls that words mean: those with this name, else those of such an appliance or kind."""
    listed, wanted = tuple(controls), plain(words)
    ways = (
        lambda each: (each.id, each.label, each.appliance),
        lambda each: each.names,
        lambda each: (each.kind,),
    )
    found = (
        tuple(each for each in listed if any(same_term(wanted, name) for name in names(each)))
        for names in ways
    )
    return next(filter(None, found), ())


def controls_of(controls: Iterable[ControlEntry], goal: Switch, room: str = "") -> tuple[ControlEntry, ...]:
    """Return the controls that a goal means; ``room`` is the id of the one it names, if known."""
    wanted = room or goal.where.replace(" ", "_").lower()
    return tuple(each for each in controls_named(controls, goal.what) if wanted in ("", each.room.lower()))
