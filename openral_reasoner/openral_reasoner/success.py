"""One predicate per kind of simple goal: its proof, else what is missing and the remedy.

A goal's words refer to objects and places by the names that peers use.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import answers, normalize_term
from openral_reasoner.evidence import (
    CARRIED,
    Acted,
    Answered,
    Course,
    Evidence,
    Fact,
    Gone,
    HandAct,
    Node,
    Source,
)
from openral_reasoner.palette.entries import ControlEntry, PlaceEntry
from openral_reasoner.request.control_names import controls_named, controls_of
from openral_reasoner.request.goals import (
    Bring,
    BringFilled,
    Find,
    Goal,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    PickUp,
    Pour,
    Press,
    Switch,
)
from openral_reasoner.request.serving import load_serving_rules

ME = "me"


@dataclass(frozen=True, slots=True)
class Setting:
    """Requester, known places, people and controls, and the containers that hide their contents.

    ``referents`` are the ids of objects that the operator points at, by the term of the goal.
    """

    requester: str = ""
    places: tuple[PlaceEntry, ...] = ()
    occluding: frozenset[str] = frozenset()
    controls: tuple[ControlEntry, ...] = ()
    referents: Mapping[str, str] = field(default_factory=dict)

    def referent(self, phrase: str) -> str:
        """Return the id of the object that the operator points at and the phrase names; "" if none."""
        return self.referents.get(normalize_term(phrase), "")

    def entry(self, node_id: str) -> PlaceEntry | None:
        """Return the place, room or person with this id."""
        return next((each for each in self.places if each.id == node_id), None)

    def node(self, node_id: str) -> Node:
        """Return the entry as a node; without a name if it is unknown."""
        entry = self.entry(node_id)
        return Node(entry.id, entry.label, entry.kind.value, entry.room) if entry else Node(node_id)


@dataclass(frozen=True, slots=True)
class Case:
    """Evidence, setting and effects by which a goal is judged."""

    evidence: Evidence
    setting: Setting
    course: Course

    def is_a(self, node_id: str, *phrases: str) -> bool:
        """Return True if an object is what one of the phrases asks for."""
        names = self.evidence.names_of(node_id)
        return node_id in phrases or any(self._names(phrase, node_id, names) for phrase in phrases)

    def _names(self, phrase: str, node_id: str, names: Iterable[str]) -> bool:
        """Return True if a phrase names an object; for what the operator points at, its id alone does."""
        referent = self.setting.referent(phrase)
        if referent:
            return self.same(referent, node_id)
        return any(answers(phrase, name) for name in names)

    def means(self, node: Node, phrase: str) -> bool:
        """Return True if a phrase means this place, room, person or object; memory's answer has priority."""
        known = self.evidence.resolved(phrase)
        if known is not None:
            return bool(known & self.evidence.ids_of(node.id))
        if phrase == ME:
            phrase = self.setting.requester
        if node.id == phrase:
            return True
        named = [each.id for each in self.setting.places if each.answers_to(phrase)]
        if named or not phrase:
            return node.id in named
        entry = self.setting.entry(node.id)
        names = (entry.label, *entry.aliases) if entry else tuple(self.evidence.names_of(node.id))
        return self._names(phrase, node.id, names)

    def is_in(self, node: Node, phrase: str) -> bool:
        """Return True if a node is what the phrase means, or lies in, on or at it."""
        around = [node.room, *node.within, self.setting.node(node.id).room]
        around += [self.setting.node(each).room for each in node.within]
        return self.means(node, phrase) or any(
            self.means(self.setting.node(each), phrase) for each in around if each
        )

    def same(self, first: str, second: str) -> bool:
        """Return True if both ids are one object."""
        return second in self.evidence.ids_of(first)

    def elsewhere(self, node_id: str, what: str, where: str) -> str:
        """Return the id of another such object that is where it was asked for if this one is not; else ""."""
        told = [node for node in self._described() if self.same(node_id, node.id)]
        if not where or any(self.is_in(node, where) for node in told):
            return ""
        others = (node.id for node in self._described() if not self.same(node_id, node.id))
        return next((each for each in others if self._is_there(each, what, where)), "")

    def _is_there(self, node_id: str, what: str, where: str) -> bool:
        told = [node for node in self._described() if node.id == node_id]
        return self.is_a(node_id, what) and self.is_in(told[-1], where)

    def _described(self) -> list[Node]:
        return [node for fact in self.evidence.facts if isinstance(fact, Answered) for node in fact.nodes]


