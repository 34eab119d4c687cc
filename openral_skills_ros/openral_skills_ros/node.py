"""Skill server of a real robot: carries out ExecuteRskill by the actions that robot.yaml names.

Subscribes tf, tf_static, the pose of the localiser, and map, home_map and openral/scene_graph, which explain
why a way is blocked. Publishes openral/skills and openral/failure/skill_server. Serves the action
openral/execute_rskill.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String

from openral_core.consent.policy import load_policy
from openral_core.documents import InvalidDocument
from openral_core.errors import OpenRALError
from openral_core.geometry import StaleTransform, UnknownFrame
from openral_core.home_map import NoGoZone, load_map
from openral_core.policies import PolicyBackend
from openral_core.robot import (
    ActionBackend,
    AnyBackend,
    HeadBackend,
    MoveItBackend,
    Nav2Backend,
    PanTiltBackend,
    RobotDescription,
    SpinBackend,
    load_robot,
)
from openral_core.rskills import Registry
from openral_core.skill_errors import SkillFailed
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_core.surroundings import BLOCKED_WAY, Surroundings, explained
from openral_ros.callback_guard import describe_error
from openral_ros.conversions.stamps import seconds
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.rskill_folders import rskill_folders
from openral_ros.run_node import run_process
from openral_ros.skill_server import EXECUTE, QueuedGoal, SkillServer
from openral_ros.surroundings import SurroundingsSubscription
from openral_ros.tf_buffer import PolledTransformBuffer
from openral_ros.tracing import start_span, start_tracing
from openral_skills_ros.backends.any_action import AnyActionBackend
from openral_skills_ros.backends.backend import Backend, Run
from openral_skills_ros.backends.localisation import LocalisationGate
from openral_skills_ros.backends.look_at import PanTiltHead, SpinMotion, TrajectoryHead
from openral_skills_ros.backends.navigate import NavigateBackend
from openral_skills_ros.foreign_actions.client import InterfaceMissing, halt_switch_of, load_action
from openral_skills_ros.parameters import SkillServerParameters

if TYPE_CHECKING:
    from openral_skills_ros.backends.moveit import HandBackends
    from openral_skills_ros.backends.policy.backend import PolicyHand

WAIT_FOR_BACKEND = 5.0
"""Time that a goal waits for its backend's server, navigator or transforms [s]; Nav2 needs a few."""
WATCH_PERIOD = 0.2
"""Period at which waiting goals and the client's lease are checked [s]."""
_IDLE = Feedback("", 0.0)


class BackendUnavailable(SkillFailed):
    """A goal whose backend cannot take it."""

    status = SkillStatus.INACTIVE

    def __init__(self, verb: Verb, reason: str) -> None:
        super().__init__(f"{verb} is unavailable: {reason}")


class UninstalledBackend:
    """Backend whose action type is not installed."""

    def __init__(self, error: InterfaceMissing) -> None:
        self.unavailable = str(error)

    async def execute(self, run: Run) -> SkillResult:
        """Refuse."""
        raise SkillFailed(self.unavailable)


