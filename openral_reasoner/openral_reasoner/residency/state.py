"""What became of the peers so far: when they came, what loading took, who is owed what."""
# MERGED What is still owed: who was woken for one task sleeps again, who had to go comes back.

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from openral_reasoner.residency.policy import LONG_AGO, ResidencyRules, Resident, Transition, total_memory


@dataclass(frozen=True, slots=True)
class ResidencyState:
    """Times in [s]; ``woken`` are to sleep again, ``displaced`` to come back, first gone first.

    ``borrower`` is the skill goal that may still hold the memory of those that are displaced.
    """

    since: Mapping[str, float] = field(default_factory=dict)
    used: Mapping[str, float] = field(default_factory=dict)
    load_times: Mapping[str, float] = field(default_factory=dict)
    woken: tuple[str, ...] = ()
    displaced: tuple[str, ...] = ()
    borrower: str = ""

    def came(self, peer: str, now: float, load_time: float) -> "ResidencyState":
        """After a peer was activated, whoever wanted it."""
        return replace(
            self,
            since={**self.since, peer: now},
            load_times={**self.load_times, peer: load_time},
            displaced=tuple(each for each in self.displaced if each != peer),
        )

    def left(self, peer: str) -> "ResidencyState":
        """After a peer was deactivated."""
        return replace(self, woken=tuple(each for each in self.woken if each != peer))

    def woke(self, peer: str) -> "ResidencyState":
        """A peer came for one task only."""
        return replace(self, woken=(*(each for each in self.woken if each != peer), peer))

    def sent_away(self, peer: str) -> "ResidencyState":
        """A peer had to go for another and is to come back."""
        return replace(self.left(peer), displaced=(*(e for e in self.displaced if e != peer), peer))

    def let_go(self, peer: str) -> "ResidencyState":
        """A peer is owed nothing any more: it is gone, or somebody decided otherwise."""
        return replace(
            self,
            woken=tuple(each for each in self.woken if each != peer),
            displaced=tuple(each for each in self.displaced if each != peer),
        )

    def reconciled(self, awake: Collection[str]) -> "ResidencyState":
        """Who is awake need not come back, who sleeps need not go; somebody else saw to it."""
        return replace(
            self,
            woken=tuple(each for each in self.woken if each in awake),
            displaced=tuple(each for each in self.displaced if each not in awake),
        )

    def touched(self, peer: str, now: float) -> "ResidencyState":
        """A peer was of use just now."""
        return replace(self, used={**self.used, peer: now})

    def lent_to(self, call_id: str) -> "ResidencyState":
        """A goal holds memory from now on; "" gives it back."""
        return replace(self, borrower=call_id)

    def reclaimed(self, *, idle: bool) -> "ResidencyState":
        """A skill server that says it is idle holds nothing for a goal whose end it never told."""
        return self.lent_to("") if idle and self.borrower else self

    def sleep_at(self, peer: str, keep_warm: float) -> float:
        """When a woken peer is to sleep again [s]."""
        return max(self.used.get(peer, LONG_AGO), self.since.get(peer, LONG_AGO)) + keep_warm


def next_restore_action(
    residents: Sequence[Resident], chronicle: ResidencyState, rules: ResidencyRules, now: float
) -> Transition | float | None:
    """The next transition, else when to ask again [s], else None: nothing is owed that can be given now.

    Nobody comes back while a skill may still hold the memory, and nobody is sent away for it.
    """
    by_id = {each.id: each for each in residents}
    awake = [by_id[p] for p in chronicle.woken if p in by_id and by_id[p].active and not by_id[p].fixed]
    due = [each for each in awake if chronicle.sleep_at(each.id, rules.keep_warm) <= now]
    if due:
        return Transition(due[0].id, activate=False)
    back = _fitting(residents, [by_id[p] for p in chronicle.displaced if p in by_id], chronicle, rules)
    if back is not None:
        return Transition(back.id, activate=True)
    return min((chronicle.sleep_at(each.id, rules.keep_warm) for each in awake), default=None)


def _fitting(
    residents: Sequence[Resident], displaced: list[Resident], chronicle: ResidencyState, rules: ResidencyRules
) -> Resident | None:
    if chronicle.borrower:
        return None
    held = total_memory([each for each in residents if each.active])
    gone = (each for each in displaced if not each.active and not each.pinned)
    return next((each for each in gone if held + each.memory <= rules.room), None)
