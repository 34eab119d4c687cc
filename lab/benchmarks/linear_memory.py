"""The baseline: a list of Python objects, gone through from end to end each time."""

import math
from dataclasses import dataclass

from openral_world_state.observation import Observation


@dataclass
class MemoryEntry:
    """One remembered object."""

    label: str
    position: tuple[float, float, float]
    last_seen: float
    count: int = 1


class LinearMemory:
    """Nearest thing of the same label within a radius is the same; labels match by their words."""

    def __init__(self, radius: float = 0.12) -> None:
        self._things: list[MemoryEntry] = []
        self._radius = radius

    def preload(self, snapshot: tuple[Observation, ...]) -> None:
        """Keep everything as new."""
        self._things.extend(MemoryEntry(each.label, each.pose.position, each.stamp) for each in snapshot)

    def take_in(self, snapshot: tuple[Observation, ...]) -> None:
        """Update the nearest thing of the same label, else keep a new one."""
        for each in snapshot:
            near = [
                item
                for item in self._things
                if item.label == each.label and math.dist(item.position, each.pose.position) < self._radius
            ]
            if near:
                best = min(near, key=lambda element: math.dist(element.position, each.pose.position))
                best.position, best.last_seen, best.count = each.pose.position, each.stamp, best.count + 1
            else:
                self.preload((each,))

    def recall(self, words: str) -> list[MemoryEntry]:
        """The five things seen last whose label has all the words."""
        terms = set(words.casefold().split())
        hits = [item for item in self._things if terms <= set(item.label.casefold().split())]
        return sorted(hits, key=lambda element: -element.last_seen)[:5]