class BackendFactory:
    """Makes backends; they share the buffer of transforms and the localisation gate.

    The base is not driven into the ``keep_out`` zones.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        robot: RobotDescription,
        registry: Registry,
        keep_out: tuple[NoGoZone, ...],
    ) -> None:
        self._scope, self._node, self._robot, self._keep_out = scope, node, robot, keep_out
        self._registry = registry
        limits = robot.localisation
        self._gate = LocalisationGate(scope, node, limits) if limits else None
        self._transforms = PolledTransformBuffer(scope)
        self._hand: HandBackends | None = None
        self._policy_hand: PolicyHand | None = None

    @property
    def holding(self) -> str:
        """Label of the held object, "" for none."""
        by_policy = self._policy_hand.held if self._policy_hand else ""
        return by_policy or (self._hand.holding if self._hand else "")

    def position(self) -> dict[str, ParamValue]:
        """Return where the base is in map, as ``x`` and ``y`` [m]; nothing if that is not known."""
        frames = self._robot.frames
        try:
            T_map_base = self._transforms.lookup_newest(frames.map, frames.base)
        except (UnknownFrame, StaleTransform):
            return {}
        return {"x": float(T_map_base[0, 3]), "y": float(T_map_base[1, 3])}

    def make_all(self) -> dict[Verb, Backend]:
        """Make the backend of each verb; `UninstalledBackend` if its action type is missing."""
        made: dict[Verb, Backend] = {}
        # The hand drives and looks by the backends of other verbs, which therefore come first.
        for verb in sorted(self._robot.skills, key=lambda verb: verb not in (Verb.NAVIGATE, Verb.LOOK_AT)):
            try:
                made[verb] = self._make(verb, self._robot.skills[verb], made)
            except InterfaceMissing as error:
                self._node.get_logger().warning(str(error))
                made[verb] = UninstalledBackend(error)
        return made

    def _make(self, verb: Verb, options: AnyBackend, made: Mapping[Verb, Backend]) -> Backend:
        frames = self._robot.frames
        match options:
            case MoveItBackend():
                return self._hand_backends(made).make(verb, options)
            case Nav2Backend():
                return NavigateBackend(self._scope, self._node, frames, options, self._gate, self._keep_out)
            case SpinBackend():
                return SpinMotion(self._scope, self._node, frames, options, self._transforms)
            case HeadBackend() | PanTiltBackend():
                return self._head_backend(options)
            case PolicyBackend():
                return self._policy_backend(verb, options)
            case ActionBackend():
                return AnyActionBackend(self._scope, self._node, frames, options)

    def _head_backend(self, options: HeadBackend | PanTiltBackend) -> Backend:
        frames = self._robot.frames
        if isinstance(options, HeadBackend):
            return TrajectoryHead(self._scope, self._node, frames, options, self._transforms)
        return PanTiltHead(self._scope, self._node, frames, options, self._transforms)

    def _policy_backend(self, verb: Verb, options: PolicyBackend) -> Backend:
        # Its websocket and msgpack take memory that a robot without policies need not spend.
        from openral_skills_ros.backends.policy.backend import PolicyHand, RemotePolicyBackend, policy_for

        self._policy_hand = self._policy_hand or PolicyHand()
        policy = policy_for(verb, options, self._robot, self._registry)
        return RemotePolicyBackend(
            self._scope, self._node, self._robot, options, policy, self._transforms, self._policy_hand
        )

    def _hand_backends(self, made: Mapping[Verb, Backend]) -> "HandBackends":
        if self._hand is None:
            load_action("moveit_msgs/action/MoveGroup")
            from openral_skills_ros.backends.moveit import HandBackends

            arm = self._robot.arm
            assert arm is not None, "robot.yaml with the backend moveit has an arm"
            drive, look_at = made.get(Verb.NAVIGATE), made.get(Verb.LOOK_AT)
            self._hand = HandBackends(
                self._scope, self._node, self._robot, arm, self._transforms, drive, look_at
            )
        return self._hand


class RobotSkills:
    """The robot of a `SkillServer`; all calls belong to the node's executor."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        robot: RobotDescription,
        registry: Registry,
        keep_out: tuple[NoGoZone, ...] = (),
        surroundings: Callable[[], Surroundings] = Surroundings,
    ) -> None:
        self._node, self._lease, self._surroundings = node, robot.client_lease, surroundings
        self._factory = BackendFactory(scope, node, robot, registry, keep_out)
        self._backends: Mapping[Verb, Backend] = self._factory.make_all()
        self._run: Run | None = None
        self._pending: tuple[Backend, float, Future] | None = None
        self._client_seen = 0.0
        self._send_goal = node.resolve_service_name(f"{EXECUTE}/_action/send_goal")
        scope.timer(WATCH_PERIOD, self._watch)

    @property
    def served(self) -> Collection[Verb]:
        """Verbs that have a backend."""
        return self._backends.keys()

    @property
    def available(self) -> Collection[Verb]:
        """Verbs whose backend takes goals now."""
        return [verb for verb, backend in self._backends.items() if not backend.unavailable]

    @property
    def holding(self) -> str:
        """Label of the held object, "" for none."""
        return self._factory.holding

    @property
    def feedback(self) -> Feedback:
        """Progress of the goal that is running."""
        return self._run.feedback if self._run else _IDLE

    @property
    def time(self) -> float:
        """ROS time [s]."""
        return seconds(self._node.get_clock().now().to_msg())

    def submit(self, goal: QueuedGoal) -> None:
        """Begin a goal."""
        self._run = Run(goal.goal.params, goal.cancelled.is_set)
        self._client_seen = monotonic()
        self._node.executor.create_task(self._carry_out, goal, self._run)

    def stop(self, reason: str) -> None:
        """Stop the robot; the goal ends once its backend's has."""
        if self._run is not None and not self._run.ordered:
            self._run.ordered = reason
            self._node.get_logger().warning(reason)

    def halt(self, reason: str) -> None:
        """Cancel every goal of every backend's server until `release`."""
        halt_switch_of(self._node).halt(reason)
        self.stop("its action was cancelled")

    def release(self) -> None:
        """Allow goals again."""
        halt_switch_of(self._node).release()

    async def _carry_out(self, queued: QueuedGoal, run: Run) -> None:
        goal = queued.goal
        attributes = {"rskill": goal.rskill_id, "verb": str(goal.verb)}
        span = start_span("execute_rskill", queued.traceparent, attributes)
        try:
            result = await self._executed(goal.verb, run)
        except SkillFailed as error:
            result = SkillResult(error.status, str(error))
        except OpenRALError as error:
            result = SkillResult(SkillStatus.SKILL_ERROR, str(error))
        except Exception as error:
            self._node.get_logger().error(f"{goal.verb} raised {describe_error(error)}")
            result = SkillResult(SkillStatus.SKILL_ERROR, describe_error(error))
        finally:
            span.end()
            self._run = None
        if result.status is SkillStatus.CANCELLED and run.ordered:
            result = SkillResult(SkillStatus.CANCELLED, run.ordered, result.evidence)
        queued.on_end(self._explained(result, goal.params))

    def _explained(self, result: SkillResult, params: Mapping[str, ParamValue]) -> SkillResult:
        """Add what blocked the way to a failure, seen from where the robot stands."""
        if result.status not in BLOCKED_WAY:
            return result
        located = replace(result, evidence={**self._factory.position(), **result.evidence})
        explanation = explained(located, params, self._surroundings())
        return result if explanation is located else explanation

    async def _executed(self, verb: Verb, run: Run) -> SkillResult:
        backend = self._backends[verb]
        if backend.unavailable:
            ready = Future()
            self._pending = (backend, monotonic() + WAIT_FOR_BACKEND, ready)
            run.report("waiting for its backend", 0.0)
            await ready
            self._pending = None
        if run.stopping():
            return SkillResult(SkillStatus.CANCELLED, "cancelled before anything moved")
        if backend.unavailable:
            raise BackendUnavailable(verb, backend.unavailable)
        return await backend.execute(run)

    def _watch(self) -> None:
        if self._pending is not None:
            backend, until, ready = self._pending
            cancelled = self._run is not None and self._run.stopping()
            if not ready.done() and (cancelled or not backend.unavailable or monotonic() > until):
                ready.set_result(None)
        if self._run is not None:
            self._check_lease()

    def _check_lease(self) -> None:
        """Stop the robot if every client of the skill server has been gone for the lease."""
        if self._node.count_clients(self._send_goal) > 0:
            self._client_seen = monotonic()
        elif monotonic() - self._client_seen > self._lease:
            self.stop(f"stopped: no client of {EXECUTE} in the graph for {self._lease:.1f} s")