_FIXED = (NodeKind.PLACE, NodeKind.ROOM)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Proof of a goal, else what is missing and the remedy.

    ``recall``, ``resolve`` and ``look`` are read-only questions whose answers may settle it.
    """

    proofs: tuple[str, ...] = ()
    missing: str = ""
    remedy: str = ""
    recall: tuple[str, ...] = ()
    resolve: tuple[str, ...] = ()
    look: str = ""

    @property
    def proven(self) -> bool:
        """True if nothing is missing."""
        return not self.missing


def judge(goal: Goal, evidence: Evidence, setting: Setting) -> Verdict:
    """Judge a goal by the evidence."""
    return _PREDICATES[type(goal)](goal, Case(evidence, setting, Course.of(evidence)))


def deliveries(
    case: Case, to: str, where: str, whats: tuple[str, ...], poured: HandAct | None = None
) -> tuple[tuple[HandAct, ...], str]:
    """Return the releases that deliver such objects there, newest first, and why another one does not."""
    fits: list[HandAct] = []
    wrong = ""
    for release in reversed(case.course.released):
        if not is_final(case, release, poured) or not case.is_a(release.held, *whats):
            continue
        if not reaches_receiver(case, release.act, to):
            wrong = wrong or f"its destination is not shown to be {to!r}"
        elif case.elsewhere(release.held, whats[0], where):
            wrong = wrong or f"the one brought is not the one at {where!r}"
        else:
            fits.append(release)
    return tuple(fits), wrong


def receipt(case: Case, release: HandAct) -> tuple[str, ...]:
    """Return the proofs of a delivery: how the object was taken, and its release."""
    return (*_taking(case, release.held, release.order), _receipt(release.act))


def prove_handed(
    case: Case, goal: Bring | BringFilled, *whats: str, poured: HandAct | None = None
) -> Verdict:
    """Prove that the object was held, then handed to this person or placed there, and not taken again."""
    what, to, where = repr(whats[-1]), repr(goal.to), goal.where if isinstance(goal, Bring) else ""
    fits, wrong = deliveries(case, goal.to, where, whats, poured)
    if fits:
        return Verdict(proofs=receipt(case, fits[0]))
    if not wrong and case.course.held and case.is_a(case.course.held, *whats):
        wrong = "the robot still holds it"
    elif not wrong and case.course.released:
        wrong = f"the delivered object is not shown to be {what}"
    detail = f" ({wrong})" if wrong else ""
    missing = f"no successful HANDOVER or PLACE of {what} at {to}{detail}"
    remedy = f"GRASP {what}, then HANDOVER it to {to} if that is a person, otherwise PLACE it there"
    names = whats if case.course.released or case.course.held else ()
    return Verdict(missing=missing, remedy=remedy, recall=names, resolve=(goal.to,))


def is_final(case: Case, release: HandAct, poured: HandAct | None) -> bool:
    """Return True if the object was not taken again, and was filled before if it had to be."""
    again = any(case.same(release.held, act.held) and act.order > release.order for act in case.course.taken)
    filled = poured is None or (
        poured.order < release.order and case.same(poured.act.target.id, release.held)
    )
    return filled and not again


def reaches_receiver(case: Case, act: Acted, to: str) -> bool:
    """Return True if the release delivers the object; releasing it on a room's floor does not."""
    if act.verb is Verb.HANDOVER:
        return case.means(Node(act.receiver or act.target.id, act.target.label, NodeKind.AGENT.value), to)
    return act.target.kind != NodeKind.ROOM and case.is_in(act.target, to)


