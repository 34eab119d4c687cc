"""Progress of a goal of several parts, and the order of those whose order the goal leaves open."""

from collections.abc import Sequence as Items
from dataclasses import dataclass, field
from itertools import permutations

from openral_core.text.terms import same_term
from openral_reasoner.request.goals import Bring, Request, Sequence
from openral_reasoner.request.saying import in_words
from openral_reasoner.scripted.plans import MAX_NAME
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed
from openral_reasoner.tools.deliveries import MAX_DELIVERIES, PlanDeliveriesTool

AGAIN, GIVE_UP = "try again", "give up"
"""Answers that every failed plan offers, if it has none of its own."""


@dataclass
class GoalProgress:
    """Parts of a goal that are done, failed and not begun.

    ``ordered`` if each needs the one before it; in ``any_order`` they may be done if nothing says otherwise.
    """

    pending: list[Request]
    ordered: bool = False
    any_order: bool = False
    messages: list[str] = field(default_factory=list)
    failed: list[tuple[Request, PlanFailed]] = field(default_factory=list)

    @classmethod
    def of(cls, request: Request) -> "GoalProgress":
        """Return the parts of a goal, none of them begun."""
        if isinstance(request, Sequence):
            return cls(list(request.parts), request.ordered, not request.ordered)
        return cls([request])

    def again(self) -> None:
        """Plan what failed once more, before what was not begun."""
        self.pending = [part for part, _ in self.failed] + self.pending
        self.failed = []

    @property
    def report(self) -> str:
        """Text on what is done and what is not, with the questions of the parts that failed."""
        skipped = f"Not started: {'; '.join(map(in_words, self.pending))}." if self.pending else ""
        questions = (str(failure) for _, failure in self.failed)
        return " ".join(filter(None, (*self.messages, skipped, *questions)))

    @property
    def choices(self) -> tuple[str, ...]:
        """Answers that the plan can go on with."""
        own = self.failed[0][1].choices if len(self.failed) == 1 else ()
        return own or (AGAIN, GIVE_UP)


def put_nearest_first(context: PlanContext, progress: GoalProgress) -> Plan[None]:
    """Order the deliveries that wait by the length of the way, if the goal leaves their order open."""
    past = context.past
    planned = past.tool == "plan_deliveries" if past else context.now.spatial_memory_available
    deliveries = leading_deliveries(progress.pending) if progress.any_order else ()
    if len(deliveries) < 2 or not planned:
        return
    what, to = tuple(part.what for part in deliveries), tuple(part.to for part in deliveries)
    reply = yield PlanDeliveriesTool(objects=what, receivers=to)
    if reply.order:
        progress.pending[: len(deliveries)] = [deliveries[number - 1] for number in reply.order]


def leading_deliveries(parts: Items[Request]) -> tuple[Bring, ...]:
    """Return the deliveries before any other part; none if one of them concerns another's object."""
    bring = list[Bring]()
    for part in parts[:MAX_DELIVERIES]:
        if not isinstance(part, Bring):
            break
        bring.append(part)
    tangled = any(
        same_term(one.what, other.what) or same_term(one.to, other.what)
        for one, other in permutations(bring, 2)
    )
    usable = all(0 < len(words) <= MAX_NAME for each in bring for words in (each.what, each.to))
    return tuple(bring) if usable and not tangled else ()