def publish_urdf(scope: ResourceScope, file: Path) -> None:
    """Publish a robot's URDF, latched.

    Raises:
        InvalidDocument: If it cannot be read or is no URDF.
    """
    try:
        text = file.read_text(encoding="utf-8")
        root = ET.fromstring(text).tag
    except (OSError, ValueError, ET.ParseError) as error:
        raise InvalidDocument(file, [str(error)]) from error
    if root != "robot":
        raise InvalidDocument(file, [f"a URDF has the root <robot>, found <{root}>"])
    scope.publisher(String, "robot_description", LATCHED).publish(String(data=text))


class SkillServerNode(LifecycleNodeBase):
    """Lifecycle node that carries out skills on a real robot."""

    def __init__(self, **options: object) -> None:
        super().__init__("skill_server", **options)
        self._server: SkillServer | None = None
        self._skills: RobotSkills | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Read robot.yaml and create every interface.

        Raises:
            InvalidParameters: If the node's parameters are invalid.
            InvalidDocument: If robot.yaml, its map, the policy or a skill's manifest is invalid.
            UnsuitablePolicy: If a policy rSkill does not fit the robot or its verb.
        """
        parameters = declare(self, SkillServerParameters)
        start_tracing("skill_server", Path(parameters.record) if parameters.record else None)
        robot = load_robot(Path(parameters.robot))
        registry = Registry.load(rskill_folders(parameters.rskill_folders))
        if robot.urdf:
            publish_urdf(scope, Path(parameters.robot).parent / robot.urdf)
        home = load_map(Path(parameters.robot).parent / robot.map) if robot.map else None
        policy = load_policy(parameters.policy, home)
        surroundings = SurroundingsSubscription(scope, home, robot.frames.map)
        self._skills = RobotSkills(scope, self, robot, registry, policy.keep_out, surroundings)
        self._server = SkillServer(scope, self, registry, self._skills, parameters, home, policy)
        self._server.attach(self._skills)

    def activate(self, scope: ResourceScope) -> None:
        """Accept goals; leaving the state cancels the one that runs."""
        if self._server is not None and self._skills is not None:
            self._server.serve(scope, self._skills)
            scope.callback(self._skills.stop, "stopped: the skill server was deactivated")


def main() -> None:
    """Run the node until it is interrupted."""
    run_process(SkillServerNode)
