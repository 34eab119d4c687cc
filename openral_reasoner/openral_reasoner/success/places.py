"""Predicates of goals about places and devices: reached, seen, inspected, moved, tidied, explored."""

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import answers
from openral_reasoner.evidence import Acted, Answered, Fact, Gone, Source, looked_at
from openral_reasoner.mission_objects import HOME
from openral_reasoner.request import goals as g
from openral_reasoner.request.control_names import controls_named, controls_of
from openral_reasoner.success.answers import last_list
from openral_reasoner.success.case import Case, GoalVerdict
from openral_reasoner.success.deliveries import reaches_receiver

_FIXED = (NodeKind.PLACE, NodeKind.ROOM)


def prove_sight(goal: g.Find, case: Case) -> GoalVerdict:
    """Prove that a detection or grasp met the object since it was last missed or put elsewhere.

    To have reached it proves that of a place.
    """
    missed: set[str] = set()
    releases = {act.order: act.held for act in case.course.released}
    for order, fact in reversed(tuple(enumerate(case.evidence.facts))):
        if order in releases:
            missed |= case.evidence.ids_of(releases[order])
        elif isinstance(fact, Gone):
            missed |= case.evidence.ids_of(fact.id)
        elif shows(fact, case, goal, missed):
            return GoalVerdict(proofs=(fact.words,))
    return GoalVerdict(
        missing=f"no detector saw {goal.what!r} in this mission, and it may have moved since memory saw it",
        remedy=f"NAVIGATE to its remembered place, LOOK_AT it, then locate_in_view {goal.what!r}",
        look=goal.what,
    )


def shows(fact: Fact, case: Case, goal: g.Find, missed: set[str]) -> bool:
    """Return True if a fact shows the object at its stated place."""
    what, where = goal.what, goal.where
    if isinstance(fact, Answered) and fact.source is Source.LOOK:
        fits = (node.id for node in fact.nodes if node.id not in missed and case.matches_query(node.id, what))
        unplaced = not fact.nodes and answers(what, fact.query)
        return unplaced or any(not case.is_wrong_one(each, what, where) for each in fits)
    if not isinstance(fact, Acted) or not fact.succeeded:
        return False
    if fact.verb is Verb.GRASP:
        is_object = fact.target.id not in missed and case.matches_query(fact.target.id, what)
        return is_object and not case.is_wrong_one(fact.target.id, what, where)
    entry = case.home.entry(fact.target.id)
    came = fact.verb in (Verb.NAVIGATE, Verb.LOOK_AT) and entry is not None and entry.kind in _FIXED
    return came and case.matches_reference(fact.target, what)


def prove_arrival(goal: g.GoTo, case: Case) -> GoalVerdict:
    """Prove that the last drive ended at the place."""
    at = case.course.at
    if at is not None and case.is_within(at.target, goal.where):
        return GoalVerdict(proofs=(at.words,))
    return GoalVerdict(
        missing=f"the last drive did not end at {goal.where!r}",
        remedy=f"NAVIGATE to {goal.where!r}",
        resolve=(goal.where,),
    )


def prove_facing(goal: g.LookAt, case: Case) -> GoalVerdict:
    """Prove that the camera points at the target."""
    facing = case.course.facing
    if facing is not None and (
        case.matches_reference(facing.target, goal.what) or case.matches_query(facing.target.id, goal.what)
    ):
        return GoalVerdict(proofs=(facing.words,))
    target = g.Find(goal.what)
    looks = [fact for fact in case.evidence.facts if isinstance(fact, Answered)]
    if any(shows(look, case, target, set()) for look in looks):
        return prove_sight(target, case)
    return GoalVerdict(
        missing=f"no successful LOOK_AT {goal.what!r} since the robot last moved",
        remedy=f"NAVIGATE to {goal.what!r}, then LOOK_AT it",
        recall=(goal.what,) if facing is not None else (),
        resolve=(goal.what,),
    )


def prove_inspection(goal: g.LookInside, case: Case) -> GoalVerdict:
    """Prove that the target was looked into while it was open."""
    for each in reversed(case.course.inspected):
        target = each.act.target
        is_open = each.opened or target.id not in case.home.occluding
        if is_open and case.matches_reference(target, goal.what):
            return GoalVerdict(proofs=tuple(act.words for act in (each.opened, each.act) if act is not None))
    return GoalVerdict(
        missing=f"no successful LOOK_AT {goal.what!r} while it was open",
        remedy=f"OPEN {goal.what!r}, then LOOK_AT it",
        resolve=(goal.what,),
    )


