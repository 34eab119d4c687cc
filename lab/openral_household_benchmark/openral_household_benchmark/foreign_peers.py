"""Base of the peers of a mission over a foreign world: the real memory, and detectors that are never wrong.

Memory has what the world shows; a world says what that is, and its skill server alone acts in it.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from typing_extensions import override

from openral_core.detectors import (
    Box,
    Detection,
    DetectorInfo,
    LifecycleState,
    LocateResult,
    LocateStatus,
)
from openral_core.geometry import Pose
from openral_core.rskills import Mode, Name, SkillManifest, Vocabulary
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import (
    NodeKind,
    ObserveResult,
    ObserveStatus,
    RecallQuery,
    RecallResult,
    ResolveQuery,
    ResolveResult,
    SceneGraph,
    SceneNode,
)
from openral_core.text import Thesaurus
from openral_core.text.terms import answers
from openral_reasoner.commands import CallLocate, CallObserve, CancelSkill
from openral_reasoner.palette.build import DetectorState, GraphState, build_palette
from openral_reasoner.palette.entries import ToolPalette
from openral_testing.reasoner.fake_peers import InProcessPeers
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import record_from_node
from openral_world_state.static_map import static_map_from_graph
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

Params = Mapping[str, ParamValue]
DONE = SkillResult(SkillStatus.SUCCEEDED, "done")
_SURE = 5
"""Observations, and votes for its label, of whatever is seen once [count]: no world is misread."""


class ForeignPeers(InProcessPeers):
    """Peers that answer at once; `medium` names the detectors, `verbs` what the skill server can do.

    Attributes:
        memory: The robot's memory.
    """

    medium: str
    verbs: Sequence[Verb]
    item_size: tuple[float, float, float]
    """Box of whatever is seen [m]."""

    def __init__(self, home: SceneGraph) -> None:
        super().__init__()
        thesaurus = Thesaurus.load()
        self.memory = WorldModel(
            SpatialMemory(None, thesaurus), static_map_from_graph(home), WorldModelSettings(), thesaurus
        )
        self._now, self._looks = 0.0, dict[str, Mapping[str, str]]()

    @abstractmethod
    def in_view(self) -> Mapping[str, str]:
        """Return the labels of what the robot sees now, by id."""

    @abstractmethod
    def pose_of_item(self, item: str) -> Pose:
        """Return the pose of something in view, in map."""

    @property
    @abstractmethod
    def held_label(self) -> str:
        """Label of what the robot holds, "" for nothing."""

    def palette(self, manifests: tuple[SkillManifest, ...]) -> ToolPalette:
        """Return everything that the robot may use now."""
        graph = GraphState(
            detectors=(self._detector("locator", Mode.ON_DEMAND), self._detector("stream", Mode.CONTINUOUS)),
            memory_alive=True,
            skill_server_alive=True,
            verbs=tuple(self.verbs),
            holding=self.held_label,
            scene=self.memory.graph(),
        )
        return build_palette(graph, manifests)

    @override
    def recall(self, query: RecallQuery) -> RecallResult:
        return self.memory.recall(query, self._now)

    @override
    def resolve(self, query: ResolveQuery) -> ResolveResult:
        return self.memory.resolve(query)

    @override
    def locate(self, call: CallLocate) -> LocateResult:
        visible = {item: label for item, label in self.in_view().items() if answers(call.query, label)}
        self._looks[call.call_id] = visible
        status = LocateStatus.FOUND if visible else LocateStatus.NOT_IN_VIEW
        boxes = tuple(Detection(Box(0.0, 0.0, 1.0, 1.0), label, 1.0) for label in visible.values())
        return LocateResult(status, status.name.lower(), call.query, call.camera, call.detector, boxes)

    @override
    def observe(self, call: CallObserve) -> ObserveResult:
        labels = self._looks.get(call.located, {})
        answered = (self.recall(RecallQuery(label, 20)) for label in dict.fromkeys(labels.values()))
        matches = {m.node_id: m for result in answered for m in result.matches if m.node_id in labels}
        return ObserveResult(ObserveStatus.REMEMBERED, "", tuple(matches.values()))

    @override
    def cancel_skill(self, call: CancelSkill) -> SkillResult:
        return SkillResult(SkillStatus.CANCELLED, "stopped")

    def look_at(self, params: Params) -> SkillResult:
        """Look: memory has what is in view already."""
        return DONE

    def stream(self) -> None:
        """Give memory what is in view, as a continuous detector does."""
        self._now += 1.0
        for item, label in self.in_view().items():
            node = SceneNode(
                item,
                NodeKind.OBJECT,
                label,
                self.pose_of_item(item),
                self.item_size,
                votes={label: float(_SURE)},
                unprompted=(label,),
                first_seen=self._now,
                last_seen=self._now,
                observations=_SURE,
                source=f"{self.medium}-stream",
            )
            self.memory.memory.touch(record_from_node(node))
        self.memory.memory.commit()

    def _detector(self, role: str, mode: Mode) -> DetectorState:
        streams = mode is Mode.CONTINUOUS
        info = DetectorInfo(
            name=Name(f"{self.medium}-{role}"),
            mode=mode,
            engine="text",
            vocabulary=Vocabulary.CLOSED if streams else Vocabulary.OPEN,
            description="reads the description of the room",
            labels=(),
            cameras=("text",),
            licence="Apache-2.0",
            commercial_use=True,
            memory_declared=0.0,
            latency=0.0,
            is_default=not streams,
            state=LifecycleState.ACTIVE,
        )
        return DetectorState(info, alive=True)


def pose_param(params: Params, name: str) -> Pose:
    """Return the pose that a goal has under a name."""
    pose = params[name]
    assert isinstance(pose, Pose)
    return pose
