"""What is still owed: who was woken for one task sleeps again, who had to go comes back."""

from collections.abc import Sequence

from openral_reasoner.residencies.chronicle import Chronicle
from openral_reasoner.residencies.evictions import freed
from openral_reasoner.residencies.plan import Transition
from openral_reasoner.residencies.residents import Resident
from openral_reasoner.residencies.rules import ResidencyRules


def next_chore(
    residents: Sequence[Resident], chronicle: Chronicle, rules: ResidencyRules, now: float
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
    residents: Sequence[Resident], displaced: list[Resident], chronicle: Chronicle, rules: ResidencyRules
) -> Resident | None:
    if chronicle.borrower:
        return None
    held = freed([each for each in residents if each.active])
    gone = (each for each in displaced if not each.active and not each.pinned)
    return next((each for each in gone if held + each.memory <= rules.room), None)
