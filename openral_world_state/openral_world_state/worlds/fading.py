"""Objects that were looked for and not found."""

from dataclasses import dataclass

from openral_core.scene_graph import Opening, Presence
from openral_core.text import Thesaurus
from openral_world_state.absences import Decay, Sight, Vocabularies, sights
from openral_world_state.associations import appeared_since, merge
from openral_world_state.homes import Home
from openral_world_state.lifts import Optics
from openral_world_state.memories import Memory, Record
from openral_world_state.views import View


@dataclass(frozen=True, slots=True)
class Fading:
    """Lets objects fade whose place was seen empty by a detector that could name them."""

    memory: Memory
    home: Home
    thesaurus: Thesaurus
    vocabularies: Vocabularies
    decay: Decay
    optics: Optics
    openings: dict[str, Opening]
    map_epoch: int = 0

    def fade(self, view: View, source: str, seen: set[str]) -> None:
        """Count a look in vain for each object the view shows to be absent.

        Args:
            view: What the camera measured.
            source: The detector that looked.
            seen: Ids of what it did see.
        """
        expected = [r for r in self._in_reach(view) if r.id not in seen and self._is_expected(r, source)]
        for record, sight in zip(
            expected, sights(view, expected, self.optics.nearest, self.optics.farthest), strict=True
        ):
            if sight in (Sight.EMPTY, Sight.UNDECIDED):
                self._miss(record, view.stamp)

    def _in_reach(self, view: View) -> list[Record]:
        middle = view.eye + view.T_map_camera[:3, 2] * self.optics.farthest / 2.0
        x, y, z = middle.tolist()
        return [record for record, _ in self.memory.near((x, y, z), self.optics.farthest * 0.75)]

    def _is_expected(self, record: Record, source: str) -> bool:
        if record.carried or record.presence is Presence.GONE or record.map_epoch != self.map_epoch:
            return False
        inside = self.home.container_at(record.pose.position)
        shut = inside is not None and self.openings.get(inside.node.id) is Opening.CLOSED
        return not shut and self.vocabularies.can_name(source, record)

    def _miss(self, record: Record, stamp: float) -> None:
        misses = record.misses
        changed = self.decay.after_miss(record, stamp)
        if record.misses == misses:
            return
        if changed is not None:
            self._find_again(record)
        self.memory.touch(record)

    def _find_again(self, record: Record) -> None:
        other = appeared_since(record, self.memory, self.thesaurus)
        if other is not None:
            merge(record, other)
            self.memory.forget(other.id, merged_into=record.id)