def _taking(case: Case, held: str, before: int) -> tuple[str, ...]:
    if held == CARRIED:
        return (f"the robot already held {case.evidence.carried!r}",)
    acts = [each.act for each in case.course.taken if each.order < before and case.same(held, each.held)]
    return tuple(act.words for act in acts[-1:])


def _receipt(act: Acted) -> str:
    return f"{act.words}, received by {act.receiver}" if act.receiver else act.words


def prove_serving(goal: BringFilled, case: Case) -> Verdict:
    """Prove that a filled vessel was brought."""
    vessels = tuple(dict.fromkeys((goal.vessel, load_serving_rules().vessel_for(goal.vessel, goal.contents))))
    pours = pours_into(case, goal.contents, *vessels)
    if not pours:
        return _not_poured(case, goal.contents, *vessels)
    handed = prove_handed(case, goal, *vessels, poured=pours[-1])
    return replace(handed, proofs=(pours[-1].act.words, *handed.proofs)) if handed.proven else handed


def prove_pouring(goal: Pour, case: Case) -> Verdict:
    """Prove that the contents were poured into the vessel."""
    pours = pours_into(case, goal.contents, goal.vessel)
    if not pours:
        return _not_poured(case, goal.contents, goal.vessel)
    return Verdict(proofs=(*_taking(case, pours[-1].held, pours[-1].order), pours[-1].act.words))


def pours_into(case: Case, contents: str, *vessels: str) -> list[HandAct]:
    """Return the pours of these contents into one of these vessels."""
    fits = (each for each in case.course.poured if case.is_a(each.held, contents))
    return [each for each in fits if case.is_a(each.act.target.id, *vessels)]


def _not_poured(case: Case, contents: str, *vessels: str) -> Verdict:
    vessel = repr(vessels[-1])
    missing = f"no successful POUR of {contents!r} into {vessel}"
    remedy = f"put {vessel} on a surface, GRASP {contents!r}, then POUR with {vessel} as target"
    return Verdict(missing=missing, remedy=remedy, recall=(contents, *vessels) if case.course.poured else ())


def prove_holding(goal: PickUp, case: Case) -> Verdict:
    """Prove that the object is in the hand."""
    held = case.course.held
    if held and case.is_a(held, goal.what) and not case.elsewhere(held, goal.what, goal.where):
        return Verdict(proofs=_taking(case, held, len(case.evidence.facts)))
    missing = f"the held object is not shown to be {goal.what!r}" if held else "the hand is empty"
    return Verdict(missing=missing, remedy=f"GRASP {goal.what!r}", recall=(goal.what,) if held else ())


def prove_seen(case: Case, what: str, where: str = "") -> Verdict:
    """Prove that a detection or grasp met the object since it was last missed, or its place was reached."""
    missed: set[str] = set()
    for fact in reversed(case.evidence.facts):
        if isinstance(fact, Gone):
            missed |= case.evidence.ids_of(fact.id)
        elif shows(case, fact, what, where, missed):
            return Verdict(proofs=(fact.words,))
    return Verdict(
        missing=f"no detector saw {what!r} in this mission, and it may have moved since memory saw it",
        remedy=f"NAVIGATE to its remembered place, LOOK_AT it, then locate_in_view {what!r}",
        look=what,
    )


def shows(case: Case, fact: Fact, what: str, where: str, missed: set[str]) -> bool:
    """Return True if a fact shows the object at its stated place."""
    if isinstance(fact, Answered) and fact.source is Source.LOOK:
        fits = (node.id for node in fact.nodes if node.id not in missed and case.is_a(node.id, what))
        unplaced = not fact.nodes and answers(what, fact.query)
        return unplaced or any(not case.elsewhere(each, what, where) for each in fits)
    if not isinstance(fact, Acted) or not fact.succeeded:
        return False
    if fact.verb is Verb.GRASP:
        return case.is_a(fact.target.id, what) and not case.elsewhere(fact.target.id, what, where)
    entry = case.setting.entry(fact.target.id)
    came = fact.verb in (Verb.NAVIGATE, Verb.LOOK_AT) and entry is not None and entry.kind in _FIXED
    return came and case.means(fact.target, what)


