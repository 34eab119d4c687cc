"""States of objects and furniture such as on or dirty: how they are known, and how long they are believed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import Pose


class StateSource(StrEnum):
    """Source of a state, in the order of the numbers of ObjectState.msg."""

    SEEN = "seen"
    REPORTED = "reported"
    TOLD = "told"


@dataclass(frozen=True, slots=True)
class StateName:
    """One dimension of state."""

    values: tuple[str, str]  # Its two values.
    holds: float | None  # Time for which a value is believed in [s]; None until something else is known.


STATES: Mapping[str, StateName] = {
    "power": StateName(("on", "off"), holds=3600.0),
    "opening": StateName(("open", "closed"), holds=3600.0),
    "filling": StateName(("full", "empty"), holds=1800.0),
    "cleanliness": StateName(("clean", "dirty"), holds=None),
}
"""Dimensions by name: people switch lamps, move doors and drink what was poured; a dirty mug stays dirty."""
NAME_OF: Mapping[str, str] = {value: name for name, state in STATES.items() for value in state.values}
"""Dimension by value."""
STATE_VALUES = tuple(NAME_OF)
"""Every value."""


OPENING = "opening"
"""The one dimension that is also measured: 0 closed to 1 wide open."""


class UnknownState(OpenRALError):
    """A word that is no state."""

    def __init__(self, value: str) -> None:
        super().__init__(f"{value[:80]!r} is no state: expected one of {format_choices(STATE_VALUES)}")


@dataclass(frozen=True, slots=True)
class ObjectState:
    """One state; ``since`` and ``until`` in [s] of the robot's clock, ``until`` None for no end."""

    name: str
    value: str
    source: StateSource
    since: float
    until: float | None = None

    @classmethod
    def known(cls, value: str, source: StateSource, now: float) -> "ObjectState":
        """Return a state that is known now, believed for as long as one of its dimension holds.

        Raises:
            UnknownState: If the value is no state.
        """
        if value not in NAME_OF:
            raise UnknownState(value)
        holds = STATES[NAME_OF[value]].holds
        return cls(NAME_OF[value], value, source, now, None if holds is None else now + holds)

    def is_believed(self, now: float) -> bool:
        """Return True until the time for which it holds has passed."""
        return self.until is None or now <= self.until

    def in_words(self, now: float | None = None) -> str:
        """Describe it with its source, as in "on (seen)", and its age at ``now``: "on (seen 20 s ago)"."""
        age = "" if now is None else f" {age_in_words(now - self.since)} ago"
        return f"{self.value} ({self.source.value}{age})"


class InvalidStateReport(OpenRALError):
    """A report that names no state of anything."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f"invalid state report: {field} is {value!r:.80}, expected {expected}")


@dataclass(frozen=True, slots=True)
class StateReport:
    """A state as a skill, a sensor or a person reports it."""

    # Id of the object or furniture, or the position in map of the object [m].
    what: str | tuple[float, float, float]
    value: str | float  # A value of `STATES`, or how far a door or drawer is open, 0 closed to 1 wide open.
    source: StateSource
    stamp: float  # When it was so [s].


def states_of_evidence(evidence: Mapping[str, object], stamp: float) -> Iterator[StateReport]:
    """Yield the door that a goal moved, the appliance that it switched and the vessel that it filled."""
    container, opening = evidence.get("container_id"), evidence.get("opening")
    if isinstance(container, str) and isinstance(opening, float):
        yield StateReport(container, min(max(opening, 0.0), 1.0), StateSource.REPORTED, stamp)
    appliance, on = evidence.get("appliance_id"), evidence.get("on")
    if isinstance(appliance, str) and isinstance(on, bool):
        yield StateReport(appliance, "on" if on else "off", StateSource.REPORTED, stamp)
    if isinstance(vessel := evidence.get("vessel"), Pose):
        yield StateReport(vessel.position, "full", StateSource.REPORTED, stamp)


def age_in_words(seconds: float) -> str:
    """Return a time in the largest unit of which it has two, as in "20 s" or "3 h"."""
    for unit, size in (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def believed(states: Iterable[ObjectState], now: float) -> tuple[ObjectState, ...]:
    """Return the states that are believed now, by dimension."""
    return tuple(sorted((each for each in states if each.is_believed(now)), key=lambda each: each.name))
