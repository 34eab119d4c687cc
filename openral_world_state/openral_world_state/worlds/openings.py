"""Which containers are open, as last seen or done."""

import json

from openral_core.scene_graph import Opening
from openral_world_state.homes import Home
from openral_world_state.memories import Memory

_OPENINGS = "openings"
_WIDE, _AJAR = 0.5, 0.05


class Openings:
    """Kept with memory, so that it outlives the process and each change is told.

    ``known`` maps ids of containers to what was last seen of them, or done to them.
    """

    def __init__(self, memory: Memory, home: Home) -> None:
        self._memory = memory
        self._doors = {site.node.id for site in home.containers if site.node.occludes_contents}
        told: dict[str, str] = json.loads(memory.facts.get(_OPENINGS, "{}"))
        self.known = {name: Opening(value) for name, value in told.items() if name in self._doors}

    def done(self, container: str, share: float) -> bool:
        """A skill moved a door; it ended at a ``share`` of wide open in [0, 1]. False as in `put`."""
        moved = Opening.OPEN if share >= _WIDE else Opening.CLOSED if share <= _AJAR else Opening.UNKNOWN
        return self.put(container, moved)

    def put(self, container: str, opening: Opening) -> bool:
        """Take over a state; False for what is no container with a door, or for no state."""
        if container not in self._doors or opening is Opening.UNKNOWN:
            return False
        if self.known.get(container) is not opening:
            self.known[container] = opening
            told = {name: value.value for name, value in sorted(self.known.items())}
            self._memory.put_fact(_OPENINGS, json.dumps(told))
        return True
