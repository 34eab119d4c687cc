"""Text adventure as a world: rooms, furniture and items as facts, and the commands that change them.

The rules are those that TextWorld's and AdventureGame's households share: walk through an exit, open and
close a container, take an item, put it on or in furniture of the same room. Every command counts as a step,
also one that does not fit. The engines themselves are not used: TextWorld's package depends on one under the
GPL, and clembench's on the clients of six vendors.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from openral_core.errors import OpenRALError

HAND = "(hand)"
"""Place of an item that is carried."""


@dataclass(frozen=True, slots=True)
class Furniture:
    """Piece of furniture of a room; a container is opened and closed if it is ``openable``."""

    id: str
    name: str
    room: str
    is_container: bool = False
    openable: bool = False


@dataclass(frozen=True, slots=True)
class Objective:
    """Item and the furniture where it counts; any of them will do."""

    item: str
    places: frozenset[str]


class CommandRefused(OpenRALError):
    """Command that does not fit the state of the world."""

    def __init__(self, command: str, why: str) -> None:
        super().__init__(f"{command!r} does nothing: {why}")


@dataclass
class TextWorld:
    """State of a text adventure."""

    rooms: Mapping[str, str]  # Names by id.
    exits: Mapping[str, frozenset[str]]  # Rooms that each room leads to.
    furniture: Mapping[str, Furniture]  # Furniture by id.
    items: Mapping[str, str]  # Names by id.
    at: dict[str, str]  # Place of each item: furniture, a room for its floor, or HAND.
    robot: str  # Room of the player.
    closed: set[str]  # Ids of the closed containers.
    objectives: tuple[Objective, ...]  # All of them are wanted.
    keeps_score: bool  # An objective stays reached once it was, as in TextWorld.
    steps: int = 0  # Commands so far.
    steps_to_score: int = 0
    reached: set[Objective] = field(default_factory=set)  # Objectives that are reached.

    def __post_init__(self) -> None:
        self._score()

    @property
    def score(self) -> float:
        """Share of the objectives that are reached [1]."""
        return len(self.reached) / len(self.objectives)

    @property
    def held(self) -> tuple[str, ...]:
        """Ids of the items that are carried."""
        return tuple(item for item, place in self.at.items() if place == HAND)

    def room_of(self, place: str) -> str:
        """Return the room of furniture or of a floor; that of the player for the hand."""
        if place == HAND:
            return self.robot
        return self.furniture[place].room if place in self.furniture else place

    def visible(self) -> tuple[str, ...]:
        """Return the items that the description of the room tells."""
        return tuple(
            item
            for item, place in self.at.items()
            if place != HAND and place not in self.closed and self.room_of(place) == self.robot
        )

    def route(self, room: str) -> tuple[str, ...]:
        """Return the rooms on a shortest way to a room, without the first; none if there is no way."""
        before, queue = {self.robot: ""}, deque([self.robot])
        while queue and room not in before:
            here = queue.popleft()
            fresh = [each for each in sorted(self.exits.get(here, ())) if each not in before]
            before |= dict.fromkeys(fresh, here)
            queue += fresh
        way = [room] if room in before else []
        while way and way[0] != self.robot:
            way.insert(0, before[way[0]])
        return tuple(way[1:])

    def go(self, room: str) -> None:
        """Walk through an exit."""
        self._do(f"go {room}", room in self.exits.get(self.robot, ()), "no exit leads there")
        self.robot = room

    def open(self, container: str) -> None:
        """Open a container."""
        self._do(
            f"open {container}", self._is_here(container) and container in self.closed, "not closed here"
        )
        self.closed.remove(container)

    def close(self, container: str) -> None:
        """Close a container."""
        fits = self._is_here(container) and self.furniture[container].openable
        self._do(f"close {container}", fits and container not in self.closed, "not open here")
        self.closed.add(container)

    def take(self, item: str) -> None:
        """Take an item that is visible."""
        self._do(f"take {item}", item in self.visible(), "not visible here")
        self.at[item] = HAND
        self._score()

    def put(self, item: str, place: str) -> None:
        """Put a carried item on or in furniture."""
        fits = self.at.get(item) == HAND and self._is_here(place) and place not in self.closed
        self._do(f"put {item} {place}", fits, "not carried, or the furniture is closed or not here")
        self.at[item] = place
        self._score()

    def _is_here(self, place: str) -> bool:
        return place in self.furniture and self.furniture[place].room == self.robot

    def _do(self, command: str, fits: bool, why: str) -> None:
        self.steps += 1
        if not fits:
            raise CommandRefused(command, why)

    def _score(self) -> None:
        now = {each for each in self.objectives if self.at.get(each.item) in each.places}
        reached = self.reached | now if self.keeps_score else now
        if len(reached) > len(self.reached):
            self.steps_to_score = self.steps
        self.reached = reached


MAX_WALK = 12
"""Longest walk that is tried [rooms]."""


def fewest_steps(world: TextWorld) -> int:
    """Return the steps of a shortest solution by a player who knows everything and carries any number.

    Each item that is not carried is taken and put down, each closed container on the way is opened, and the
    walk is the shortest that passes the room of each item before that of its goal.
    """
    unmet = [each for each in world.objectives if world.at[each.item] not in each.places]
    for length in range(MAX_WALK):
        costs = [_cost(world, walk, unmet) for walk in _walks(world, (world.robot,), length)]
        best = min((cost for cost in costs if cost is not None), default=None)
        if best is not None:
            return length + best
    return 0


def _walks(world: TextWorld, walk: tuple[str, ...], more: int) -> Iterator[tuple[str, ...]]:
    """Yield every walk that goes on for so many rooms."""
    if more == 0:
        yield walk
        return
    for room in sorted(world.exits.get(walk[-1], ())):
        yield from _walks(world, (*walk, room), more - 1)


def _cost(world: TextWorld, walk: tuple[str, ...], unmet: list[Objective]) -> int | None:
    """Return the steps besides walking, None if the walk does not do."""
    opened, steps = set[str](), 0
    for each in unmet:
        place = world.at[each.item]
        start = 0 if place == HAND else _index(walk, world.room_of(place))
        goals = [p for p in sorted(each.places) if world.furniture[p].room in walk[start:]]
        if start == len(walk) or not goals:
            return None
        goal = min(goals, key=lambda each: each in world.closed)
        opened |= {place, goal} & world.closed
        steps += 1 if place == HAND else 2
    return steps + len(opened)


def _index(walk: tuple[str, ...], room: str) -> int:
    return walk.index(room) if room in walk else len(walk)


@dataclass(frozen=True)
class TextGame:
    """One game: its goal in the words of its authors, a world to begin in, and what is known of it."""

    name: str  # Unique name.
    group: str  # Difficulty or experiment, for the table.
    split: str  # Part of the data set, or "".
    goal: str  # What the robot is told.
    begin: Callable[[], TextWorld]  # Makes the world.
    max_steps: int  # Steps after which the game ends.
    best: int  # Steps of a shortest solution by a player who knows the whereabouts of everything.
    ends_itself: bool  # The game ends with the last objective; else the player has to say so.
    # Does what follows the mission, if that is part of the game.
    finish: Callable[[TextWorld], None] | None = None
