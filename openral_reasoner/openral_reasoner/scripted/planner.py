"""Scripted planner: a stateless model without a network, with one plan per kind of goal.

It gets the same context as any other model and makes one call per turn.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from openral_core.consent.decisions import ANSWERS, is_yes
from openral_core.skills import Verb
from openral_reasoner.behaviors.ending import TOO_EARLY
from openral_reasoner.behaviors.preconditions import HAND_FULL
from openral_reasoner.context import Context, Decision, ObjectSummary, RawCall, ToolResult, Turn
from openral_reasoner.request import goals
from openral_reasoner.request.goals import Compound, Request, unrestricted
from openral_reasoner.scripted.comparing import ask_comparison, ask_count
from openral_reasoner.scripted.looking_around import describe_area, explore_area, say_view
from openral_reasoner.scripted.plans import face, grasp, plan_for, staging_surfaces
from openral_reasoner.scripted.progress import AGAIN, GIVE_UP, GoalProgress, put_nearest_first
from openral_reasoner.scripted.several import bring_each, bring_every, bring_several, set_table
from openral_reasoner.scripted.states import ask_state, tell_state
from openral_reasoner.scripted.steps import (
    Plan,
    PlanContext,
    PlanFailed,
    describe_location,
    end_of_search,
    find_object,
    is_at,
    is_named,
    look_for_at,
    named_place,
    unseen,
)
from openral_reasoner.scripted.tidying import LEAVE, PLACES_TRIED, clear, tidy
from openral_reasoner.search import BLIND, SEEN_NOT_PLACED
from openral_reasoner.sentences.numbers import number_in
from openral_reasoner.tools.dialogue import AskHumanTool, DoneTool
from openral_reasoner.tools.queries import LocateInViewTool, RecallObjectTool


def run_parts(context: PlanContext, progress: GoalProgress) -> Plan[None]:
    """Do the parts that wait; go on after a failure if the others do not need it and the hand is empty."""
    while progress.pending:
        yield from put_nearest_first(context, progress)
        part = progress.pending.pop(0)
        try:
            message = yield from run_with_empty_hand(context, progress, part)
        except PlanFailed as failure:
            others = bool(progress.pending or progress.messages) and not progress.ordered
            aside = (yield from set_aside(context)) if others and context.holding else ""
            if aside:
                failure = PlanFailed(f"{failure} {aside}", failure.choices)
            progress.failed.append((part, failure))
            if progress.ordered or context.holding:
                return
        else:
            progress.messages.append(message)


def run_with_empty_hand(context: PlanContext, progress: GoalProgress, part: Request) -> Plan[str]:
    """Run a part; put what an earlier mission left in the hand aside where a step needs the hand empty.

    Raises:
        PlanFailed: With the question for a human.
    """
    plan, aside = run_part(context, part), ""
    reply: ToolResult | None = None
    while True:
        try:
            call = next(plan) if reply is None else plan.send(reply)
        except StopIteration as end:
            return str(end.value)
        reply = yield call
        if reply.status == HAND_FULL and not (context.holding or aside):
            aside = yield from set_aside(context)
            if aside:
                progress.messages.append(aside)
                reply = yield call


def set_aside(context: PlanContext) -> Plan[str]:
    """Put down what the hand holds, so that something else can be done; "" if no surface takes it."""
    for surface in staging_surfaces(context)[:PLACES_TRIED]:
        try:
            placed = yield from context.act(Verb.PLACE, surface)
        except PlanFailed:  # no skill puts anything down
            return ""
        if placed.status == "SUCCEEDED":
            return f"I put what I held on the {context.label(surface)}."
        if not context.holding:
            break
    return ""


def run_part(context: PlanContext, request: Request) -> Plan[str]:
    """Run the plan of any goal and return the message to the requester.

    Raises:
        PlanFailed: With the question for a human.
    """
    request = unrestricted(request)
    if isinstance(request, Compound):
        return (yield from _PLANS[type(request)](context, request))
    return (yield from plan_for(context, request))


def sequence(context: PlanContext, goal: goals.Sequence) -> Plan[str]:
    """Do every part, in order."""
    report = ""
    for part in goal.parts:
        report = f"{report} {(yield from run_part(context, part))}".strip()
    return report


def swap(context: PlanContext, goal: goals.Swap) -> Plan[str]:
    """Exchange the places of two objects with one hand.

    Raises:
        PlanFailed: If a place is not known, or both have the same.
    """
    first, _ = yield from find_object(context, goal.first)
    second, _ = yield from find_object(context, goal.second)
    unplaced = next((each.label for each in (first, second) if not each.place), "")
    if unplaced:
        raise PlanFailed(f"I don't know on which furniture the {unplaced} is. Where should it go?")
    if first.place == second.place:
        raise PlanFailed(
            f"Both the {goal.first} and the {goal.second} are at {first.place}, but I can only exchange "
            "objects of different places. What should I do?"
        )
    for words, item, to in ((goal.first, first, second.place), (goal.second, second, first.place)):
        yield from grasp(context, words, item, to)
        yield from context.require(Verb.PLACE, to, f"put {words} down at {to}")
    return f"The {goal.first} is at {second.place} and the {goal.second} at {first.place}."


def conditional(context: PlanContext, goal: goals.Conditional) -> Plan[str]:
    """Look whether the object is there, then do what was asked for in that case."""
    item = yield from look_for(context, goal.condition)
    what, where = goal.condition.what, goal.condition.where
    report = (
        f"I found {what}: {describe_location(context.now, item)}."
        if item
        else f"I found no {what}{where and f' at {where}'}."
    )
    branch = goal.then if item else goal.otherwise
    if branch is None:
        return report
    return f"{report} {(yield from run_part(context, branch))}"


def wait_for(context: PlanContext, goal: goals.WaitFor) -> Plan[str]:
    """Wait for the operator to say that a person has come: no detector knows one person from another.

    Raises:
        PlanFailed: If the answer is not a yes.
    """
    question = AskHumanTool(
        question=f"I can't recognise people. Please answer 'yes' when {goal.who} is here.", choices=ANSWERS
    )
    reply = yield question
    if reply.status == TOO_EARLY:
        reply = yield question
    if not has_come(reply.operator_words, goal.who):
        raise PlanFailed(f"I was told {reply.operator_words!r} about {goal.who}. What should I do?")
    return f"I was told that {goal.who} is here. {(yield from run_part(context, goal.then))}"


def has_come(answer: str, who: str) -> bool:
    """Return True if an answer says, without a doubt, that a person has come."""
    person = rf"(?:{re.escape(who)}|he|she|they)(?:'s| is|'re| are| has| have)?(?: just)?"
    arrived = rf"(?:yes,? )?(?:{person} )?(?:now )?(?:here|come|arrived|back)(?: now)?"
    words = answer.strip().rstrip(".!")
    return is_yes(words) or re.fullmatch(arrived, words, re.IGNORECASE) is not None


def look_for(context: PlanContext, goal: goals.Find) -> Plan[ObjectSummary | None]:
    """Search an object where it is said to be, else everywhere; None if every place was looked at in vain.

    Raises:
        PlanFailed: If the stated place is not known, or no locator works.
    """
    likely = (goal.where,) if goal.where else ()
    reply = yield RecallObjectTool(query=goal.what, likely_places=likely)
    remembered = [item for item in reply.found if is_at(item, goal.where)]
    if remembered:
        yield from face(context, goal.what, remembered[0])
        reply = yield LocateInViewTool(query=goal.what)
        if reply.found or reply.status == SEEN_NOT_PLACED:
            return reply.found[0] if reply.found else remembered[0]
    return (yield from _look_around(context, goal, reply, looked=bool(remembered)))


def _look_around(
    context: PlanContext, goal: goals.Find, reply: ToolResult, *, looked: bool
) -> Plan[ObjectSummary | None]:
    """Visit the frontier, or of it the stated place; ``looked`` if the object was looked for already."""
    blind = int(looked and reply.status in BLIND)
    while True:
        stated = (each for each in reply.frontier if is_named(goal.where, each.id, each.label))
        place = next(stated, None)
        if place is None:
            break
        reply = yield from context.visit(place.id, goal.what)
        if reply.found:
            return reply.found[0]
        looked = True
        blind = blind + 1 if reply.status in BLIND else 0
        end = end_of_search(reply, goal.what, place.label, blind)
        if end:
            raise PlanFailed(end)
    if not looked and goal.where:
        return (yield from _look_at_stated_place(context, goal))
    if blind or not looked:
        raise PlanFailed(f"I can't tell if there is any {goal.what}: {unseen(reply)}.")
    return None


def _look_at_stated_place(context: PlanContext, goal: goals.Find) -> Plan[ObjectSummary | None]:
    """Look for an object at its stated place although one is known elsewhere and no frontier has the place.

    Raises:
        PlanFailed: If the place is not known, a container there does not open, or no image was evaluated.
    """
    place = named_place(context.now, goal.where)
    if place is None:
        raise PlanFailed(f"I can't look for {goal.what} at {goal.where!r}: it is no place that I can search.")
    reply = yield from look_for_at(context, goal.what, place)
    if reply.status in BLIND:
        raise PlanFailed(f"I can't tell if there is any {goal.what}: {unseen(reply)}.")
    return next((item for item in reply.found if is_at(item, goal.where)), None)


def attend(context: PlanContext, goal: goals.Attend) -> Plan[str]:
    """Find a person, as a detector knows them; say of any other act with people that no skill does it.

    Raises:
        PlanFailed: Naming the act, or if the person is not found.
    """
    if goal.act == "find person":
        return (yield from plan_for(context, goals.Find(goal.who, goal.where)))
    verb = goal.act.removesuffix(" person")
    raise PlanFailed(f"I can't {verb} people: no skill of mine does that. What else can I do?")


_PLANS: Mapping[type, Callable[..., Plan[str]]] = {
    goals.BringEvery: bring_every,
    goals.Attend: attend,
    goals.AskCompare: ask_comparison,
    goals.AskCount: ask_count,
    goals.AskView: say_view,
    goals.AskWhereabouts: say_view,
    goals.Sequence: sequence,
    goals.BringSeveral: bring_several,
    goals.BringEach: bring_each,
    goals.Swap: swap,
    goals.Tidy: tidy,
    goals.Clear: clear,
    goals.SetTable: set_table,
    goals.Explore: explore_area,
    goals.Describe: describe_area,
    goals.AskState: ask_state,
    goals.TellState: tell_state,
    goals.Conditional: conditional,
    goals.WaitFor: wait_for,
}


_AGAIN = ("again", "retry", AGAIN, "go on", "continue", "yes")


def decide(context: Context) -> RawCall:
    """Return the next tool call by replaying the plan against every reply so far."""
    plan_context = PlanContext(context.palette)
    plan = run_plan(plan_context, context.request)
    plan_context.past = next((_call(turn) for turn in context.turns), None)
    call = next(plan)
    for index, turn in enumerate(context.turns, start=1):
        plan_context.past = _call(context.turns[index]) if index < len(context.turns) else None
        call = plan.send(turn.reply)
    return RawCall(tool=call.model_dump()["tool"], arguments=call.model_dump_json(exclude={"tool"}))


def _call(turn: Turn) -> RawCall:
    return RawCall(tool=turn.tool, arguments=turn.arguments)


def run_plan(plan_context: PlanContext, request: Request) -> Plan[None]:
    """Run the plan; ask a human about the parts that failed, and retry them if the answer helps."""
    request = unrestricted(request)
    progress = GoalProgress.of(request)
    plan_context.defers_questions = isinstance(request, Compound)
    while True:
        yield from run_parts(plan_context, progress)
        if not progress.failed:
            last = DoneTool(success=True, message=progress.report[:500])
            break
        question = AskHumanTool(question=progress.report[:500], choices=progress.choices, or_goal=True)
        reply = yield question
        if reply.status == TOO_EARLY:
            reply = yield question
        if not _helps(plan_context, reply.operator_words, progress.choices):
            end = f"I cannot continue; the answer was {reply.operator_words!r}."
            last = DoneTool(success=False, message=" ".join((*progress.messages, end))[:500])
            break
        progress.again()
    while True:
        yield last


def _helps(plan_context: PlanContext, answer: str, choices: Sequence[str]) -> bool:
    """Return True if an answer is a choice, a place or number, asks for another try, or lets objects stay."""
    if answer in choices and answer != GIVE_UP:
        plan_context.suggestion = answer
        return True
    leave = answer.strip().lower().rstrip(".!") in LEAVE
    if plan_context.defers_questions and answer and (leave or named_place(plan_context.now, answer)):
        plan_context.suggestion = answer
        return True
    if plan_context.asks_guests and number_in(answer):
        plan_context.guests = number_in(answer)
        return True
    return answer.strip().lower().rstrip(".!") in _AGAIN


class ScriptedModel:
    """Model without key, network, state or cost."""

    def __call__(self, context: Context) -> Decision:
        """Return the next step of the plan."""
        return Decision(calls=(decide(context),), cost=0.0)
