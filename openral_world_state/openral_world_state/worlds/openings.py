"""Which containers are open, as last seen or done, and what came out with a drawer."""

import json
import math
from dataclasses import replace

from pydantic import FiniteFloat, TypeAdapter

from openral_core.scene_graph import Opening
from openral_world_state.homes import Home, Site
from openral_world_state.memories import Memory

_OPENINGS, _DRAWN = "openings", "drawn"
_STATES, _SHARES = TypeAdapter(dict[str, Opening]), TypeAdapter(dict[str, FiniteFloat])
_WIDE, _AJAR = 0.5, 0.05


class Openings:
    """Kept with memory, so that it outlives the process and each change is told.

    ``known`` maps ids of containers to what was last seen of them, or done to them. What lies in a drawer
    that a skill has moved is where the drawer took it.
    """

    def __init__(self, memory: Memory, home: Home) -> None:
        self._memory = memory
        self._doors = {site.node.id for site in home.containers if site.node.occludes_contents}
        self._drawers = {site.node.id: site for site in home.containers if site.drawn > 0.0}
        self._drawn = memory.fact(_DRAWN, _SHARES, {})
        told = memory.fact(_OPENINGS, _STATES, {})
        self.known = {name: opening for name, opening in told.items() if name in self._doors}

    def done(self, container: str, share: float) -> bool:
        """A skill moved a door; it ended at a ``share`` of wide open in [0, 1]. False as in `put`."""
        if container in self._drawers and math.isfinite(share):
            self._draw(self._drawers[container], min(max(share, 0.0), 1.0))
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

    def _draw(self, drawer: Site, share: float) -> None:
        """Move what is remembered in a drawer as far as the drawer has moved."""
        name, out = drawer.node.id, share * drawer.drawn
        by = out - self._drawn.get(name, 0.0)
        dx, dy = by * math.cos(drawer.frame.yaw), by * math.sin(drawer.frame.yaw)
        inside = [r for r in self._memory if not r.carried and drawer.encloses(r.pose.position)]
        for record in inside:
            x, y, z = record.pose.position
            record.pose = replace(record.pose, position=(x + dx, y + dy, z))
            self._memory.touch(record)
        self._drawn[name] = out
        self._memory.put_fact(_DRAWN, json.dumps(self._drawn))
