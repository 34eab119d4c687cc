"""Obstructions: what keeps the base from its goal, as evidence of a skill's result and as a sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from openral_core.skills import ParamValue

OBSTACLE = "obstacle"
"""Evidence key of the kind; the other keys begin with it."""
DOORWAY_FROM, DOORWAY_TO = "doorway_from", "doorway_to"
"""Evidence keys of the names of the rooms that a doorway joins, on the robot's side and beyond."""
ROOM = f"{OBSTACLE}_room"
"""Evidence key of the name of the room that an obstacle outside doorways is in."""
_NUMBERED = re.compile(r".* \d+")


class ObstacleKind(StrEnum):
    """Kind of what keeps the base from its goal."""

    PERSON = "person"
    SHUT_DOOR = "shut_door"
    FURNITURE = "furniture"
    NO_GO_ZONE = "no_go_zone"
    UNKNOWN_FLOOR = "unknown_floor"
    UNKNOWN = "unknown"
    """An obstacle that is neither in the map nor in memory."""


@dataclass(frozen=True, slots=True)
class Obstruction:
    """One obstacle in the only way to a goal."""

    kind: ObstacleKind  # What it is.
    at: tuple[float, float]  # Its position in map [m].
    id: str = ""  # Its id in memory or in the map of the home, "" if it has none.
    name: str = ""  # Its name, "" if it has none.
    # Names of the rooms on the robot's side of the doorway that it is in and beyond, or of the room that it
    # is in.
    rooms: tuple[str, ...] = ()
    moved: bool = False  # True for furniture that stood elsewhere when the robot began to use its map.

    @classmethod
    def of(cls, evidence: Mapping[str, ParamValue]) -> Self | None:
        """Read the evidence of a skill's result; None if it names no obstacle of a known kind."""
        kind, x, y = (evidence.get(key) for key in (OBSTACLE, f"{OBSTACLE}_x", f"{OBSTACLE}_y"))
        if kind not in set(ObstacleKind) or not isinstance(x, float) or not isinstance(y, float):
            return None
        names = (evidence.get(key) for key in (DOORWAY_FROM, DOORWAY_TO, ROOM))
        rooms = tuple(str(name) for name in names if name)
        node_id, name = (str(evidence.get(f"{OBSTACLE}_{key}", "")) for key in ("id", "name"))
        moved = evidence.get(f"{OBSTACLE}_moved") is True
        return cls(ObstacleKind(str(kind)), (x, y), node_id, name, rooms, moved)

    def evidence(self) -> dict[str, ParamValue]:
        """Return it as typed evidence of a skill's result."""
        keys = (DOORWAY_FROM, DOORWAY_TO) if len(self.rooms) == 2 else (ROOM,)
        rooms = dict(zip(keys, self.rooms, strict=False))
        named = {f"{OBSTACLE}_id": self.id, f"{OBSTACLE}_name": self.name, **rooms}
        evidence: dict[str, ParamValue] = {key: value for key, value in named.items() if value}
        evidence |= {f"{OBSTACLE}_moved": True} if self.moved else {}
        x, y = self.at
        return evidence | {OBSTACLE: self.kind.value, f"{OBSTACLE}_x": x, f"{OBSTACLE}_y": y}

    @property
    def sentence(self) -> str:
        """State it, as in "Anna stands in the doorway between the kitchen and the hallway"."""
        person = "" if self.name == "person" else _the(self.name)
        door = f"the door from {_the(self.rooms[0])} to {_the(self.rooms[1])}" if self._in_doorway else ""
        stands = "was moved and now stands" if self.moved else "stands"
        return {
            ObstacleKind.PERSON: f"{person or 'a person'} stands {self._where}",
            ObstacleKind.SHUT_DOOR: f"{door or 'a door on the way'} is shut",
            ObstacleKind.FURNITURE: f"{_the(self.name) or 'furniture'} {stands} {self._where}",
            ObstacleKind.NO_GO_ZONE: f"the no-go zone {self.name!r} covers the only way",
            ObstacleKind.UNKNOWN_FLOOR: "the way leads over floor that the robot has not seen yet",
            ObstacleKind.UNKNOWN: f"an obstacle that the robot does not know stands {self._where}",
        }[self.kind]

    @property
    def _in_doorway(self) -> bool:
        return len(self.rooms) == 2

    @property
    def _where(self) -> str:
        if self._in_doorway:
            return f"in the doorway between {_the(self.rooms[0])} and {_the(self.rooms[1])}"
        return f"in the way in {_the(self.rooms[0])}" if self.rooms else "in the way"


def _the(name: str) -> str:
    """Return a name with an article unless it is a proper name or has a number; "" for none."""
    return name if not name or name[:1].isupper() or _NUMBERED.fullmatch(name) else f"the {name}"
