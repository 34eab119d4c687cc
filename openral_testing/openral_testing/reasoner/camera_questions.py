"""Questions to a robot with one RGB camera, each a mission of the real core.

Memory has nothing, no skill and no locator is there: answers come from the list of what is in view.
"""

from collections.abc import Sequence

from openral_core.detectors import DetectorInfo, LifecycleState, UnplacedDetection
from openral_core.rskills import Mode, Name, Vocabulary
from openral_core.spatial_memory import SceneGraph
from openral_reasoner.commands import Command, ReadScene
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Event, SceneRead
from openral_reasoner.llm.base import Model
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import home_timeline
from openral_testing.reasoner.symbolic_home import SymbolicHome

SCRIPTED = ScriptedModel()
CAMERA = "front"


class CameraPeers(HomePeers):
    """A memory that has nothing, and a camera without depth."""

    def __init__(self, in_view: Sequence[UnplacedDetection]) -> None:
        super().__init__(SymbolicHome(places={}, objects={}, rooms={}, agents={}))
        self.in_view = tuple(in_view)

    def answer(self, command: Command) -> Event | None:
        if isinstance(command, ReadScene):
            return SceneRead(call_id=command.call_id, graph=SceneGraph(), now=1.0, in_view=self.in_view)
        return super().answer(command)


def camera_palette(labels: Sequence[str], in_view: Sequence[UnplacedDetection]) -> ToolPalette:
    """Return the palette of a robot with a camera, a continuous detector and memory, and no skill."""
    info = DetectorInfo(
        name=Name("camera-detector"),
        mode=Mode.CONTINUOUS,
        engine="onnx",
        vocabulary=Vocabulary.CLOSED,
        description="common objects",
        labels=tuple(labels),
        cameras=(CAMERA,),
        licence="Apache-2.0",
        commercial_use=True,
        memory_declared=0.0,
        latency=0.1,
        is_default=False,
        state=LifecycleState.ACTIVE,
    )
    graph = GraphState((DetectorState(info, alive=True),), memory_alive=True, in_view=tuple(in_view))
    return build_palette(graph, ())


def ask(
    question: str,
    in_view: Sequence[UnplacedDetection],
    labels: Sequence[str],
    model: Model = SCRIPTED,
    settings: MissionSettings | None = None,
) -> str:
    """Ask a question, as an operator does, and return the last text of the robot."""
    palette, peers = camera_palette(labels, in_view), CameraPeers(in_view)
    core = Core(settings or MissionSettings())
    line = home_timeline(core, peers.answer, model, lambda: palette, question)
    ends = line.run()
    return (*line.texts, *(end.reason for end in ends))[-1]
