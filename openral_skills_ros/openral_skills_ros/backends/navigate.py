"""NAVIGATE by Nav2's NavigateToPose."""

from time import monotonic

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.node import Node

from openral_core.geometry import Pose
from openral_core.home_map import NoGoZone
from openral_core.robot import Frames, Nav2Backend
from openral_core.skill_errors import NotReachable
from openral_core.skill_requests import NavigateRequest, Params
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_ros.conversions.geometry import pose_from_message, pose_message
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError
from openral_skills_ros.backends.backend import Run
from openral_skills_ros.backends.localisation import LocalisationGate
from openral_skills_ros.foreign_actions.client import Ended, ForeignAction
from openral_skills_ros.foreign_actions.goal_templates import Message, code_of, field_of
from openral_skills_ros.foreign_actions.status_table import status_of

NAVIGATE_TO_POSE = "nav2_msgs/action/NavigateToPose"
STATE_PERIOD = 1.0
"""Period at which the navigator's lifecycle state is asked for [s]."""
STEP = 0.05
"""Reduction of the remaining distance that counts as progress [m]: a cell of most costmaps."""


class Navigator:
    """Lifecycle state of the navigator: an inactive one has an action server and rejects every goal."""

    def __init__(self, scope: ResourceScope, node: Node, name: str) -> None:
        self._name = name
        self._state: int | None = None
        if name:
            self._client: AsyncServiceClient[Message] = AsyncServiceClient(
                scope, node, GetState, f"{name}/get_state"
            )
            scope.timer(STATE_PERIOD, self._ask)

    @property
    def problem(self) -> str:
        """Reason why it takes no goals, "" if it does, or is no lifecycle node."""
        if self._state in (None, State.PRIMARY_STATE_ACTIVE):
            return ""
        return f"{self._name} is not active (lifecycle state {self._state}); activate it"

    def _ask(self) -> None:
        if self._client.ready:
            self._client.call(GetState.Request(), STATE_PERIOD, self._on_state)
        else:
            self._state = None

    def _on_state(self, response: Message | CallError) -> None:
        if not isinstance(response, CallError):
            self._state = int(response.current_state.id)


def zone_at(zones: tuple[NoGoZone, ...], pose: Pose) -> NoGoZone | None:
    """Return the zone that contains a pose in map, None for none."""
    return next((zone for zone in zones if zone.contains(*pose.position[:2])), None)


class _Drive:
    """Progress of one drive: distance, recoveries, and the time of the last progress.

    A drive that enters a keep-out zone is stopped; one that begins in a zone may leave it.
    """

    def __init__(self, run: Run, timeout: float, keep_out: tuple[NoGoZone, ...]) -> None:
        self._run, self._timeout, self._keep_out = run, timeout, keep_out
        self._has_left_zones = not keep_out
        self._farthest, self._nearest = 0.0, float("inf")
        self._progressed = monotonic()
        self.recoveries = 0
        self.evidence: dict[str, ParamValue] = {}

    def on_feedback(self, feedback: Message) -> None:
        """Take Nav2's feedback; a recovery is progress, because Nav2 is still trying."""
        distance, recoveries = float(feedback.distance_remaining), int(feedback.number_of_recoveries)
        pose = pose_from_message(feedback.current_pose.pose)
        self.evidence = {"x": pose.position[0], "y": pose.position[1], "yaw": pose.yaw}
        zone = zone_at(self._keep_out, pose)
        if zone is None:
            self._has_left_zones = True
        elif self._has_left_zones and not self._run.stalled:
            self._run.stalled = f"the robot entered the keep-out zone {zone.name!r}"
        recovering = recoveries > self.recoveries
        if recovering or distance < self._nearest - STEP:
            self._progressed = monotonic()
            self._nearest = distance if recovering else min(distance, self._nearest)
        self.recoveries = max(recoveries, self.recoveries)
        self._farthest = max(self._farthest, distance)
        progress = 1.0 - distance / self._farthest if self._farthest > 0.0 else 0.0
        self._run.report(f"recovering ({recoveries})" if recovering else "driving", progress)

    def stopping(self) -> bool:
        """Return True if the drive was cancelled or makes no progress."""
        if monotonic() - self._progressed > self._timeout and not self._run.stalled:
            self._run.stalled = f"no progress for {self._timeout:.1f} s after {self.recoveries} recoveries"
        return self._run.stopping()


class NavigateBackend:
    """Drives to a pose in map."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        frames: Frames,
        options: Nav2Backend,
        gate: LocalisationGate | None,
        keep_out: tuple[NoGoZone, ...] = (),
    ) -> None:
        self._frames, self._options, self._gate, self._keep_out = frames, options, gate, keep_out
        self._action = ForeignAction(scope, node, NAVIGATE_TO_POSE, options.action)
        self._navigator = Navigator(scope, node, options.navigator)

    @property
    def unavailable(self) -> str:
        """Reason why the base cannot be driven now."""
        if not self._action.ready:
            return f"no action server at {self._action.name}; start Nav2"
        return self._navigator.problem

    async def execute(self, run: Run) -> SkillResult:
        """Drive to parameter ``goal``.

        Raises:
            NotReachable: If it lies in a keep-out zone.
            PoorLocalisation: If the robot does not know where it is.
        """
        request = NavigateRequest.read(Params(run.params))
        if request.goal is None:
            raise NotReachable("this robot drives to poses: parameter 'goal' is missing")
        zone = zone_at(self._keep_out, request.goal)
        if zone is not None:
            raise NotReachable(f"the goal lies in the keep-out zone {zone.name!r}")
        if self._gate is not None:
            self._gate.check()
        goal = self._action.goal()
        goal.pose.header.frame_id = self._frames.map
        goal.pose.pose = pose_message(request.goal)
        goal.behavior_tree = self._options.behavior_tree
        drive = _Drive(run, self._options.progress_timeout, self._keep_out)
        return _result(await self._action.run(goal, drive.on_feedback, drive.stopping), drive, run)


def _result(ended: Ended, drive: _Drive, run: Run) -> SkillResult:
    status, meaning = status_of(ended.end, "nav2", code_of(ended.result, "error_code"))
    detail = str(field_of(ended.result, "error_msg") or "") or meaning
    evidence = {**drive.evidence, "recoveries": drive.recoveries}
    if status is SkillStatus.CANCELLED and run.stalled:
        return SkillResult(SkillStatus.BLOCKED, run.stalled, evidence)
    if status is SkillStatus.SUCCEEDED:
        return SkillResult(status, "arrived", evidence)
    return SkillResult(status, f"Nav2: {detail}, after {drive.recoveries} recoveries", evidence)
