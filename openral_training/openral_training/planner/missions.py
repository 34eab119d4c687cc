"""Missions of the scripted planner, played with lines that a student could say, as samples of decisions."""

from dataclasses import dataclass, field
from random import Random

from openral_core.missions import MissionState
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.commands import SendSkill
from openral_reasoner.compact.lines import line_of
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Choice, Context, Decision
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.search_benchmark import COSTS
from openral_testing.reasoner.symbolic_home import SymbolicHome
from openral_testing.reasoner.symbolic_mission import StreamingHomePeers, run_symbolic_mission
from openral_training.planner.homes import DrawnMission, draw_mission
from openral_training.planner.samples import Sample

FAILING, ANONYMOUS = 0.12, 0.15
"""Shares of missions in which a skill fails once, and whose requester is not known [1]."""
FAILURES = (SkillStatus.TIMEOUT, SkillStatus.BLOCKED, SkillStatus.NOT_REACHABLE, SkillStatus.NOTHING_THERE)
GOOD = (MissionState.SUCCEEDED, MissionState.CLAIMED, MissionState.HANDED_OVER)
"""Ends of missions that are learnt from."""


@dataclass(slots=True)
class Teacher:
    """A `Model` that does what the planner does, as far as a line says it, and records it."""

    samples: list[Sample] = field(default_factory=list)
    unsayable: int = 0
    _planner: ScriptedModel = field(default_factory=ScriptedModel)

    def __call__(self, context: Context) -> Decision:
        """Return the planner's call, in the words of its line."""
        decision = self._planner(context)
        choice = self._said(context, decision)
        return decision if choice is None else Decision(calls=(choice.call,), cost=0.0)

    def _said(self, context: Context, decision: Decision) -> Choice | None:
        line = line_of(decision.calls[0], context.choices) if decision.calls else None
        if line is None:
            self.unsayable += 1
            return None
        lines = tuple(each.line for each in context.choices)
        index = lines.index(line)
        self.samples.append(Sample(compact_prompt(context).state, lines, index))
        return context.choices[index]


class FailingPeers(StreamingHomePeers):
    """Peers of which a skill fails once, at the drawn execution."""

    def __init__(self, home: SymbolicHome, at: int, status: SkillStatus) -> None:
        super().__init__(home)
        self._calls, self._at, self._status = 0, at, status

    def send_skill(self, call: SendSkill) -> SkillResult:
        self._calls += 1
        return SkillResult(self._status, "failed") if self._calls == self._at else super().send_skill(call)


@dataclass(frozen=True, slots=True)
class PlayedMission:
    """Samples of one mission, none if it did not end well."""

    mission: DrawnMission
    state: MissionState
    samples: tuple[Sample, ...]
    unsayable: int


def play(seed: int) -> PlayedMission:
    """Play the mission of a seed."""
    drawn, rng = draw_mission(seed), Random(f"course {seed}")
    fails_at = rng.randint(1, 4) if rng.random() < FAILING else 0
    peers = FailingPeers(drawn.home, fails_at, rng.choice(FAILURES))
    teacher, settings = Teacher(), MissionSettings(prompt="compact")
    requester = drawn.requester
    if rng.random() < ANONYMOUS:
        requester, settings = "", settings.model_copy(update={"search": COSTS, "frontier_shown": 100})
    outcome = run_symbolic_mission(drawn.goal, peers, teacher, settings, requester)
    good = outcome.state in GOOD and not teacher.unsayable
    return PlayedMission(drawn, outcome.state, tuple(teacher.samples) if good else (), teacher.unsayable)
