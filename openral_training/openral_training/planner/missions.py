"""Missions as samples of decisions: the planner's, without needless queries, and recoveries from strays."""

from random import Random

from openral_core.missions import MissionState
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.commands import SendSkill
from openral_reasoner.settings import MissionSettings
from openral_reasoner.success.judge import provable
from openral_testing.reasoner.search_benchmark import COSTS
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_testing.reasoner.symbolic_mission import StreamingHomePeers, run_symbolic_mission
from openral_training.planner.homes import draw_mission
from openral_training.planner.teacher import TaughtStep, Teacher, needless, strays, ways_on

FAILING, LASTING, ANONYMOUS, STRAYING = 0.15, 0.3, 0.12, 0.3
"""Shares of missions in which a skill fails, of those in which it fails from then on, of missions whose
requester is not known, and of those with a stray call [1]."""
FAILURES = (SkillStatus.TIMEOUT, SkillStatus.BLOCKED, SkillStatus.NOT_REACHABLE, SkillStatus.NOTHING_THERE)
PROVEN = MissionState.SUCCEEDED
GOOD = (MissionState.SUCCEEDED, MissionState.CLAIMED, MissionState.HANDED_OVER)
"""Ends of missions that are learnt from."""


class FailingPeers(StreamingHomePeers):
    """Peers of which the skill of one execution fails, once or, if it ``lasts``, from then on."""

    def __init__(self, home: SymbolicHome, at: int, status: SkillStatus, *, lasts: bool) -> None:
        super().__init__(home)
        self._calls, self._at, self._status, self._lasts = 0, at, status, lasts
        self._broken = ""

    def send_skill(self, call: SendSkill) -> SkillResult:
        self._calls += 1
        fails = self._calls == self._at or call.goal.rskill_id == self._broken
        if fails and self._lasts:
            self._broken = call.goal.rskill_id
        return SkillResult(self._status, "failed") if fails else super().send_skill(call)


def attempt(seed: int, script: tuple[TaughtStep, ...] = (), *, learns: bool = False) -> Teacher:
    """Play the mission of a seed: some steps, then the planner's; with their lines if it ``learns``."""
    drawn, rng = draw_mission(seed), Random(f"course {seed}")
    fails_at = rng.randint(1, 4) if rng.random() < FAILING else 0
    peers = FailingPeers(drawn.home, fails_at, rng.choice(FAILURES), lasts=rng.random() < LASTING)
    settings = MissionSettings(prompt="compact" if learns else "full")
    requester = drawn.requester
    if rng.random() < ANONYMOUS:
        requester, settings = "", settings.model_copy(update={"search": COSTS, "frontier_shown": 100})
    teacher, home = Teacher(script), drawn.home
    teacher.state = run_symbolic_mission(drawn.goal, peers, teacher, settings, requester).state
    doors = frozenset(place.id for place in home.places.values() if place.is_open)
    teacher.effects = (tuple(home.delivered), tuple(sorted(home.filled.items())), doors, home.holding)
    return teacher


def play(seed: int) -> Teacher:
    """Play the mission of a seed: as the planner, then better where the evidence proves it.

    It has no samples if it did not end well; ``way`` is how its steps were obtained.
    """
    rng, best = Random(f"strays {seed}"), attempt(seed, learns=True)
    way, better = "planner", None
    if (best.unsayable or best.state is MissionState.HANDED_OVER) and provable(best.request) is not None:
        way, better = "search", _searched(seed, rng, best)
    elif best.state is PROVEN and rng.random() < STRAYING:
        way, better = "stray", _recovered(seed, rng, best)
    best, way = (best, "planner") if better is None else (better, way)
    if best.state is PROVEN:
        ways = (shortened(seed, best, of_hand=better is not None).steps, best.steps)
        learnt = (attempt(seed, steps, learns=True) for steps in ways)
        best = next((each for each in learnt if each.state is PROVEN and not each.unsayable), best)
    best.way = way
    if best.state not in GOOD or best.unsayable:
        best.samples.clear()
    return best


def _recovered(seed: int, rng: Random, planned: Teacher) -> Teacher | None:
    """Return a proven way to the planner's effects after a stray call, None if there is none."""
    before = planned.steps[: rng.choice((0, 0, 1, 2))]
    script = (*before, *strays(rng, draw_mission(seed).home, planned.verbs))
    trial: Teacher | None = attempt(seed, script)
    if trial is not None and trial.state is not PROVEN:
        trial = _searched(seed, rng, attempt(seed, script, learns=True))
    proven = trial is not None and trial.state is PROVEN and trial.effects == planned.effects
    return trial if proven else None


def _searched(seed: int, rng: Random, failed: Teacher) -> Teacher | None:
    """Return the shortest proven way on from where the planner gave up, None if there is none."""
    begin = failed.steps[: failed.stuck_at]
    ways = (attempt(seed, (*begin, *more)) for more in ways_on(rng, failed))
    return min(
        (each for each in ways if each.state is PROVEN), key=lambda each: len(each.steps), default=None
    )


def shortened(seed: int, best: Teacher, *, of_hand: bool) -> Teacher:
    """Leave out each step without which the evidence still proves the goal, with the same effects.

    Steps of the hand (grasp, place) are left out, two or four at once, if ``of_hand``.
    """
    for size in (4, 2, 1) if of_hand else (1,):
        for start in reversed(range(len(best.steps))):
            cut = best.steps[start : start + size]
            if len(cut) == size and needless(cut, best.verbs):
                script = (*best.steps[:start], *best.steps[start + size :])
                trial = attempt(seed, script)
                if (trial.state, trial.steps, trial.effects) == (PROVEN, script, best.effects):
                    best = trial
    return best
