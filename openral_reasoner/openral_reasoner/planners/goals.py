"""The goals that the scripted planner understands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bring:
    """Fetch an object and give it to someone, or put it somewhere; ``where`` it is said to be."""

    what: str
    to: str = "me"
    where: str = ""


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
    """Take an object into the hand; ``where`` it is said to be."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Find:
    """Tell where an object is, having seen it; ``where`` it is said to be."""

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
class Door:
    """Open or close something."""

    what: str
    open: bool


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Words outside the grammar."""

    words: str


Goal = Bring | BringFilled | Pour | PickUp | Find | GoTo | LookAt | LookInside | Door | NotUnderstood
EXAMPLES = (
    "bring me the mug",
    "bring me a cup of wine",
    "bring the milk to Ana",
    "put the mug on the table",
    "pour wine into the glass",
    "pick up the apple",
    "find the keys",
    "go to the kitchen",
    "look at the table",
    "look in the fridge",
    "open the fridge",
)
