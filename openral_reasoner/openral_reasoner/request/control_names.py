"""Names of switches and buttons: which of the listed controls the words of a goal mean."""

from collections.abc import Iterable

from openral_core.text.terms import same_term
from openral_reasoner.palette.entries import ControlEntry
from openral_reasoner.request.goals import Switch


def controls_named(controls: Iterable[ControlEntry], words: str) -> tuple[ControlEntry, ...]:
    """Return the controls that words mean: those with this name, else those of such an appliance or kind."""
    listed = tuple(controls)
    ways = (
        lambda each: (each.id, each.label, each.appliance),
        lambda each: each.names,
        lambda each: (each.kind,),
    )
    matches = (
        tuple(each for each in listed if any(same_term(words, name) for name in names(each)))
        for names in ways
    )
    return next(filter(None, matches), ())


def controls_of(controls: Iterable[ControlEntry], goal: Switch, room: str = "") -> tuple[ControlEntry, ...]:
    """Return the controls that a goal means; ``room`` is the id of the one it names, if known."""
    room = room or goal.where.replace(" ", "_").lower()
    return tuple(each for each in controls_named(controls, goal.what) if room in ("", each.room.lower()))