def prove_arrival(goal: GoTo, case: Case) -> Verdict:
    """Prove that the last drive ended at the place."""
    at = case.course.at
    if at is not None and case.is_in(at.target, goal.where):
        return Verdict(proofs=(at.words,))
    return Verdict(
        missing=f"the last drive did not end at {goal.where!r}",
        remedy=f"NAVIGATE to {goal.where!r}",
        resolve=(goal.where,),
    )


def prove_facing(goal: LookAt, case: Case) -> Verdict:
    """Prove that the camera points at the target."""
    facing = case.course.facing
    if facing is not None and (
        case.means(facing.target, goal.what) or case.is_a(facing.target.id, goal.what)
    ):
        return Verdict(proofs=(facing.words,))
    looks = [fact for fact in case.evidence.facts if isinstance(fact, Answered)]
    if any(shows(case, look, goal.what, "", set()) for look in looks):
        return prove_seen(case, goal.what)
    return Verdict(
        missing=f"no successful LOOK_AT {goal.what!r} since the robot last moved",
        remedy=f"NAVIGATE to {goal.what!r}, then LOOK_AT it",
        recall=(goal.what,) if facing is not None else (),
        resolve=(goal.what,),
    )


def prove_inspection(goal: LookInside, case: Case) -> Verdict:
    """Prove that the target was looked into while it was open."""
    for each in reversed(case.course.inspected):
        target = each.act.target
        if (each.opened or target.id not in case.setting.occluding) and case.means(target, goal.what):
            return Verdict(proofs=tuple(act.words for act in (each.opened, each.act) if act is not None))
    return Verdict(
        missing=f"no successful LOOK_AT {goal.what!r} while it was open",
        remedy=f"OPEN {goal.what!r}, then LOOK_AT it",
        resolve=(goal.what,),
    )


def prove_door(goal: MoveDoor, case: Case) -> Verdict:
    """Prove that a door was moved and has not been moved again."""
    verb = Verb.OPEN if goal.open else Verb.CLOSE
    for act in case.course.doors.values():
        if act.verb is verb and case.means(act.target, goal.what):
            return Verdict(proofs=(act.words,))
    return Verdict(
        missing=f"no successful {verb.value} of {goal.what!r}, or it was moved again since",
        remedy=f"{verb.value} {goal.what!r}",
        resolve=(goal.what,),
    )


def prove_switching(goal: Switch, case: Case) -> Verdict:
    """Prove that what was named, or all of it, was last seen to be switched as asked for."""
    state = "on" if goal.on else "off"
    meant = controls_of(case.setting.controls, goal)
    acts = [case.course.worked.get(control.id) for control in meant]
    done = [act for act in acts if act is not None and act.verb is Verb.SWITCH and act.state == state]
    if meant and (len(done) == len(meant) if goal.every else done):
        return Verdict(proofs=tuple(act.words for act in done))
    names = ", ".join(control.id for control in meant) or repr(goal.what)
    return Verdict(
        missing=f"no successful SWITCH of {goal.what!r} to {state}, or it was worked again since",
        remedy=f"SWITCH {names} with on = {str(goal.on).lower()}",
    )


def prove_pressing(goal: Press, case: Case) -> Verdict:
    """Prove that what was named was pressed."""
    meant = {control.id for control in controls_named(case.setting.controls, goal.what)}
    for act in case.course.worked.values():
        if act.verb is Verb.PRESS and (act.target.id in meant or case.means(act.target, goal.what)):
            return Verdict(proofs=(act.words,))
    return Verdict(missing=f"no successful PRESS of {goal.what!r}", remedy=f"PRESS {goal.what!r}")


_PREDICATES: Mapping[type, Callable[..., Verdict]] = {
    Bring: lambda goal, case: prove_handed(case, goal, goal.what),
    BringFilled: prove_serving,
    Pour: prove_pouring,
    PickUp: prove_holding,
    Find: lambda goal, case: prove_seen(case, goal.what, goal.where),
    GoTo: prove_arrival,
    LookAt: prove_facing,
    LookInside: prove_inspection,
    MoveDoor: prove_door,
    Switch: prove_switching,
    Press: prove_pressing,
}
