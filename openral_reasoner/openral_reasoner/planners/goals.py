"""The goals that the scripted planner understands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bring:
    """Fetch an object and give it to someone, or put it somewhere."""

    what: str
    to: str = "me"


@dataclass(frozen=True, slots=True)
class BringFilled:
    """Fill a vessel and give it to someone."""

    vessel: str
    contents: str
    to: str = "me"


@dataclass(frozen=True, slots=True)
class Find:
    """Tell where an object is, having seen it."""

    what: str


@dataclass(frozen=True, slots=True)
class GoTo:
    """Drive somewhere."""

    where: str


@dataclass(frozen=True, slots=True)
class LookAt:
    """Point the camera at something."""

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


Goal = Bring | BringFilled | Find | GoTo | LookAt | Door | NotUnderstood
EXAMPLES = (
    "bring me the mug",
    "bring me a cup of wine",
    "bring the milk to Ana",
    "put the mug on the table",
    "find the keys",
    "go to the kitchen",
    "look at the table",
    "open the fridge",
)