def prove_door(goal: g.MoveDoor, case: Case) -> GoalVerdict:
    """Prove that a door was moved and has not been moved again."""
    verb = Verb.OPEN if goal.open else Verb.CLOSE
    for act in case.course.doors.values():
        if act.verb is verb and case.matches_reference(act.target, goal.what):
            return GoalVerdict(proofs=(act.words,))
    return GoalVerdict(
        missing=f"no successful {verb.value} of {goal.what!r}, or it was moved again since",
        remedy=f"{verb.value} {goal.what!r}",
        resolve=(goal.what,),
    )


def prove_switching(goal: g.Switch, case: Case) -> GoalVerdict:
    """Prove that what was named, or all of it, was last seen to be switched as asked for."""
    state = "on" if goal.on else "off"
    controls = controls_of(case.home.controls, goal)
    acts = [case.course.worked.get(control.id) for control in controls]
    switched = [act for act in acts if act is not None and act.verb is Verb.SWITCH and act.state == state]
    if controls and (len(switched) == len(controls) if goal.every else switched):
        return GoalVerdict(proofs=tuple(act.words for act in switched))
    names = ", ".join(control.id for control in controls) or repr(goal.what)
    return GoalVerdict(
        missing=f"no successful SWITCH of {goal.what!r} to {state}, or it was worked again since",
        remedy=f"SWITCH {names} with on = {str(goal.on).lower()}",
    )


def prove_pressing(goal: g.Press, case: Case) -> GoalVerdict:
    """Prove that what was named was pressed."""
    controls = {control.id for control in controls_named(case.home.controls, goal.what)}
    for act in case.course.worked.values():
        is_target = act.target.id in controls or case.matches_reference(act.target, goal.what)
        if act.verb is Verb.PRESS and is_target:
            return GoalVerdict(proofs=(act.words,))
    return GoalVerdict(missing=f"no successful PRESS of {goal.what!r}", remedy=f"PRESS {goal.what!r}")


def prove_tidy(goal: g.Tidy, case: Case) -> GoalVerdict:
    """Prove that every place was looked at, and that memory then listed nothing out of place."""
    home = case.home
    places = [p for p in home.places if p.kind is NodeKind.PLACE and not p.on_floor]
    within = [p.id for p in places if not goal.where or case.is_within(home.node(p.id), goal.where)]
    unseen = sorted(set(within) - looked_at(case.evidence))
    last = last_list(case, goal.where)
    if within and not unseen and last is not None and not last.misplaced:
        return GoalVerdict(proofs=(*(r.act.words for r in case.course.released), last.words))
    missing = [f"no LOOK_AT of {', '.join(unseen)}"] if unseen else []
    out = ", ".join(last.misplaced) if last else ""
    missing += [f"out of place: {out}" if out else "no list_objects since the last object was put down"]
    return GoalVerdict(
        missing="; ".join(missing),
        remedy="NAVIGATE to each place and LOOK_AT it, GRASP each object that list_objects calls misplaced, "
        "PLACE it where it belongs, then list_objects again",
        resolve=(goal.where,) if goal.where else (),
    )


def prove_clear(goal: g.Clear, case: Case) -> GoalVerdict:
    """Prove that the place was looked at after the last object was put down, and that none is there."""
    last, facing = last_list(case, goal.where), case.course.facing
    faced = facing is not None and case.matches_reference(facing.target, goal.where)
    wrong = [
        release.held
        for release in case.course.released
        if goal.to and not reaches_receiver(release.act, case, goal.to)
    ]
    if faced and last is not None and last.within and not last.nodes and not wrong:
        return GoalVerdict(proofs=(*(r.act.words for r in case.course.released), last.words))
    return GoalVerdict(
        missing=f"no LOOK_AT {goal.where!r} and list_objects of it, empty, since the last object was put down"
        + (f"; not put at {goal.to!r}: {', '.join(wrong)}" if wrong else ""),
        remedy=f"GRASP each object at {goal.where!r}, PLACE it elsewhere, then LOOK_AT {goal.where!r} and "
        "list_objects of it",
        resolve=tuple(filter(None, (goal.where, goal.to))),
    )


def prove_exploration(goal: g.Explore, case: Case) -> GoalVerdict:
    """Prove that an exploration of the room or home ended because no place promised more."""
    for fact in reversed(case.evidence.facts):
        if isinstance(fact, Acted) and fact.verb is Verb.EXPLORE and fact.succeeded:
            whole = fact.target.id == HOME.id
            if whole if not goal.where else case.matches_reference(fact.target, goal.where):
                return GoalVerdict(proofs=(fact.words,))
    where = goal.where or "the home"
    return GoalVerdict(missing=f"no successful EXPLORE of {where!r}", remedy=f"call explore for {where!r}")
