"""Predicates of goals with several parts: each part is judged, and its order and objects are checked.

A goal is proven if every part is. A part that a later one undoes, such as opening a door that is closed
again, has to be proven by the evidence up to some earlier moment.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import normalize_term
from openral_reasoner.evidence import (
    Acted,
    Answered,
    Course,
    Evidence,
    HandAct,
    Node,
    Source,
    looked_at,
)
from openral_reasoner.mission import HOME
from openral_reasoner.request.goals import (
    AskAbilities,
    AskCompare,
    AskCount,
    AskState,
    AskView,
    AskWhereabouts,
    Attend,
    BringEach,
    BringEvery,
    BringSeveral,
    Clear,
    Compound,
    Conditional,
    Describe,
    Explore,
    Find,
    NotUnderstood,
    Request,
    Restricted,
    Sequence,
    SetTable,
    Swap,
    TellState,
    Tidy,
    WaitFor,
    parts_of,
    phrases,
)
from openral_reasoner.request.serving import place_settings
from openral_reasoner.success import (
    ME,
    Case,
    Setting,
    Verdict,
    deliveries,
    judge,
    reaches_receiver,
    receipt,
)
from openral_reasoner.success_of_questions import (
    last_list,
    prove_comparison,
    prove_count,
    prove_description,
    prove_state,
)

_NOT_ONE = re.compile(
    r"[,;:!?&]|\.\s|^\d+\s|\b(?:and|or|nor|then|but|except|not|no|never|without|unless|until|if|whether|when"
    r"|while|after|before|all|both|either|each|every|everything|two|three|four|five|six|seven|eight|nine|ten"
    r"|dozen|several|many)\b",
    re.IGNORECASE,
)
"""Marks of several objects or a condition in a phrase of a goal, for which no predicate exists."""


_UNPROVEN = (NotUnderstood, WaitFor, AskAbilities)
_ON = ("", "on top of")  # relations to a place of which the evidence of a placement tells


def provable(request: Request) -> Request | None:
    """Return a request if evidence can prove every part of it, else None."""
    parts = parts_of(request)
    unclear = any(isinstance(part, _UNPROVEN) for part in parts)
    unclear = unclear or any(isinstance(part, Attend) and part.act != "find person" for part in parts)
    unclear = unclear or any(isinstance(part, SetTable) and not part.count for part in parts)
    unclear = unclear or any(getattr(part, "relation", "") not in _ON for part in parts)
    return None if unclear or any(map(_NOT_ONE.search, phrases(request))) else request


def judge_request(request: Request, evidence: Evidence, setting: Setting) -> Verdict:
    """Judge a goal of any number of parts by the evidence."""
    if isinstance(request, Compound):
        return _RULES[type(request)](request, evidence, setting)
    return judge(request, evidence, setting)


def prove_sequence(goal: Sequence, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove every part."""
    verdicts: list[Verdict] = []
    since = 0
    for index, part in enumerate(goal.parts):
        verdict = judge_request(part, evidence, setting)
        if not verdict.proven and is_undone_by(part, goal.parts[index + 1 :]):
            earlier, since = judge_earlier(part, evidence, setting, since)
            verdict = earlier or verdict
        verdicts.append(verdict)
    return combine(verdicts)


def is_undone_by(part: Request, later: tuple[Request, ...]) -> bool:
    """Return True if a later part is about the same object or place."""
    names = {normalize_term(phrase) for phrase in phrases(part)} - {"", ME}
    return any(normalize_term(phrase) in names for each in later for phrase in phrases(each))


def judge_earlier(
    part: Request, evidence: Evidence, setting: Setting, since: int
) -> tuple[Verdict | None, int]:
    """Return the first proof of a part by the evidence up to a moment after ``since``, and that moment."""
    for moment in range(since + 1, len(evidence.facts) + 1):
        verdict = judge_request(part, replace(evidence, facts=evidence.facts[:moment]), setting)
        if verdict.proven:
            return verdict, moment
    return None, since


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine the verdicts of parts that are all needed."""
    all_of = tuple(verdicts)
    proofs = tuple(dict.fromkeys(proof for each in all_of for proof in each.proofs))
    open_ones = [each for each in all_of if not each.proven]
    return Verdict(
        proofs=proofs,
        missing="; ".join(each.missing for each in open_ones),
        remedy="; ".join(each.remedy for each in open_ones),
        recall=tuple(dict.fromkeys(words for each in open_ones for words in each.recall)),
        resolve=tuple(dict.fromkeys(words for each in open_ones for words in each.resolve)),
        look=next((each.look for each in open_ones if each.look), ""),
    )


def prove_several(goal: BringSeveral, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that enough different objects were delivered."""
    case = Case(evidence, setting, Course.of(evidence))
    fits, _ = deliveries(case, goal.to, goal.where, (goal.what,))
    different = _different(case, fits)
    proofs = tuple(proof for release in reversed(different) for proof in receipt(case, release))
    if len(different) >= goal.count:
        return Verdict(proofs=proofs)
    return Verdict(
        proofs=proofs,
        missing=f"{len(different)} of {goal.count} deliveries of different {goal.what!r} to {goal.to!r}",
        remedy=f"GRASP another {goal.what!r}, then HANDOVER it to {goal.to!r} if that is a person, "
        "otherwise PLACE it there",
        recall=(goal.what,) if different else (),
        resolve=(goal.to,),
    )


