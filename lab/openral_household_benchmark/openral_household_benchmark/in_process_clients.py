"""In-process memory, locator and skill server of the household benchmark, on its simulated robot."""

from openral_core.detectors import LocateResult
from openral_core.geometry import Pose
from openral_core.object_states import states_of_evidence
from openral_core.rskills import Registry
from openral_core.skill_errors import SkillFailed
from openral_core.skill_requests import validate_goal
from openral_core.skills import SkillResult
from openral_core.spatial_memory import (
    EditResult,
    MemoryEdit,
    ObserveResult,
    ObserveStatus,
    RecallQuery,
    RecallResult,
    ResolveQuery,
    ResolveResult,
    SceneGraph,
)
from openral_household_benchmark.environment import HeadCameraFrame, HouseholdEnv
from openral_reasoner.commands import AskModel, CallLocate, CallObserve, CancelSkill, Command, SendSkill
from openral_reasoner.events import Event, SkillEnded
from openral_reasoner.llm.base import Model, answer_of
from openral_testing.reasoner.fake_peers import InProcessPeers
from openral_testing.reasoner.simulator import decision_of


class RobotPeers(InProcessPeers):
    """Peers that answer at once from a simulated robot; a skill's result comes through `skill_ended`."""

    def __init__(self, robot: HouseholdEnv, registry: Registry, model: Model) -> None:
        super().__init__()
        self._robot, self._registry, self._model = robot, registry, model
        self._looks: dict[str, tuple[HeadCameraFrame, LocateResult]] = {}
        self._goal = ""

    def answer(self, command: Command) -> Event | None:
        if isinstance(command, AskModel):
            return answer_of(command.call_id, decision_of(self._model, command))
        return super().answer(command)

    def skill_ended(self, result: SkillResult) -> Event:
        """Record the states that the skill changed; return the event of its end."""
        for report in states_of_evidence(result.evidence, self._robot.simulation.time):
            self._robot.memory.report_state(report)
        return SkillEnded(call_id=self._goal, result=result)

    def recall(self, query: RecallQuery) -> RecallResult:
        return self._robot.memory.recall(query, self._robot.simulation.time)

    def resolve(self, query: ResolveQuery) -> ResolveResult:
        return self._robot.memory.resolve(query)

    def locate(self, call: CallLocate) -> LocateResult:
        frame = self._robot.look()
        result = self._robot.detectors.locate(frame, call.query, call.camera, call.detector)
        self._looks[call.call_id] = (frame, result)
        return result

    def observe(self, call: CallObserve) -> ObserveResult:
        if call.located not in self._looks:
            return ObserveResult(ObserveStatus.NO_FRAME, "no such look")
        frame, look = self._looks[call.located]
        return self._robot.memory.observe(frame.view, look.detections, call.detector)

    def edit(self, edit: MemoryEdit) -> EditResult:
        return self._robot.memory.edit(edit)

    def read_scene(self) -> tuple[SceneGraph, Pose]:
        return self._robot.memory.graph(), self._robot.pose

    def send_skill(self, call: SendSkill) -> SkillResult | None:
        try:
            goal = validate_goal(call.goal, self._registry, self._robot.simulation.served)
        except SkillFailed as error:
            return SkillResult(error.status, str(error))
        self._goal = call.call_id
        self._robot.simulation.start(goal)
        return None

    def cancel_skill(self, call: CancelSkill) -> None:
        if call.call_id == self._goal:
            self._robot.simulation.cancel()
