"""Games of TextWorldExpress: the engine's own worlds, surveyed for a map and played command by command."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from openral_core.errors import OpenRALError
from openral_household_benchmark.engine_process import EngineProcess, EngineReply
from openral_household_benchmark.text_world import Furniture, Objective, TextWorld

SERVER = Path(__file__).with_name("textworld_express_server.py")
_THING = re.compile(
    r"(?:you see|is also|also see) (?:an?|the|some) (?P<open>open )?(?P<name>[^.,]+?)"
    r"(?:,? that (?:(?P<closed>is closed)|(?P<empty>is empty|has nothing on it)|has (?P<on>[^.]+) on it"
    r"|contains (?P<inside>[^.]+)))?\.",
    re.IGNORECASE,
)
_WAY = re.compile(
    r"to the (?P<direction>north|south|east|west) you see (?P<what>the|a closed) ", re.IGNORECASE
)
_ROOM = re.compile(r"You are in the (?P<room>.+?)\.")
_LISTED = re.compile(r"(?:^|,? and |, )(?:an?|the|some) ")
REFUSALS = ("Unknown action", "I'm not sure", "You can't", "You cannot", "That is already")
"""Beginnings of replies to a command that did nothing."""


class EngineDisagrees(OpenRALError):
    """Command that fits by the description of the room and that the engine refuses."""

    def __init__(self, command: str, reply: str) -> None:
        super().__init__(f"TextWorldExpress answers {command!r} with {reply[:200]!r}")


class CommandReply(EngineReply):
    """Message to a player after a command."""

    observation: str
    look: str
    score: float
    valid: tuple[str, ...]


class GameStart(CommandReply):
    """Message at the beginning, with the solution and the places where objects count."""

    task: str
    gold: tuple[str, ...]
    belongs: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Thing:
    """Furniture or an object that a description names; ``held`` are the names of what is on or in it."""

    name: str
    holds: bool = False
    container: bool = False
    closed: bool = False
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoomDescription:
    """One description: the room, what is in it, and the directions in which it can be left."""

    room: str
    things: tuple[Thing, ...]
    ways: tuple[str, ...]
    doors: frozenset[str]


def read_description(look: str) -> RoomDescription:
    """Parse the description of a room."""
    inside, _, outside = look.partition("\n")
    room = _ROOM.search(inside)
    ways = [(way["direction"].lower(), way["what"] != "the") for way in _WAY.finditer(outside)]
    return RoomDescription(
        room["room"] if room else "",
        tuple(map(_thing, _THING.finditer(inside))),
        tuple(direction for direction, _ in ways),
        frozenset(direction for direction, closed in ways if closed),
    )


def _thing(match: re.Match[str]) -> Thing:
    listed = match["on"] or match["inside"] or ""
    container = bool(match["open"] or match["closed"])
    return Thing(
        match["name"],
        bool(container or match["empty"] or listed),
        container,
        bool(match["closed"]),
        tuple(name.strip() for name in _LISTED.split(listed) if name.strip()),
    )


@dataclass
class ExpressWorld(TextWorld):
    """World whose commands the engine carries out and whose score is the engine's."""

    engine: EngineProcess = field(kw_only=True, repr=False)  # Engine of the game in progress.
    # Direction of each way between two rooms.
    directions: Mapping[tuple[str, str], str] = field(kw_only=True)
    doors: set[tuple[str, str]] = field(kw_only=True)  # Ways behind a closed door, in both directions.
    engine_score: float = field(default=0.0, kw_only=True)

    @property
    @override
    def score(self) -> float:
        return self.engine_score

    @override
    def _score(self) -> None:
        """Leave scoring to the engine."""

    @override
    def go(self, room: str) -> None:
        """Walk through an exit; a closed door is opened first, which is a command of its own."""
        way = (self.robot, room)
        if way in self.doors:
            self.steps += 1
            self.send(f"open door to {self.directions[way]}")
            self.doors -= {way, way[::-1]}
        super().go(room)
        self.send(f"move {self.directions[way]}")

    @override
    def open(self, container: str) -> None:
        super().open(container)
        self.send(f"open {self.furniture[container].name}")

    @override
    def close(self, container: str) -> None:
        super().close(container)
        self.send(f"close {self.furniture[container].name}")

    @override
    def take(self, item: str) -> None:
        super().take(item)
        self.send(f"take {self.items[item]}")

    @override
    def put(self, item: str, place: str) -> None:
        super().put(item, place)
        self.send(f"put {self.items[item]} in {self.furniture[place].name}")

    def command(self, command: str) -> None:
        """Have the engine carry out a command that has no effect on places, as one step."""
        self.steps += 1
        self.send(command)

    def send(self, command: str) -> None:
        """Have the engine carry out a command.

        Raises:
            EngineDisagrees: If it refuses.
        """
        reply = self.engine.ask({"command": command}, CommandReply)
        if reply.observation.startswith(REFUSALS):
            raise EngineDisagrees(command, reply.observation)
        if reply.score > self.engine_score:
            self.steps_to_score = self.steps
        self.engine_score = reply.score