def prove_every(goal: BringEvery, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that every object that memory and looks have told of was delivered, or was there before."""
    case = Case(evidence, setting, Course.of(evidence))
    kept = list[Node]()
    for node in (each for fact in evidence.facts if isinstance(fact, Answered) for each in fact.nodes):
        fits = case.is_a(node.id, goal.what) and (not goal.where or case.is_in(node, goal.where))
        kept += [node] if fits and not any(case.same(node.id, other.id) for other in kept) else []
    elsewhere = [node for node in kept if goal.to == ME or not case.is_in(node, goal.to)]
    count = len(elsewhere) if kept else 1
    return prove_several(BringSeveral(goal.what, count, goal.to, goal.where), evidence, setting)


def _different(case: Case, releases: Iterable[HandAct]) -> list[HandAct]:
    """Keep one release of each object."""
    kept: list[HandAct] = []
    for release in releases:
        if not any(case.same(release.held, other.held) for other in kept):
            kept.append(release)
    return kept


def prove_each(goal: BringEach, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that every known person received an object of their own."""
    case = Case(evidence, setting, Course.of(evidence))
    people = [place.id for place in setting.places if place.kind is NodeKind.AGENT]
    fits = {person: deliveries(case, person, goal.where, (goal.what,))[0][:1] for person in people}
    different = _different(case, (release for releases in fits.values() for release in releases))
    without = [person for person, releases in fits.items() if not set(releases) & set(different)]
    proofs = tuple(proof for release in different for proof in receipt(case, release))
    if people and not without:
        return Verdict(proofs=proofs)
    return Verdict(
        proofs=proofs,
        missing=f"no HANDOVER of a {goal.what!r} to {', '.join(without) or 'anybody'}",
        remedy=f"GRASP a {goal.what!r}, then HANDOVER it to each of these people",
    )


def prove_swap(goal: Swap, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that each object was put where the other one was when it was first described."""
    case = Case(evidence, setting, Course.of(evidence))
    return combine(
        _prove_moved(case, what, other)
        for what, other in ((goal.first, goal.second), (goal.second, goal.first))
    )


def _prove_moved(case: Case, what: str, other: str) -> Verdict:
    places = first_places(case, other)
    fits = [release for place in places for release in deliveries(case, place, "", (what,))[0]]
    if fits:
        return Verdict(proofs=receipt(case, fits[0]))
    where = f"at {' or '.join(places)}, where {other!r} was" if places else f"where {other!r} was"
    return Verdict(
        missing=f"no successful PLACE of {what!r} {where}", remedy=f"GRASP {what!r}, then PLACE it {where}"
    )


def first_places(case: Case, what: str) -> tuple[str, ...]:
    """Return the ids of the place and containers of an object when it was first described."""
    described = (
        node
        for fact in case.evidence.facts
        if isinstance(fact, Answered)
        for node in fact.nodes
        if node.within and case.is_a(node.id, what)
    )
    first = next(described, None)
    return first.within if first is not None else ()


def prove_tidy(goal: Tidy, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that every place was looked at, and that memory then listed nothing out of place."""
    case = Case(evidence, setting, Course.of(evidence))
    places = [p for p in setting.places if p.kind is NodeKind.PLACE and not p.on_floor]
    within = [p.id for p in places if not goal.where or case.is_in(setting.node(p.id), goal.where)]
    unseen = sorted(set(within) - looked_at(evidence))
    last = last_list(case, goal.where)
    if within and not unseen and last is not None and not last.misplaced:
        return Verdict(proofs=(*(r.act.words for r in case.course.released), last.words))
    missing = [f"no LOOK_AT of {', '.join(unseen)}"] if unseen else []
    out = ", ".join(last.misplaced) if last else ""
    missing += [f"out of place: {out}" if out else "no list_objects since the last object was put down"]
    return Verdict(
        missing="; ".join(missing),
        remedy="NAVIGATE to each place and LOOK_AT it, GRASP each object that list_objects calls misplaced, "
        "PLACE it where it belongs, then list_objects again",
        resolve=(goal.where,) if goal.where else (),
    )


def prove_clear(goal: Clear, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that the place was looked at after the last object was put down, and that none is there."""
    case = Case(evidence, setting, Course.of(evidence))
    last, facing = last_list(case, goal.where), case.course.facing
    faced = facing is not None and case.means(facing.target, goal.where)
    wrong = [
        release.held
        for release in case.course.released
        if goal.to and not reaches_receiver(case, release.act, goal.to)
    ]
    if faced and last is not None and last.within and not last.nodes and not wrong:
        return Verdict(proofs=(*(r.act.words for r in case.course.released), last.words))
    return Verdict(
        missing=f"no LOOK_AT {goal.where!r} and list_objects of it, empty, since the last object was put down"
        + (f"; not put at {goal.to!r}: {', '.join(wrong)}" if wrong else ""),
        remedy=f"GRASP each object at {goal.where!r}, PLACE it elsewhere, then LOOK_AT {goal.where!r} and "
        "list_objects of it",
        resolve=tuple(filter(None, (goal.where, goal.to))),
    )


def prove_set_table(goal: SetTable, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that every kind of object was put on the table for each person."""
    return combine(prove_several(part, evidence, setting) for part in place_settings(goal))


def prove_exploration(goal: Explore, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove that an exploration of the room or home ended because no place promised more."""
    case = Case(evidence, setting, Course.of(evidence))
    for fact in reversed(evidence.facts):
        if isinstance(fact, Acted) and fact.verb is Verb.EXPLORE and fact.succeeded:
            whole = fact.target.id == HOME.id
            if whole if not goal.where else case.means(fact.target, goal.where):
                return Verdict(proofs=(fact.words,))
    where = goal.where or "the home"
    return Verdict(missing=f"no successful EXPLORE of {where!r}", remedy=f"call explore for {where!r}")


def prove_conditional(goal: Conditional, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove what was asked for in the case that the evidence shows; an object's absence cannot be proven."""
    seen = judge(goal.condition, evidence, setting)
    if seen.proven and not only_elsewhere(goal.condition, Case(evidence, setting, Course.of(evidence))):
        return combine((seen, *([judge_request(goal.then, evidence, setting)] if goal.then else [])))
    if goal.otherwise is not None:
        return judge_request(goal.otherwise, evidence, setting)
    what = repr(goal.condition.what)
    return Verdict(
        missing=f"no detector saw {what}, and no reply proves that there is none",
        remedy=f"look for {what} with locate_in_view at every place where it may be",
        look=goal.condition.what,
    )


def only_elsewhere(condition: Find, case: Case) -> bool:
    """Return True if the object was seen, but known each time to be at another place than the stated one."""
    seen = [
        node
        for fact in case.evidence.facts
        if isinstance(fact, Answered) and fact.source is Source.LOOK
        for node in fact.nodes
        if case.is_a(node.id, condition.what)
    ]
    return bool(condition.where and seen) and all(
        node.within and not case.is_in(node, condition.where) for node in seen
    )


def prove_restricted(goal: Restricted, evidence: Evidence, setting: Setting) -> Verdict:
    """Prove the goal; no step that is forbidden is sent to the skill server."""
    return judge_request(goal.goal, evidence, setting)


_RULES: Mapping[type, Callable[..., Verdict]] = {
    Restricted: prove_restricted,
    Sequence: prove_sequence,
    BringSeveral: prove_several,
    BringEach: prove_each,
    BringEvery: prove_every,
    Attend: lambda goal, *case: judge(Find(goal.who, goal.where), *case),
    Swap: prove_swap,
    Tidy: prove_tidy,
    Clear: prove_clear,
    SetTable: prove_set_table,
    Explore: prove_exploration,
    Describe: prove_description,
    AskState: prove_state,
    AskCount: prove_count,
    AskCompare: prove_comparison,
    AskView: lambda _, *case: prove_description(Describe(), *case),
    AskWhereabouts: lambda _, *case: prove_description(Describe(), *case),
    TellState: prove_state,
    Conditional: prove_conditional,
}
