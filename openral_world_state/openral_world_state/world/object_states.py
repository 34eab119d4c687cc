"""States of objects and furniture, kept with memory: on, off, open, closed, full, empty, clean or dirty.

Each is known from an image, from a skill's result or from the operator, and believed for a time.
"""

import json
import math
from collections.abc import Container
from dataclasses import asdict

from pydantic import TypeAdapter

from openral_core.object_states import ObjectState, StateSource, UnknownState, believed
from openral_core.spatial_memory import EditResult, EditStatus, MemoryEdit
from openral_world_state.spatial_memory.memory import SpatialMemory

_FACT = "states"
_STORED = TypeAdapter(dict[str, dict[str, ObjectState]])
BY_SKILL = "skill"
"""``other`` of an edit that passes on a skill's result."""
SAME_OBJECT = 0.15
"""Distance up to which an object is the one that a skill reports a state of [m]; a rim is above it."""
Triple = tuple[float, float, float]
REPEAT = 30.0
"""Age from which a state that is known again is stored again [s]: a door is seen five times a second."""
_OPERATOR_RULES = 60.0
"""Time for which an image does not overrule what the operator said [s]."""


class ObjectStates:
    """Known states by node id and dimension; kept with memory, so they outlive the process.

    Attributes:
        now: Newest time of an image or report [s], against which states expire.
    """

    def __init__(self, memory: SpatialMemory) -> None:
        self._memory, self.now = memory, 0.0
        self._states = memory.fact(_FACT, _STORED, {})

    def advance(self, now: float) -> None:
        """Take note of the time [s]."""
        self.now = max(self.now, now)

    def of(self, node_id: str) -> tuple[ObjectState, ...]:
        """Return the states of a node that are still believed."""
        return believed(self._states.get(node_id, {}).values(), self.now)

    def set(self, node_id: str, value: str, source: StateSource, now: float | None = None) -> bool:
        """Note a state as known at a time [s], by default now; return False if nothing changed.

        Raises:
            UnknownState: If the value is no state.
        """
        if now is not None and math.isfinite(now):
            self.advance(now)
        state = ObjectState.known(value, source, self.now)
        states = self._states.setdefault(node_id, {})
        before = states.get(state.name)
        if before is not None and _stays(before, state):
            return False
        states[state.name] = state
        self._store()
        return True

    def set_at(self, point: Triple, value: str, source: StateSource, now: float) -> bool:
        """Note a state of the object nearest to a point of map [m]; return False if none is there.

        Raises:
            UnknownState: If the value is no state.
        """
        near = min(self._memory.near(point, SAME_OBJECT), key=lambda pair: pair[1], default=None)
        if near is None:
            return False
        self.set(near[0].id, value, source, now)
        return True

    def edit(self, request: MemoryEdit, nodes: Container[str]) -> EditResult:
        """Apply an edit of a state, told by the operator or passed on from a skill.

        Args:
            nodes: Ids of furniture and people.
        """
        name = request.node_id
        name = name if name in nodes or name not in self._memory else self._memory.current_id(name)
        if name not in nodes and name not in self._memory:
            near = self._memory.labels.nearest(request.node_id)
            message = f"unknown object {request.node_id[:80]!r}: no object or furniture has that id"
            return EditResult(EditStatus.UNKNOWN_OBJECT, message, near, self._memory.revision)
        source = StateSource.REPORTED if request.other == BY_SKILL else StateSource.TOLD
        try:
            self.set(name, request.label, source)
        except UnknownState as error:
            return EditResult(EditStatus.BAD_STATE, str(error), revision=self._memory.revision)
        self._memory.commit()
        message = f"{name} is {request.label} ({source.value})"
        return EditResult(EditStatus.EDITED, message, revision=self._memory.revision)

    def _store(self) -> None:
        plain = {node: {name: asdict(s) for name, s in own.items()} for node, own in self._states.items()}
        self._memory.put_fact(_FACT, json.dumps(plain))


def _stays(before: ObjectState, after: ObjectState) -> bool:
    """Return True if a known state need not be replaced: it is the same, or the operator has just said it."""
    age = after.since - before.since
    if before.value == after.value:
        return before.source is after.source and age < REPEAT
    return before.source is StateSource.TOLD and after.source is StateSource.SEEN and age < _OPERATOR_RULES
