"""History of each remembered object: what changed from one scene graph to the next, and looks that missed it.

World state publishes what is believed now; the history is what a console has watched, so it begins with the
console, or with the recording. The time of the first sighting is world state's own.
"""

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from openral_console.sections import Json
from openral_core.parsing import InvalidText, parse_json

MOVED = 0.15
"""Distance from which a new position is a move [m]: estimates of an object at rest vary by centimetres."""
ONE_MOVE = 5.0
"""Time within which positions that follow each other are one move, such as that of a carried object [s]."""
MAX_EVENTS, MAX_OBJECTS = 20, 300
"""Most events of one object, and most objects with events; the oldest are dropped."""
PRESENCES = {
    "present": "seen again",
    "stale": "missed where it was remembered",
    "gone": "missed several times: no longer expected there",
}
OPENINGS = {"open": "opened", "closed": "closed"}
OPERATOR = "operator"
Event = tuple[float, str]


@dataclass(slots=True)
class Believed:
    """State of an object in the last scene graph; ``rest`` is where its last move began or ended [m]."""

    label: str
    rest: tuple[float, ...]
    presence: str
    opening: str
    moved: float = -math.inf
    removed: bool = False


class ObjectHistory:
    """Events (time [s], text) of each object, oldest first."""

    def __init__(self) -> None:
        self.events: OrderedDict[str, list[Event]] = OrderedDict()
        self._believed: dict[str, Believed] = {}
        self._looks: OrderedDict[tuple[str, int], None] = OrderedDict()

    def on_scene(self, scene: Mapping[str, Json]) -> list[str]:
        """Take the next scene graph, as `views.scene` gives it; return the ids with new events."""
        now = _number(scene["stamp"])
        nodes = {str(node["id"]): node for node in _rows(scene["nodes"]) if node["kind"] == "object"}
        changed = [name for name, node in nodes.items() if self._compare(name, node, now)]
        if not scene["left_out"]:
            for name in self._believed.keys() - nodes.keys():
                changed += [name] if self._remove(name, now) else []
        return changed

    def on_calls(self, mission: Mapping[str, Json], now: float) -> list[str]:
        """Take a mission, as `views.mission` gives it; return the ids with new events."""
        changed = []
        for call in _rows(mission["calls"]):
            look = str(mission["id"]), int(_number(call["index"]))
            if call["tool"] != "locate_in_view" or call["status"] != "NOT_IN_VIEW" or look in self._looks:
                continue
            self._looks[look] = None
            query = _query(str(call["arguments"]))
            for name, believed in self._believed.items():
                if not believed.removed and believed.label.casefold() == query:
                    self._add(name, now, f"looked for and not seen: {call['message']}")
                    changed.append(name)
        while len(self._looks) > MAX_OBJECTS:
            self._looks.popitem(last=False)
        return changed

    def _compare(self, name: str, node: Mapping[str, Json], now: float) -> bool:
        label, presence, opening = str(node["label"]), str(node["presence"]), str(node["opening"])
        at = tuple(map(_number, _list(node["position"])))
        before = self._believed.get(name)
        if before is None:
            self._believed[name] = Believed(label, at, presence, opening)
            first = _number(node["first_seen"])
            return first > 0.0 and self._add(name, first, "first seen")
        changes = [
            "back in memory" if before.removed else "",
            "" if label == before.label else f"renamed from {before.label}",
            "" if presence == before.presence else PRESENCES.get(presence, presence),
            "" if opening == before.opening else OPENINGS.get(opening, ""),
        ]
        before.label, before.presence, before.opening, before.removed = label, presence, opening, False
        texts = [text for text in changes if text]
        for text in texts:
            self._add(name, now, text)
        return self._follow(name, before, at, node["source"] == OPERATOR, now) or bool(texts)

    def _follow(
        self, name: str, believed: Believed, at: tuple[float, ...], by_hand: bool, now: float
    ) -> bool:
        """Add a move, or extend the one that is under way."""
        distance = math.dist(believed.rest, at)
        if distance < MOVED:
            return False
        where = ", ".join(f"{value:.2f}" for value in at)
        text = f"moved {'by the operator ' if by_hand else ''}to ({where}) m"
        events = self.events.get(name, [])
        if now - believed.moved < ONE_MOVE and events and events[-1][1].startswith("moved "):
            events.pop()
        believed.rest, believed.moved = at, now
        return self._add(name, now, text)

    def _remove(self, name: str, now: float) -> bool:
        believed = self._believed[name]
        if believed.removed:
            return False
        believed.removed = True
        return self._add(name, now, "forgotten, or merged into another object")

    def _add(self, name: str, time: float, text: str) -> bool:
        events = self.events.setdefault(name, [])
        events.append((round(time, 2), text))
        del events[:-MAX_EVENTS]
        self.events.move_to_end(name)
        while len(self.events) > MAX_OBJECTS:
            self.events.popitem(last=False)
        return True


def _query(arguments: str) -> str:
    """Return what a look was for; "" if that cannot be read."""
    try:
        content = parse_json(arguments)
    except InvalidText:
        return ""
    return str(content.get("query", "")).casefold() if isinstance(content, dict) else ""


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _rows(value: Json) -> Iterable[Mapping[str, Json]]:
    return [row for row in _list(value) if isinstance(row, Mapping)]
