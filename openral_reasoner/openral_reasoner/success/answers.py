"""Predicates of questions: a fact of this mission answers each, as new as the place that it is about."""

from openral_core.object_states import NAME_OF, STATES
from openral_reasoner.evidence import Compared, Listed, Stated
from openral_reasoner.request.control_names import controls_named
from openral_reasoner.request.goals import AskCompare, AskCount, AskState, Describe, TellState
from openral_reasoner.request.measures import ANYTHING, MEASURES
from openral_reasoner.success.case import Case, GoalVerdict


def last_list(case: Case, where: str) -> Listed | None:
    """Return the last list of this area, or of the home, if no object was taken or put down since."""
    acts = (*case.course.taken, *case.course.released)
    since = max((act.order for act in acts), default=-1)
    lists = [
        fact
        for fact in case.evidence.facts[since + 1 :]
        if isinstance(fact, Listed)
        and (not fact.within or (where and case.matches_reference(case.home.node(fact.within), where)))
    ]
    return lists[-1] if lists else None


def prove_description(goal: Describe, case: Case) -> GoalVerdict:
    """Prove that memory described the room or home in this mission."""
    missing = GoalVerdict(missing="memory was not asked what it has", remedy="call describe_home")
    return _proof_of_list(case, goal.where) or missing


def prove_count(goal: AskCount, case: Case) -> GoalVerdict:
    """Prove that memory listed what is there in this mission, after the look at it."""
    where = goal.where or "the home"
    return _proof_of_list(case, goal.where) or GoalVerdict(
        missing=f"no list_objects of {where!r}", remedy=f"LOOK_AT {where!r}, then list_objects of it"
    )


def _proof_of_list(case: Case, where: str) -> GoalVerdict | None:
    last = last_list(case, where)
    is_of_area = last is not None and bool(last.within) == bool(where)
    return GoalVerdict(proofs=(last.words,)) if last is not None and is_of_area else None


def prove_comparison(goal: AskCompare, case: Case) -> GoalVerdict:
    """Prove that memory ordered what was asked about by the measure of the property."""
    measure, _ = MEASURES.get(goal.property, ("", True))
    for fact in reversed(case.evidence.facts):
        if not isinstance(fact, Compared) or fact.measure != measure or bool(fact.near) != bool(goal.near):
            continue
        checks = [case.matches_reference(case.home.node(fact.near), goal.near)] if goal.near else []
        checks += [
            any(
                name == ANYTHING or case.matches_reference(node, name) or case.matches_query(node.id, name)
                for node in fact.nodes
            )
            for name in filter(None, (goal.what, goal.other))
        ]
        if all(checks):
            return GoalVerdict(proofs=(fact.words,))
    return GoalVerdict(
        missing=f"no compare_objects of {goal.what!r} by {measure or goal.property}",
        remedy="list_objects or recall_object, then compare_objects of their ids",
    )


def prove_state(goal: AskState | TellState, case: Case) -> GoalVerdict:
    """Prove that memory was asked for the state of what was named, or noted it."""
    appliances = {each.controls for each in controls_named(case.home.controls, goal.what)}
    for fact in reversed(case.evidence.facts):
        if not isinstance(fact, Stated):
            continue
        is_named = fact.node.id in appliances or case.matches_reference(fact.node, goal.what)
        if is_named and _settles(goal, fact.values):
            return GoalVerdict(proofs=(fact.words,))
    tool = "get_state" if isinstance(goal, AskState) else "note_state"
    return GoalVerdict(
        missing=f"no {tool} of {goal.what!r} that says whether it is {goal.value}",
        remedy=f"call {tool} with its id",
    )


def _settles(goal: AskState | TellState, values: tuple[str, ...]) -> bool:
    """Return True if states answer a question, or are the one that was told."""
    if isinstance(goal, TellState):
        return goal.value in values
    alternatives = STATES[NAME_OF[goal.value]].values
    return any(value in alternatives for value in values)
