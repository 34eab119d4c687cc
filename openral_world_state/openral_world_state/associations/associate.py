"""One snapshot taken into memory."""

from dataclasses import dataclass, field

from openral_core.text import Thesaurus
from openral_world_state.associations.assignment import assign
from openral_world_state.associations.identity import missing_like
from openral_world_state.associations.likeness import Gates, cost, is_held, reach_of
from openral_world_state.associations.room_for_more import Limits, NoRoom, make_room
from openral_world_state.associations.updates import created, update
from openral_world_state.memories import Memory, Record
from openral_world_state.memories.records import Triple
from openral_world_state.observations import Observation


@dataclass(frozen=True, slots=True)
class Associator:
    """Decides which observation is which object, and writes that to memory.

    ``map_epoch``: objects of another epoch are not where they seem, and match nothing; ``limits``: how
    many objects there may be.
    """

    memory: Memory
    thesaurus: Thesaurus
    gates: Gates
    map_epoch: int
    limits: Limits = field(default_factory=Limits)

    def take_in(
        self, observations: tuple[Observation, ...], eye: Triple | None, held: str = ""
    ) -> list[Record | NoRoom]:
        """The record of each observation, or why it has none; two of one snapshot are never one object.

        What looks like the ``held`` record, near the gripper, is it.
        """
        order = sorted(range(len(observations)), key=lambda i: _key(observations[i]))
        matches = assign([self._candidates(observations[i], held) for i in order])
        used = {name for name in matches if name is not None}
        taken: dict[int, Record | NoRoom] = {}
        for i, name in zip(order, matches, strict=True):
            known = self.memory.get(name) if name is not None else None
            try:
                taken[i] = record = self._take(observations[i], known, eye, used)
                used.add(record.id)
            except NoRoom as refusal:
                taken[i] = refusal
        return [taken[i] for i in range(len(observations))]

    def _candidates(self, seen: Observation, held: str) -> dict[str, float]:
        reach = self.gates.most if seen.truncated else reach_of(seen.size, self.gates)
        costs = {
            record.id: cost(seen, record, distance, self.gates, self.thesaurus)
            for record, distance in self.memory.near(seen.pose.position, reach)
            if record.map_epoch == self.map_epoch and record.id != held
        }
        if held and is_held(seen, self.memory.get(held), self.thesaurus):
            costs[held] = -1.0
        return {name: value for name, value in costs.items() if value < 3.0}

    def _take(self, seen: Observation, record: Record | None, eye: Triple | None, used: set[str]) -> Record:
        moved = missing_like(seen, self.memory, used) if record is None else None
        known = record or moved
        if known is None:
            make_room(self.memory, self.limits, seen.label, seen.pose.position)
            known = created(self.memory.new_id(seen.label), seen, eye, self.map_epoch)
        else:
            known.map_epoch = self.map_epoch
            update(known, seen, eye, self.thesaurus, moved=moved is not None)
        self.memory.touch(known)
        return known


def _key(seen: Observation) -> tuple[object, ...]:
    """An order that does not depend on the detector's."""
    place = (seen.pose.position, seen.pose.orientation, seen.size, seen.covariance)
    return (*place, seen.label, seen.score, seen.stamp, seen.source, seen.truncated, seen.asked, seen.track)
