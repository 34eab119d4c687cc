"""In-process memory, locator and skill server of a mission: a command in, an event out."""

from collections.abc import Callable, Mapping

from openral_core.detectors import LocateResult
from openral_core.rskills import Registry
from openral_core.skills import SkillResult
from openral_core.spatial_memory import ObserveResult, ObserveStatus
from openral_household_benchmark.environment import HeadCameraFrame, HouseholdEnv
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    CallObserve,
    CallRecall,
    CallResolve,
    CancelSkill,
    ChangeState,
    Command,
    ReadScene,
    SendSkill,
)
from openral_reasoner.events import (
    CallFailed,
    Event,
    Located,
    Observed,
    Recalled,
    Resolved,
    SceneRead,
    SkillEnded,
)
from openral_reasoner.llm.base import Model, ModelUnavailable, answer_of
from openral_sim.skills.errors import SkillFailed
from openral_sim.skills.registry import SKILLS
from openral_sim.skills.requests import validate_goal


class RobotPeers:
    """Answers at once, but for a skill goal: that one is answered when the robot has ended it."""

    def __init__(self, robot: HouseholdEnv, registry: Registry, model: Model) -> None:
        self._robot, self._registry, self._model = robot, registry, model
        self._looks: dict[str, tuple[HeadCameraFrame, LocateResult]] = {}
        self._goal = ""
        self._table: Mapping[type, Callable[..., Event | None]] = {
            CallRecall: self._recall,
            CallResolve: self._resolve,
            CallLocate: self._locate,
            CallObserve: self._observe,
            ReadScene: self._read,
            SendSkill: self._send,
            CancelSkill: self._cancel,
            ChangeState: self._change,
            AskModel: self._decide,
        }

    def answer(self, command: Command) -> Event | None:
        """The event that a peer answers with; None where none does, or not yet."""
        peer = self._table.get(type(command))
        return peer(command) if peer else None

    def ended(self, result: SkillResult) -> Event:
        """The robot has ended the goal it was at; memory hears of a door that it moved."""
        container, share = result.evidence.get("container_id"), result.evidence.get("opening")
        if isinstance(container, str) and isinstance(share, float):
            self._robot.memory.container_states.on_skill_result(container, share)
        return SkillEnded(call_id=self._goal, result=result)

    def _recall(self, command: CallRecall) -> Event:
        result = self._robot.memory.recall(command.query, self._robot.simulation.time)
        return Recalled(call_id=command.call_id, result=result)

    def _resolve(self, command: CallResolve) -> Event:
        return Resolved(call_id=command.call_id, result=self._robot.memory.resolve(command.query))

    def _locate(self, command: CallLocate) -> Event:
        sight = self._robot.look()
        result = self._robot.detectors.locate(sight, command.query, command.camera, command.detector)
        self._looks[command.call_id] = (sight, result)
        return Located(call_id=command.call_id, result=result)

    def _observe(self, command: CallObserve) -> Event:
        if command.located not in self._looks:
            return Observed(
                call_id=command.call_id, result=ObserveResult(ObserveStatus.NO_FRAME, "no such look")
            )
        sight, look = self._looks[command.located]
        result = self._robot.memory.observe(sight.view, look.detections, command.detector)
        return Observed(call_id=command.call_id, result=result)

    def _read(self, command: ReadScene) -> Event:
        return SceneRead(call_id=command.call_id, graph=self._robot.memory.graph(), robot=self._robot.pose)

    def _send(self, command: SendSkill) -> Event | None:
        try:
            goal = validate_goal(command.goal, self._registry, SKILLS)
        except SkillFailed as error:
            return SkillEnded(call_id=command.call_id, result=SkillResult(error.status, str(error)))
        self._goal = command.call_id
        self._robot.simulation.start(goal)
        return None

    def _cancel(self, command: CancelSkill) -> None:
        if command.call_id == self._goal:
            self._robot.simulation.cancel()

    def _change(self, command: ChangeState) -> Event:
        return CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message="no such peer")

    def _decide(self, command: AskModel) -> Event:
        try:
            return answer_of(command.call_id, self._model(command.context))
        except ModelUnavailable as error:
            return answer_of(command.call_id, error)