class Survey:
    """Walk through a generated game that notes its rooms, furniture, ways and objects.

    ``named`` are the rooms of everything that descriptions name, ``at`` the places of what can be taken.
    """

    def __init__(self, engine: EngineProcess, begun: GameStart) -> None:
        self._engine = engine
        self._latest: CommandReply = begun
        self.start = read_description(begun.look).room
        self.belongs = begun.belongs
        self.furniture = dict[str, Furniture]()
        self.closed = set[str]()
        self.at = dict[str, str]()
        self.directions = dict[tuple[str, str], str]()
        self.doors = set[tuple[str, str]]()
        self.rooms = list[str]()
        self.named = dict[str, str]()
        self._look_around(self.start)

    def _look_around(self, room: str) -> None:
        """Note one room with what its containers hide, then the rooms behind it."""
        self.rooms.append(room)
        first = read_description(self._latest.look)
        closed = {each.name for each in first.things if each.closed}
        openable = {each for each in closed if f"open {each}" in self._latest.valid}
        for thing in first.things:
            if thing.name in openable:
                self.closed.add(f"{room}/{thing.name}")
                self._do(f"open {thing.name}")
        view, shut = read_description(self._latest.look), closed - openable
        takeable = {each.removeprefix("take ") for each in self._latest.valid if each.startswith("take ")}
        self.named |= {thing.name: room for thing in view.things}
        for thing in view.things:
            place = f"{room}/{thing.name}"
            if thing.holds:
                self.furniture[place] = Furniture(
                    place, thing.name, room, thing.container, thing.container and thing.name not in shut
                )
                self.at |= {_command_name(name, takeable): place for name in thing.held}
            elif (name := _command_name(thing.name, takeable)) in takeable:
                self.at[name] = room
        for direction in view.ways:
            self._go_on(room, direction, closed=direction in view.doors)

    def _go_on(self, room: str, direction: str, *, closed: bool) -> None:
        """Walk in one direction, note what is new there, and come back."""
        if direction in (d for (one, _), d in self.directions.items() if one == room):
            return
        if closed:
            self._do(f"open door to {direction}")
        self._do(f"move {direction}")
        other, back = read_description(self._latest.look).room, _BACK[direction]
        self.directions |= {(room, other): direction, (other, room): back}
        self.doors |= {(room, other), (other, room)} if closed else set()
        if other not in self.rooms:
            self._look_around(other)
        self._do(f"move {back}")

    def _do(self, command: str) -> None:
        self._latest = self._engine.ask({"command": command}, CommandReply)
        if self._latest.observation.startswith(REFUSALS):
            raise EngineDisagrees(command, self._latest.observation)

    def world(self) -> ExpressWorld:
        """Return the world as it was before the walk."""
        exits = {room: frozenset(b for a, b in self.directions if a == room) for room in self.rooms}
        return ExpressWorld(
            rooms={room: room for room in self.rooms},
            exits=exits,
            furniture=self.furniture,
            items={name: name for name in self.at},
            at=dict(self.at),
            robot=self.start,
            closed=set(self.closed),
            objectives=tuple(self._objectives()),
            keeps_score=True,
            engine=self._engine,
            directions=self.directions,
            doors=set(self.doors),
        )

    def _objectives(self) -> Iterator[Objective]:
        for name in self.at:
            proper = self.belongs.get(name, ())
            places = frozenset(each.id for each in self.furniture.values() if each.name in proper)
            if places:
                yield Objective(name, places)


def _command_name(phrase: str, takeable: set[str]) -> str:
    """Return the name of an object in commands; descriptions add states such as "raw"."""
    return next((name for name in takeable if phrase == name or phrase.endswith(f" {name}")), phrase)


_BACK = {"north": "south", "south": "north", "east": "west", "west": "east"}
