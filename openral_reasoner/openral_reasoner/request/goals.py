"""Goals: what a person may ask for, each a typed statement with its slots in words."""

from dataclasses import dataclass, fields
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Bring:
    """Fetch an object and give it to someone or put it somewhere.

    ``where`` is its stated place; ``relation`` is "" where the object goes in, on or to the place, else one
    such as "left of", "under" or "on top of".
    """

    what: str
    to: str = "me"
    where: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class BringFilled:
    """Fill a vessel and give it to someone."""

    vessel: str
    contents: str
    to: str = "me"


@dataclass(frozen=True, slots=True)
class Pour:
    """Fill a vessel and leave it where it stands."""

    contents: str
    vessel: str


@dataclass(frozen=True, slots=True)
class PickUp:
    """Take an object into the hand; ``where`` is its stated place."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Find:
    """See an object and report its place; ``where`` is its stated place."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class GoTo:
    """Drive somewhere."""

    where: str


@dataclass(frozen=True, slots=True)
class LookAt:
    """Point the camera at something."""

    what: str


@dataclass(frozen=True, slots=True)
class LookInside:
    """Open something and look in."""

    what: str


@dataclass(frozen=True, slots=True)
class MoveDoor:
    """Open or close something."""

    what: str
    open: bool


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Text outside the grammar; ``language`` is its English name, "" for English."""

    words: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Switch:
    """Turn a lamp or another appliance on or off; ``every`` one of that name, ``where`` a room or place."""

    what: str
    on: bool
    where: str = ""
    every: bool = False


@dataclass(frozen=True, slots=True)
class Press:
    """Press a button or switch once."""

    what: str


Goal = (
    Bring
    | BringFilled
    | Pour
    | PickUp
    | Find
    | GoTo
    | LookAt
    | LookInside
    | MoveDoor
    | Switch
    | Press
    | NotUnderstood
)


@dataclass(frozen=True, slots=True)
class BringSeveral:
    """Fetch ``count`` different objects of one kind; ``what`` is singular."""

    what: str
    count: int
    to: str = "me"
    where: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class BringEvery:
    """Fetch every object of one kind; ``what`` is singular."""

    what: str
    to: str = "me"
    where: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class BringEach:
    """Fetch one object for each person who is known."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Swap:
    """Exchange the places of two objects."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Tidy:
    """Put every object where it belongs; ``where`` is a room or place, "" for the home."""

    where: str = ""


@dataclass(frozen=True, slots=True)
class Clear:
    """Take every object off a place, to ``to`` or to where each belongs."""

    where: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class SetTable:
    """Put what each of ``count`` people needs for a meal on the table; 0 if the number is not said."""

    count: int
    meal: str = ""
    where: str = "table"


@dataclass(frozen=True, slots=True)
class Explore:
    """Look around until all reachable floor was seen; ``where`` is a room, "" for the home."""

    where: str = ""


@dataclass(frozen=True, slots=True)
class Describe:
    """Report what memory has; ``where`` is a room, "" for the home."""

    where: str = ""


@dataclass(frozen=True, slots=True)
class AskState:
    """Say whether something is in a state, as in "is the lamp on"."""

    what: str
    value: str


@dataclass(frozen=True, slots=True)
class TellState:
    """Remember a state that the operator told, as in "the mug is dirty"."""

    what: str
    value: str


@dataclass(frozen=True, slots=True)
class AskCount:
    """Say how many objects of a kind there are; ``where`` is a room or place, "" for the home."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class AskCompare:
    """Say which object of a kind has the most or the least of a property, as in "largest".

    With ``other``, which of the two; "nearest" and "farthest" are measured from ``near``, "" for the robot.
    """

    what: str
    property: str
    where: str = ""
    other: str = ""
    near: str = ""


@dataclass(frozen=True, slots=True)
class Attend:
    """An act with people, in the words for it; no skill does any.

    Attributes:
        act: Verb such as "guide", "follow", "greet", "introduce", "answer", "tell" or "find person".
        who: The person as described; "me" is the speaker.
        where: Place where the person is, or where the act begins.
        to: Place or person where it leads.
        topic: Subject of what is told, asked or looked for.
    """

    act: str
    who: str
    where: str = ""
    to: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class AskAbilities:
    """Say what the robot can do, as in "what can you do?"."""


@dataclass(frozen=True, slots=True)
class AskWhereabouts:
    """Say where the robot is."""


@dataclass(frozen=True, slots=True)
class AskView:
    """Say what the robot sees now: ``what`` on a ``side`` of the image, or of what ``of`` names."""

    what: str = ""
    side: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class Conditional:
    """Do ``then`` if the object is found, else ``otherwise``; None stands for nothing to do."""

    condition: Find
    then: "Request | None"
    otherwise: "Request | None" = None


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Wait until a person has come, then do something."""

    who: str
    then: "Request"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Two or more goals; if ``ordered``, each needs the one before it."""

    parts: tuple["Request", ...]
    ordered: bool = False


class Act(StrEnum):
    """Act that may be forbidden; `TOUCH` is everything that the hand does."""

    OPEN = "open"
    CLOSE = "close"
    TAKE = "take"
    ENTER = "enter"
    TOUCH = "touch"


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Prohibition on the way to a goal; of a place, `TAKE` means whatever stands, lies or is in it."""

    act: Act
    what: str


@dataclass(frozen=True, slots=True)
class Restricted:
    """A goal, and what must not be done on the way to it."""

    goal: "Request"
    forbidden: tuple[Forbidden, ...]


Compound = (
    BringSeveral
    | BringEvery
    | BringEach
    | Swap
    | Tidy
    | Clear
    | SetTable
    | Explore
    | Describe
    | AskState
    | TellState
    | AskCount
    | AskCompare
    | Attend
    | AskAbilities
    | AskWhereabouts
    | AskView
    | Conditional
    | WaitFor
    | Sequence
    | Restricted
)
Request = Goal | Compound


def parts_of(request: Request) -> tuple[Request, ...]:
    """Return a goal and every goal in it."""
    inner: tuple[Request | None, ...] = ()
    if isinstance(request, Sequence):
        inner = request.parts
    elif isinstance(request, Conditional):
        inner = (request.condition, request.then, request.otherwise)
    elif isinstance(request, Restricted):
        inner = (request.goal,)
    elif isinstance(request, WaitFor):
        inner = (request.then,)
    return (request, *(nested for part in inner if part is not None for nested in parts_of(part)))


def phrases(request: Request) -> tuple[str, ...]:
    """Return the phrases of a goal and of the goals in it."""
    slots = (getattr(part, each.name) for part in parts_of(request) for each in fields(part))
    return tuple(slot for slot in slots if isinstance(slot, str))


def is_understood(request: Request) -> bool:
    """Return True if every part of a request was understood."""
    return not any(isinstance(part, NotUnderstood) for part in parts_of(request))


def restrictions(request: Request) -> tuple[Forbidden, ...]:
    """Return what must not be done on the way to a goal or to one in it."""
    restricted = (part for part in parts_of(request) if isinstance(part, Restricted))
    return tuple(each for part in restricted for each in part.forbidden)


def unrestricted(request: Request) -> Request:
    """Return a goal without what must not be done on the way to it."""
    return request.goal if isinstance(request, Restricted) else request
