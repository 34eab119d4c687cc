"""Judge a goal by the evidence; a goal with several parts is proven if every part is.

A part that a later one undoes, such as opening a door that is closed again, has to be proven by the evidence
up to some earlier moment.
"""

import re
from dataclasses import replace
from typing import assert_never

from openral_core.text.terms import normalize_term
from openral_reasoner.evidence import Answered, Source
from openral_reasoner.request import goals as g
from openral_reasoner.request.goals import Request, parts_of, phrases
from openral_reasoner.success import answers, deliveries, places
from openral_reasoner.success.case import ME, Case, GoalVerdict

NO_PREDICATE = GoalVerdict(
    missing="no predicate exists for this goal, so replies of skills, detectors and memory cannot prove it"
)
_NOT_ONE = re.compile(
    r"[,;:!?&]|\.\s|^\d+\s|\b(?:and|or|nor|then|but|except|not|no|never|without|unless|until|if|whether|when"
    r"|while|after|before|all|both|either|each|every|everything|two|three|four|five|six|seven|eight|nine|ten"
    r"|dozen|several|many)\b",
    re.IGNORECASE,
)
"""Marks of several objects or a condition in a phrase of a goal, for which no predicate exists."""
_UNPROVEN = (g.NotUnderstood, g.WaitFor, g.AskAbilities)
_ON = ("", "on top of")  # relations to a place of which the evidence of a placement tells


def provable(request: Request) -> Request | None:
    """Return a request if evidence can prove every part of it, else None."""
    parts = parts_of(request)
    unclear = any(isinstance(part, _UNPROVEN) for part in parts)
    unclear = unclear or any(isinstance(part, g.Attend) and part.act != "find person" for part in parts)
    unclear = unclear or any(isinstance(part, g.SetTable) and not part.count for part in parts)
    unclear = unclear or any(getattr(part, "relation", "") not in _ON for part in parts)
    return None if unclear or any(map(_NOT_ONE.search, phrases(request))) else request


def judge(goal: Request, case: Case) -> GoalVerdict:  # noqa: C901, PLR0911, PLR0912, PLR0915 -- a case per goal
    """Judge a goal of any number of parts by the evidence."""
    match goal:
        case g.Bring():
            return deliveries.prove_delivery(goal, case, goal.what)
        case g.BringFilled():
            return deliveries.prove_serving(goal, case)
        case g.BringSeveral():
            return deliveries.prove_several(goal, case)
        case g.BringEvery():
            return deliveries.prove_every(goal, case)
        case g.BringEach():
            return deliveries.prove_each(goal, case)
        case g.Pour():
            return deliveries.prove_pouring(goal, case)
        case g.PickUp():
            return deliveries.prove_holding(goal, case)
        case g.Swap():
            return deliveries.prove_swap(goal, case)
        case g.SetTable():
            return deliveries.prove_set_table(goal, case)
        case g.Find():
            return places.prove_sight(goal, case)
        case g.Attend():
            return places.prove_sight(g.Find(goal.who, goal.where), case)
        case g.GoTo():
            return places.prove_arrival(goal, case)
        case g.LookAt():
            return places.prove_facing(goal, case)
        case g.LookInside():
            return places.prove_inspection(goal, case)
        case g.MoveDoor():
            return places.prove_door(goal, case)
        case g.Switch():
            return places.prove_switching(goal, case)
        case g.Press():
            return places.prove_pressing(goal, case)
        case g.Tidy():
            return places.prove_tidy(goal, case)
        case g.Clear():
            return places.prove_clear(goal, case)
        case g.Explore():
            return places.prove_exploration(goal, case)
        case g.Describe():
            return answers.prove_description(goal, case)
        case g.AskView() | g.AskWhereabouts():
            return answers.prove_description(g.Describe(), case)
        case g.AskState() | g.TellState():
            return answers.prove_state(goal, case)
        case g.AskCount():
            return answers.prove_count(goal, case)
        case g.AskCompare():
            return answers.prove_comparison(goal, case)
        case g.Sequence():
            return prove_sequence(goal, case)
        case g.Conditional():
            return prove_conditional(goal, case)
        case g.Restricted():  # no step that is forbidden is sent to the skill server
            return judge(goal.goal, case)
        case g.NotUnderstood() | g.WaitFor() | g.AskAbilities():
            return NO_PREDICATE
        case _:
            assert_never(goal)


def prove_sequence(goal: g.Sequence, case: Case) -> GoalVerdict:
    """Prove every part."""
    verdicts: list[GoalVerdict] = []
    since = 0
    for index, part in enumerate(goal.parts):
        verdict = judge(part, case)
        if not verdict.proven and is_undone_by(part, goal.parts[index + 1 :]):
            earlier, since = judge_earlier(part, case, since)
            verdict = earlier or verdict
        verdicts.append(verdict)
    return GoalVerdict.of_all(verdicts)


def is_undone_by(part: Request, later: tuple[Request, ...]) -> bool:
    """Return True if a later part is about the same object or place."""
    names = {normalize_term(phrase) for phrase in phrases(part)} - {"", ME}
    return any(normalize_term(phrase) in names for each in later for phrase in phrases(each))


def judge_earlier(part: Request, case: Case, since: int) -> tuple[GoalVerdict | None, int]:
    """Return the first proof of a part by the evidence up to a moment after ``since``, and that moment."""
    for moment in range(since + 1, len(case.evidence.facts) + 1):
        earlier = replace(case, evidence=replace(case.evidence, facts=case.evidence.facts[:moment]))
        verdict = judge(part, earlier)
        if verdict.proven:
            return verdict, moment
    return None, since


def prove_conditional(goal: g.Conditional, case: Case) -> GoalVerdict:
    """Prove what was asked for in the case that the evidence shows; an object's absence cannot be proven."""
    sight = judge(goal.condition, case)
    if not sight.proven:  # what follows may have moved it
        sight = judge_earlier(goal.condition, case, 0)[0] or sight
    if sight.proven and not only_elsewhere(goal.condition, case):
        return GoalVerdict.of_all((sight, *([judge(goal.then, case)] if goal.then else [])))
    if goal.otherwise is not None:
        return judge(goal.otherwise, case)
    what = repr(goal.condition.what)
    return GoalVerdict(
        missing=f"no detector saw {what}, and no reply proves that there is none",
        remedy=f"look for {what} with locate_in_view at every place where it may be",
        look=goal.condition.what,
    )


def only_elsewhere(condition: g.Find, case: Case) -> bool:
    """Return True if the object was seen, but known each time to be at another place than the stated one."""
    looks = (f for f in case.evidence.facts if isinstance(f, Answered) and f.source is Source.LOOK)
    nodes = [node for look in looks for node in look.nodes if case.matches_query(node.id, condition.what)]
    return bool(condition.where and nodes) and all(
        node.within and not case.is_within(node, condition.where) for node in nodes
    )
