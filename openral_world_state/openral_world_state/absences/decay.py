"""What a look that did not find an object does to it."""

from dataclasses import dataclass

from openral_core.scene_graph import Presence
from openral_world_state.memories import Record


@dataclass(frozen=True, slots=True)
class Decay:
    """Looks in vain until an object is stale, and until it is gone; looks count ``apart`` [s] or more."""

    stale_after: int = 3
    gone_after: int = 8
    apart: float = 0.3
    fading: float = 0.8

    def after_miss(self, record: Record, stamp: float) -> Presence | None:
        """Count one look in vain; the presence it changed to, None when that stayed.

        Raises nothing and changes nothing when the last look was too recent, or later than this one.
        """
        if (record.misses and 0.0 <= stamp - record.looked < self.apart) or stamp <= record.last_seen:
            return None
        record.looked = stamp
        record.misses += 1
        record.confidence *= self.fading
        before = record.presence
        if record.misses >= self.gone_after:
            record.presence = Presence.GONE
        elif record.misses >= self.stale_after:
            record.presence = Presence.STALE
        return record.presence if record.presence is not before else None
