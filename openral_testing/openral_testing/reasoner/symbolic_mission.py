"""One mission of the real core in a symbolic home: its palette, its peers and its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from openral_bringup.graph.resources import rskill_folders
from openral_core.detectors import DetectorInfo, LifecycleState
from openral_core.missions import MissionState
from openral_core.rskills import Mode, Name, Registry, Vocabulary
from openral_core.skills import SkillResult, Verb
from openral_reasoner.commands import EndMission, SendSkill
from openral_reasoner.core.mission_core import Core
from openral_reasoner.llm.base import Model
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import EndlessMission, SimulatedTimeline, home_timeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

LOCATOR, STREAM, CAMERA = "open-vocabulary-locator", "household-detector", "head"
VERBS = (
    Verb.NAVIGATE,
    Verb.LOOK_AT,
    Verb.OPEN,
    Verb.CLOSE,
    Verb.GRASP,
    Verb.PLACE,
    Verb.POUR,
    Verb.HANDOVER,
)
"""Verbs whose effects the symbolic home has."""
LATENCY = 0.4
"""Typical latency of the locator, as the model reads it [s]."""
LABELS = ("apple", "book", "milk", "mug", "wine bottle", "wine glass")
"""Labels of the continuous detector, as the model reads them."""


@dataclass(frozen=True, slots=True)
class MissionOutcome:
    """End of one mission, the goals sent to the skill server, and what the operator read."""

    state: MissionState
    reason: str
    skills: int
    messages: tuple[str, ...]


@cache
def shipped_registry() -> Registry:
    """Return the rSkills of this installation, with the descriptions that a model reads."""
    return Registry.load(rskill_folders(()))


class StreamingHomePeers(HomePeers):
    """Peers with a continuous detector: memory has what the robot faces after each step."""

    def __init__(self, home: SymbolicHome, skill_messages: Mapping[str, str] | None = None) -> None:
        super().__init__(home)
        self._skill_messages = skill_messages or {}

    def send_skill(self, call: SendSkill) -> SkillResult:
        held = self.home.holding
        result = super().send_skill(call)
        if self.home.holding and not held:
            self.home.objects[self.home.holding].remembered_at = ""
        for item in self.home.visible():
            item.remembered, item.remembered_at = item.remembered or item.label, item.place
        words = self._skill_messages.get(call.goal.rskill_id)
        return SkillResult(result.status, words, result.evidence) if words else result


def home_palette(home: SymbolicHome) -> ToolPalette:
    """Return everything that a robot in this home may use now."""
    held = home.objects.get(home.holding)
    graph = GraphState(
        detectors=(
            _detector(LOCATOR, Mode.ON_DEMAND, "any object that can be said in words"),
            _detector(STREAM, Mode.CONTINUOUS, "common household objects"),
        ),
        memory_alive=True,
        skill_server_alive=True,
        verbs=VERBS,
        holding=(held.remembered or held.label) if held else "",
        scene=home.graph(),
    )
    return build_palette(graph, tuple(shipped_registry().skills))


def _detector(name: str, mode: Mode, description: str) -> DetectorState:
    streams = mode is Mode.CONTINUOUS
    info = DetectorInfo(
        name=Name(name),
        mode=mode,
        engine="symbolic",
        vocabulary=Vocabulary.CLOSED if streams else Vocabulary.OPEN,
        description=description,
        labels=LABELS if streams else (),
        cameras=(CAMERA,),
        licence="Apache-2.0",
        commercial_use=True,
        memory_declared=0.0,
        latency=LATENCY,
        is_default=not streams,
        state=LifecycleState.ACTIVE,
    )
    return DetectorState(info, alive=True)


def run_symbolic_mission(
    goal: str,
    peers: HomePeers,
    model: Model,
    settings: MissionSettings,
    requester: str = "",
) -> MissionOutcome:
    """Run one mission from its prompt to its end; a question to a human is not answered and ends it."""
    home = peers.home
    line = home_timeline(Core(settings), peers.answer, model, lambda: home_palette(home), goal, requester)
    try:
        ends = line.run()
    except EndlessMission as endless:
        return MissionOutcome(MissionState.FAILED, str(endless), *_sent(line))
    end = ends[0] if ends else EndMission(mission_id="", state=MissionState.FAILED, reason="no end")
    return MissionOutcome(end.state, end.reason, *_sent(line))


def _sent(line: SimulatedTimeline) -> tuple[int, tuple[str, ...]]:
    """Return the number of goals sent to the skill server, and the texts that the operator read."""
    return sum(isinstance(each, SendSkill) for each in line.commands), line.texts
