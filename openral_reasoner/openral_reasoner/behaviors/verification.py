"""Verify a goal by the mission's evidence, asking read-only questions where they may settle it."""

from dataclasses import dataclass

from openral_reasoner.behaviors.locate import locate_object, no_locator_reason
from openral_reasoner.behaviors.requests import read_scene, recall, resolve
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.scripted.grammar import Goal, LookInside, PickUp
from openral_reasoner.success.predicates import Verdict, judge, predicate_of
from openral_reasoner.success.references import Setting

_NO_PREDICATE = Verdict(
    missing="no predicate exists for this goal, so replies of skills, detectors and memory cannot prove it"
)


@dataclass(frozen=True, slots=True)
class Proof:
    """Verdict on a goal; ``goal`` is None if its text yields no predicate."""

    goal: Goal | None
    verdict: Verdict

    @property
    def provable(self) -> bool:
        """True if evidence could prove the goal."""
        return self.goal is not None

    @property
    def wants_held(self) -> bool:
        """True if the object is to stay in the hand."""
        return isinstance(self.goal, PickUp)


def prove(mission: Mission) -> Procedure[Proof]:
    """Judge the goal; ask read-only questions that may settle it, within the budget, and judge again."""
    goal = predicate_of(mission.prompt.text)
    if goal is None:
        return Proof(None, _NO_PREDICATE)
    setting = yield from _setting(mission, goal)
    verdict = judge(goal, mission.evidence, setting)
    if not verdict.proven:
        yield from _ask(mission, verdict)
        verdict = judge(goal, mission.evidence, setting)
    return Proof(goal, verdict)


def _setting(mission: Mission, goal: Goal) -> Procedure[Setting]:
    occluding: frozenset[str] = frozenset()
    if isinstance(goal, LookInside):
        graph, _ = yield from read_scene(mission)
        occluding = frozenset(node.id for node in graph.nodes if node.occludes_contents)
    return Setting(mission.requester, mission.palette.places, occluding)


def _ask(mission: Mission, verdict: Verdict) -> Procedure[None]:
    for reference in verdict.resolve:
        if _memory_left(mission) and mission.evidence.resolved(reference) is None:
            yield from resolve(mission, reference)
    for words in verdict.recall:
        if _memory_left(mission):
            yield from recall(mission, words)
    if verdict.look and _can_look(mission):
        yield from locate_object(mission, verdict.look)


def _memory_left(mission: Mission) -> bool:
    return mission.palette.spatial_memory_available and mission.ledger.left("recalls") >= 1


def _can_look(mission: Mission) -> bool:
    """Return True if a locator can answer at once: active, working and within the budget."""
    locator = mission.palette.default_locator
    awake = locator is not None and not locator.must_load and not locator.recovering
    return awake and not no_locator_reason(mission) and mission.ledger.left("locates") >= 1
