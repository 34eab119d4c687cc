"""Predicates of goals that move objects: taken, held, filled, delivered, several of them or in exchange."""

from collections.abc import Iterable
from dataclasses import replace

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.evidence import CARRIED, Acted, HandAct, Node
from openral_reasoner.request import goals as g
from openral_reasoner.request.serving import load_serving_rules, place_settings
from openral_reasoner.success.case import ME, Case, GoalVerdict


def deliveries(
    case: Case, to: str, place: str, queries: tuple[str, ...], pour: HandAct | None = None
) -> tuple[tuple[HandAct, ...], str]:
    """Return the releases that deliver such objects there, newest first, and why another one does not."""
    fits: list[HandAct] = []
    wrong = ""
    for release in reversed(case.course.released):
        if not is_final(release, case, pour) or not case.matches_query(release.held, *queries):
            continue
        if not reaches_receiver(release.act, case, to):
            wrong = wrong or f"its destination is not shown to be {to!r}"
        elif case.is_wrong_one(release.held, queries[0], place):
            wrong = wrong or f"the one brought is not the one at {place!r}"
        else:
            fits.append(release)
    return tuple(fits), wrong


def is_final(release: HandAct, case: Case, pour: HandAct | None) -> bool:
    """Return True if the object was not taken again, and was filled before if it had to be."""
    again = any(
        case.is_same_object(release.held, act.held) and act.order > release.order for act in case.course.taken
    )
    filled = pour is None or (
        pour.order < release.order and case.is_same_object(pour.act.target.id, release.held)
    )
    return filled and not again


def reaches_receiver(act: Acted, case: Case, to: str) -> bool:
    """Return True if the release delivers the object; releasing it on a room's floor does not."""
    if act.verb is Verb.HANDOVER:
        person = Node(act.receiver or act.target.id, act.target.label, NodeKind.AGENT.value)
        return case.matches_reference(person, to)
    return act.target.kind != NodeKind.ROOM and case.is_within(act.target, to)


def receipt(release: HandAct, case: Case) -> tuple[str, ...]:
    """Return the proofs of a delivery: how the object was taken, and its release."""
    act = release.act
    words = f"{act.words}, received by {act.receiver}" if act.receiver else act.words
    return (*_taking(release.held, case, release.order), words)


def _taking(object_id: str, case: Case, before: int) -> tuple[str, ...]:
    if object_id == CARRIED:
        return (f"the robot already held {case.evidence.carried!r}",)
    earlier = (each for each in case.course.taken if each.order < before)
    acts = [each.act for each in earlier if case.is_same_object(object_id, each.held)]
    return tuple(act.words for act in acts[-1:])


def prove_delivery(
    goal: g.Bring | g.BringFilled, case: Case, *queries: str, pour: HandAct | None = None
) -> GoalVerdict:
    """Prove that the object was held, then handed to this person or placed there, and not taken again."""
    what, to, place = repr(queries[-1]), repr(goal.to), goal.where if isinstance(goal, g.Bring) else ""
    fits, wrong = deliveries(case, goal.to, place, queries, pour)
    if fits:
        return GoalVerdict(proofs=receipt(fits[0], case))
    if not wrong and case.course.held and case.matches_query(case.course.held, *queries):
        wrong = "the robot still holds it"
    elif not wrong and case.course.released:
        wrong = f"the delivered object is not shown to be {what}"
    detail = f" ({wrong})" if wrong else ""
    missing = f"no successful HANDOVER or PLACE of {what} at {to}{detail}"
    remedy = f"GRASP {what}, then HANDOVER it to {to} if that is a person, otherwise PLACE it there"
    names = queries if case.course.released or case.course.held else ()
    return GoalVerdict(missing=missing, remedy=remedy, recall=names, resolve=(goal.to,))


def prove_serving(goal: g.BringFilled, case: Case) -> GoalVerdict:
    """Prove that a filled vessel was brought."""
    vessels = tuple(dict.fromkeys((goal.vessel, load_serving_rules().vessel_for(goal.vessel, goal.contents))))
    pours = pours_into(case, goal.contents, *vessels)
    if not pours:
        return _not_poured(case, goal.contents, *vessels)
    delivery = prove_delivery(goal, case, *vessels, pour=pours[-1])
    return replace(delivery, proofs=(pours[-1].act.words, *delivery.proofs)) if delivery.proven else delivery


def prove_pouring(goal: g.Pour, case: Case) -> GoalVerdict:
    """Prove that the contents were poured into the vessel."""
    pours = pours_into(case, goal.contents, goal.vessel)
    if not pours:
        return _not_poured(case, goal.contents, goal.vessel)
    return GoalVerdict(proofs=(*_taking(pours[-1].held, case, pours[-1].order), pours[-1].act.words))


