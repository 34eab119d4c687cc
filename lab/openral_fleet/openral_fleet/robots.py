"""Robots as the dispatcher knows them, and their bids for an errand."""

from dataclasses import dataclass
from math import hypot

from openral_core.skills import Verb
from openral_core.text.terms import normalize_term
from openral_fleet.errands import Errand
from openral_fleet.goal_traits import GoalTraits

SEARCH_COST = 15.0
"""Cost of an object that a robot does not remember, as a driving distance [m]: half a tour of a home."""


@dataclass(frozen=True, slots=True)
class RememberedObject:
    """An object in a robot's memory; ``x``, ``y`` in map [m], ``last_seen`` on that robot's clock [s].

    ``places`` are the ids and labels of the place and room it is at.
    """

    label: str
    x: float
    y: float
    places: tuple[str, ...] = ()
    last_seen: float = 0.0

    def is_named(self, words: str) -> bool:
        """Return True if words name an object of this kind: "mug" also names a "red mug"."""
        own, name = normalize_term(self.label), normalize_term(words)
        return bool(name) and (own == name or own.endswith(f" {name}") or name.endswith(f" {own}"))

    def is_at(self, place: str) -> bool:
        """Return True if it is at a place, named by its id or label."""
        query = normalize_term(place)
        return any(query == name or name.endswith(f" {query}") for name in map(normalize_term, self.places))


@dataclass(frozen=True, slots=True)
class RobotState:
    """Last report of a robot."""

    name: str  # Namespace of the robot.
    session: str = ""  # Identity of its reasoner's process, new after each restart; "" while it is absent.
    verbs: frozenset[Verb] = frozenset()  # Verbs that its skill server executes now.
    holding: str = ""  # Label of what it holds, "" for nothing.
    # Verb that its skill server executes, "" for none; a skill may outlive the process that sent it.
    busy: str = ""
    position: tuple[float, float] | None = None  # Where it stands in map [m]; None if that is not known.
    objects: tuple[RememberedObject, ...] = ()  # What it remembers.

    def known(self, words: str) -> tuple[RememberedObject, ...]:
        """Return the objects of a kind that it remembers."""
        return tuple(each for each in self.objects if each.is_named(words))

    @property
    def clock(self) -> float:
        """Time of its latest observation, on its own clock [s]."""
        return max((each.last_seen for each in self.objects), default=0.0)


def obstacle(errand: Errand, traits: GoalTraits, robot: RobotState) -> str:
    """Return the reason that a robot cannot do an errand, "" if there is none."""
    if errand.robot and errand.robot.strip("/") != robot.name.strip("/"):
        return f"{robot.name} is not {errand.robot}"
    if lacking := sorted((traits.verbs | frozenset(errand.requires)) - robot.verbs):
        return f"{robot.name} lacks {', '.join(lacking)}"
    held = RememberedObject(robot.holding, 0.0, 0.0)
    if traits.grasps and robot.holding and not any(held.is_named(name) for name in traits.objects):
        return f"{robot.name} holds {robot.holding}"
    return ""


def bid(traits: GoalTraits, robot: RobotState) -> float:
    """Return a robot's cost of an errand [m]: the way to its objects, or the search for them."""
    return sum(_cost(name, robot) for name in traits.objects)


def _cost(words: str, robot: RobotState) -> float:
    if robot.holding and RememberedObject(robot.holding, 0.0, 0.0).is_named(words):
        return 0.0
    objects = robot.known(words)
    if not objects or robot.position is None:
        return SEARCH_COST
    x, y = robot.position
    return min(hypot(each.x - x, each.y - y) for each in objects)
