"""Plans of goals about several objects of a kind."""

from collections.abc import Iterable
from dataclasses import replace

from openral_core.spatial_memory import NodeKind
from openral_reasoner.request.goals import BringEach, BringEvery, BringSeveral, SetTable
from openral_reasoner.request.serving import place_settings
from openral_reasoner.scripted.plans import deliver, grasp, listener, refuse_relation, resolve_receiver
from openral_reasoner.scripted.steps import Plan, PlanContext, PlanFailed, find_object, is_at
from openral_reasoner.sentences.context import ME
from openral_reasoner.sentences.noun_lists import MAX_COUNT
from openral_reasoner.tools.queries import RecallObjectTool


def bring_several(context: PlanContext, goal: BringSeveral) -> Plan[str]:
    """Bring several objects of one kind."""
    refuse_relation(goal)
    yield from distribute(context, goal, (goal.to,) * goal.count)
    return f"I brought {goal.count} x {goal.what} to {listener(goal.to)}."


def bring_each(context: PlanContext, goal: BringEach) -> Plan[str]:
    """Bring an object to each person who is known.

    Raises:
        PlanFailed: If no person is known.
    """
    people = tuple(place.label for place in context.now.places if place.kind is NodeKind.AGENT)
    if not people:
        raise PlanFailed("I know no person here. Who is here?")
    yield from distribute(context, goal, people)
    return f"I brought a {goal.what} to {', '.join(people)}."


def distribute(
    context: PlanContext,
    goal: BringSeveral | BringEach | BringEvery,
    receivers: tuple[str, ...],
    left_out: Iterable[str] = (),
) -> Plan[None]:
    """Bring a different object to each receiver; what was brought stays brought when the plan is retried.

    Raises:
        PlanFailed: With the number that was brought.
    """
    brought = context.brought.setdefault(goal, [])
    for to in receivers[len(brought) :]:
        _, target = yield from resolve_receiver(context, to)
        try:
            item, _ = yield from find_object(
                context, goal.what, goal.where, other_than=(*brought, target, *left_out)
            )
            yield from grasp(context, goal.what, item)
            yield from deliver(context, goal.what, to)
        except PlanFailed as failure:
            raise PlanFailed(
                f"I brought {len(brought)} of {len(receivers)} x {goal.what}. {failure}"
            ) from failure
        brought.append(item.id)


def bring_every(context: PlanContext, goal: BringEvery) -> Plan[str]:
    """Bring every object of a kind that memory has elsewhere; one is searched for if it has none.

    Raises:
        PlanFailed: With the number that was brought.
    """
    refuse_relation(goal)
    if goal not in context.brought_of_every:
        likely = (goal.where,) if goal.where else ()
        reply = yield RecallObjectTool(query=goal.what, likely_places=likely)
        remembered = [item for item in reply.found if not goal.where or is_at(item, goal.where)]
        there = tuple(item.id for item in remembered if goal.to != ME and is_at(item, goal.to))
        context.brought_of_every[goal] = (
            min(len(remembered) - len(there), MAX_COUNT) if remembered else 1,
            there,
        )
    count, there = context.brought_of_every[goal]
    yield from distribute(context, goal, (goal.to,) * count, there)
    already = f"; {len(there)} were there" if there else ""
    return f"I brought {count} x {goal.what} to {listener(goal.to)}, all that I know of{already}."


def set_table(context: PlanContext, goal: SetTable) -> Plan[str]:
    """Bring each kind of object to the table; one that is missing does not cost the others.

    Raises:
        PlanFailed: With what is on the table and what is not, or if the number of people is not known.
    """
    count = goal.count or context.guests
    context.asks_guests = not 0 < count <= MAX_COUNT
    if context.asks_guests:
        raise PlanFailed(f"For how many people should I set the {goal.where}? I can set up to {MAX_COUNT}.")
    reports, problems = [], []
    for part in place_settings(replace(goal, count=count)):
        try:
            yield from bring_several(context, part)
            reports.append(f"I put {count} x {part.what} on the {goal.where}.")
        except PlanFailed as failure:
            problems.append(str(failure))
            if context.holding:
                break
    if problems:
        raise PlanFailed(" ".join((*reports, *problems)))
    return f"I set the {goal.where} for {count}. {' '.join(reports)}"
