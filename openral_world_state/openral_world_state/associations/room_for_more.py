"""Memory has an end: what gives way to new objects, and which of them are refused."""

from dataclasses import dataclass

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.scene_graph import Presence
from openral_world_state.memories import Memory
from openral_world_state.memories.columns import PRESENCES
from openral_world_state.memories.records import Triple


class NoRoom(OpenRALError):
    """Base of the reasons for which a new object is not remembered."""


class MemoryFull(NoRoom):
    """As many objects as may be remembered, and none of them gone."""

    def __init__(self, label: str, most: int) -> None:
        super().__init__(
            f"{label!r} is not remembered: there are {most} objects and none of them is gone; "
            "forget some, or raise most_objects"
        )


class TooCrowded(NoRoom):
    """More objects in half a metre than things can be."""

    def __init__(self, label: str, point: Triple, most: int) -> None:
        x, y, z = point
        super().__init__(
            f"{label!r} is not remembered: near {x:.2f}, {y:.2f}, {z:.2f} m are {most} objects already"
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """How many objects are remembered: ``objects`` in all, ``crowd`` in one cube of half a metre."""

    objects: int = 20_000
    crowd: int = 250


def make_room(memory: Memory, limits: Limits, label: str, point: Triple) -> None:
    """See to it that one more object may be remembered; at the limit, what was gone longest is forgotten.

    Raises:
        MemoryFull: If nothing is gone: what may still be there is never dropped.
        TooCrowded: If there are too many around that point.
    """
    if memory.crowd_at(point) >= limits.crowd:
        raise TooCrowded(label, point, limits.crowd)
    while len(memory) >= limits.objects:
        name = _gone_longest(memory)
        if not name:
            raise MemoryFull(label, limits.objects)
        memory.forget(name)


def _gone_longest(memory: Memory) -> str:
    columns = memory.columns
    slots = np.flatnonzero(columns.presence == PRESENCES.index(Presence.GONE))
    if not len(slots):
        return ""
    return columns.record(int(slots[np.argmin(columns.last_seen[slots])])).id