def pours_into(case: Case, contents: str, *vessels: str) -> list[HandAct]:
    """Return the pours of these contents into one of these vessels."""
    fits = (each for each in case.course.poured if case.matches_query(each.held, contents))
    return [each for each in fits if case.matches_query(each.act.target.id, *vessels)]


def _not_poured(case: Case, contents: str, *vessels: str) -> GoalVerdict:
    vessel = repr(vessels[-1])
    missing = f"no successful POUR of {contents!r} into {vessel}"
    remedy = f"put {vessel} on a surface, GRASP {contents!r}, then POUR with {vessel} as target"
    queries = (contents, *vessels) if case.course.poured else ()
    return GoalVerdict(missing=missing, remedy=remedy, recall=queries)


def prove_holding(goal: g.PickUp, case: Case) -> GoalVerdict:
    """Prove that the object is in the hand."""
    held = case.course.held
    if held and case.matches_query(held, goal.what) and not case.is_wrong_one(held, goal.what, goal.where):
        return GoalVerdict(proofs=_taking(held, case, len(case.evidence.facts)))
    missing = f"the held object is not shown to be {goal.what!r}" if held else "the hand is empty"
    return GoalVerdict(missing=missing, remedy=f"GRASP {goal.what!r}", recall=(goal.what,) if held else ())


def prove_several(goal: g.BringSeveral, case: Case) -> GoalVerdict:
    """Prove that enough different objects were delivered."""
    fits, _ = deliveries(case, goal.to, goal.where, (goal.what,))
    different = _different(fits, case)
    proofs = tuple(proof for release in reversed(different) for proof in receipt(release, case))
    if len(different) >= goal.count:
        return GoalVerdict(proofs=proofs)
    return GoalVerdict(
        proofs=proofs,
        missing=f"{len(different)} of {goal.count} deliveries of different {goal.what!r} to {goal.to!r}",
        remedy=f"GRASP another {goal.what!r}, then HANDOVER it to {goal.to!r} if that is a person, "
        "otherwise PLACE it there",
        recall=(goal.what,) if different else (),
        resolve=(goal.to,),
    )


def _different(releases: Iterable[HandAct], case: Case) -> list[HandAct]:
    """Return one release of each object."""
    different: list[HandAct] = []
    for release in releases:
        if not any(case.is_same_object(release.held, other.held) for other in different):
            different.append(release)
    return different


def prove_every(goal: g.BringEvery, case: Case) -> GoalVerdict:
    """Prove that every object that memory and looks have told of was delivered, or was there before."""
    objects = list[Node]()
    for node in case.described_nodes():
        fits = case.matches_query(node.id, goal.what) and (not goal.where or case.is_within(node, goal.where))
        if fits and not any(case.is_same_object(node.id, other.id) for other in objects):
            objects.append(node)
    to_bring = [node for node in objects if goal.to == ME or not case.is_within(node, goal.to)]
    count = len(to_bring) if objects else 1
    return prove_several(g.BringSeveral(goal.what, count, goal.to, goal.where), case)


def prove_each(goal: g.BringEach, case: Case) -> GoalVerdict:
    """Prove that every known person received an object of their own."""
    people = [place.id for place in case.home.places if place.kind is NodeKind.AGENT]
    fits = {person: deliveries(case, person, goal.where, (goal.what,))[0][:1] for person in people}
    different = _different((release for releases in fits.values() for release in releases), case)
    without = [person for person, releases in fits.items() if not set(releases) & set(different)]
    proofs = tuple(proof for release in different for proof in receipt(release, case))
    if people and not without:
        return GoalVerdict(proofs=proofs)
    return GoalVerdict(
        proofs=proofs,
        missing=f"no HANDOVER of a {goal.what!r} to {', '.join(without) or 'anybody'}",
        remedy=f"GRASP a {goal.what!r}, then HANDOVER it to each of these people",
    )


def prove_set_table(goal: g.SetTable, case: Case) -> GoalVerdict:
    """Prove that every kind of object was put on the table for each person."""
    return GoalVerdict.of_all(prove_several(part, case) for part in place_settings(goal))


def prove_swap(goal: g.Swap, case: Case) -> GoalVerdict:
    """Prove that each object was put where the other one was when it was first described."""
    pairs = ((goal.first, goal.second), (goal.second, goal.first))
    return GoalVerdict.of_all(_prove_moved(case, query, other) for query, other in pairs)


def _prove_moved(case: Case, query: str, other: str) -> GoalVerdict:
    others = (node for node in case.described_nodes() if node.within and case.matches_query(node.id, other))
    first = next(others, None)
    places = first.within if first is not None else ()
    fits = [release for place in places for release in deliveries(case, place, "", (query,))[0]]
    if fits:
        return GoalVerdict(proofs=receipt(fits[0], case))
    where = f"at {' or '.join(places)}, where {other!r} was" if places else f"where {other!r} was"
    return GoalVerdict(
        missing=f"no successful PLACE of {query!r} {where}", remedy=f"GRASP {query!r}, then PLACE it {where}"
    )
