"""The skill server of real robots beside action servers that misbehave as a test says."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import rclpy
import yaml
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav2_msgs.action import NavigateToPose, Spin
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from openral_core.skills import ParamValue, SkillResult
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import SkillCatalogue
from openral_ros import skill_server as skill_server_module
from openral_ros.conversions.skills import key_values, skill_result_from_message
from openral_ros.qos import LATCHED, RELIABLE
from openral_skills_ros import node as skills_node
from openral_skills_ros.foreign_actions import client as foreign_action
from openral_skills_ros.node import SkillServerNode

RSKILLS = Path(__file__).parents[1] / "rskills"
MINIMAL = {
    "name": "test",
    "cameras": {"head": {"image": "/rgb", "info": "/info", "optical_frame": "camera_optical"}},
}


def skill_server(context: Any, robot: Path, **parameters: Any) -> SkillServerNode:
    """Make the unconfigured skill server of a robot.yaml, with more ``parameters``."""
    values = {"robot": str(robot), "rskill_folders": [str(RSKILLS)], **parameters}
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    return SkillServerNode(context=context, parameter_overrides=overrides)


MOVED = 1
"""Success of MoveIt."""


def shorten_timeouts(set_attribute: Callable[[object, str, float], None]) -> None:
    """Shorten the timeouts of the skill server, so that a fault is noticed within a test."""
    set_attribute(foreign_action, "ACCEPT_TIMEOUT", 1.0)
    set_attribute(foreign_action, "SERVER_LOST", 0.5)
    set_attribute(foreign_action, "CANCEL_PERIOD", 0.2)
    set_attribute(skills_node, "WAIT_FOR_BACKEND", 1.0)
    set_attribute(skill_server_module, "STOP_GRACE", 0.5)


class FakeServer:
    """Action server of another package; ``mode`` and ``code`` are set by a test before it sends a goal.

    ``fault_at`` restricts the mode to the goal of that number and those of ``also_at``, ``react`` fills the
    result of a success.

    Modes: succeeds, aborts, rejects, runs (until cancelled), hangs (ignores cancellation), silent (neither
    accepts nor rejects until `answer`), dies (after it has accepted), races (succeeds while it is cancelled).
    """

    def __init__(self, node: Any, action_type: Any, name: str) -> None:
        self.node, self.type, self.name = node, action_type, name
        self.mode, self.code = "succeeds", 0
        self.fault_at: int | None = None
        self.also_at: Sequence[int] = ()
        self.react: Callable[[Any, Any], None] = lambda goal, result: None
        self.feedback: Sequence[Any] = ()
        self.goals: list[Any] = []
        self.running: dict[bytes, Any] = {}
        self.cancels = self.ended = 0
        self._answers: list[Future] = []
        self._ends: dict[bytes, Future] = {}
        self._preempted: set[bytes] = set()
        self.server: Any = None
        self.start()

    def start(self) -> None:
        self.server = ActionServer(
            self.node,
            self.type,
            self.name,
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )

    def stop(self) -> None:
        if self.server is not None:
            self.server.destroy()
            self.server = None

    def end_all(self) -> None:
        """End whatever runs, so that no coroutine outlives its test."""
        self.mode = "succeeds"
        for future in (*self._answers, *self._ends.values()):
            if not future.done():
                future.set_result(None)

    def answer(self) -> None:
        for future in self._answers:
            if not future.done():
                future.set_result(None)

    def preempt(self) -> None:
        """Abort the oldest goal, as Nav2 does for a newer one."""
        key = next(iter(self.running))
        self._preempted.add(key)
        self._end_of(key).set_result(None)

    def obey(self) -> None:
        """Accept cancellations from now on."""
        self.mode = "runs"

    async def _on_goal(self, goal: Any) -> GoalResponse:
        self.goals.append(goal)
        if self._mode() == "silent":
            self._answers.append(Future())
            await self._answers[-1]
        return GoalResponse.REJECT if self._mode() == "rejects" else GoalResponse.ACCEPT

    def _mode(self) -> str:
        """Mode of the newest goal."""
        faulty = self.fault_at is None or len(self.goals) - 1 in (self.fault_at, *self.also_at)
        return self.mode if faulty else "succeeds"

    def _on_cancel(self, handle: Any) -> CancelResponse:
        self.cancels += 1
        if self._mode() == "hangs":
            return CancelResponse.REJECT
        end = self._end_of(bytes(handle.goal_id.uuid))
        if not end.done():
            end.set_result(None)
        return CancelResponse.ACCEPT

    def _end_of(self, key: bytes) -> Future:
        """Future that a cancellation completes, perhaps before execution begins."""
        return self._ends.setdefault(key, Future())

    async def _execute(self, handle: Any) -> Any:
        key = bytes(handle.goal_id.uuid)
        self.running[key] = handle
        for told in self.feedback:
            handle.publish_feedback(told)
        if self._mode() not in ("succeeds", "aborts"):
            await self._end_of(key)
        self.running.pop(key, None)
        self.ended += 1
        result, aborts = self.type.Result(), self._mode() == "aborts" or key in self._preempted
        if aborts:
            handle.abort()
        elif handle.is_cancel_requested and self._mode() != "races":
            handle.canceled()
        else:
            self.react(handle.request, result)
            handle.succeed()
        if hasattr(result, "error_code"):
            self._set_code(result, succeeded=not aborts)
        return result

    def _set_code(self, result: Any, *, succeeded: bool) -> None:
        """Set the error code; MoveIt has a message for it, in which 1 is success."""
        if hasattr(result.error_code, "val"):
            result.error_code.val = MOVED if succeeded else self.code
        else:
            result.error_code = self.code


class Goal:
    """A goal of the skill server."""

    def __init__(self, bench: "Bench", sent: Any, feedback: list[Any]) -> None:
        self._bench, self.feedback = bench, feedback
        self.handle = bench.wait(sent)
        self._answer = self.handle.get_result_async()

    def cancel(self) -> None:
        self._bench.wait(self.handle.cancel_goal_async())

    @property
    def ended(self) -> bool:
        return bool(self._answer.done())

    def result(self, timeout: float = 20.0) -> SkillResult:
        return skill_result_from_message(self._bench.wait(self._answer, timeout).result)


class Bench:
    """The skill server, a client of it, and the nodes of a robot, on one executor."""

    def __init__(self, context: Any, tmp_path: Path) -> None:
        self.context, self._tmp_path = context, tmp_path
        self.domain = int(context.get_domain_id())
        self.robot = rclpy.create_node("foreign_robot", context=context)
        self.client = rclpy.create_node("client", context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.robot)
        self.executor.add_node(self.client)
        self.servers: list[FakeServer] = []
        self.nodes: list[SkillServerNode] = []
        self._skills: Any = ActionClient(self.client, ExecuteRskill, "openral/execute_rskill")
        self.catalogue: list[SkillCatalogue] = []
        self.client.create_subscription(SkillCatalogue, "openral/skills", self.catalogue.append, LATCHED)

    def serve(self, action_type: Any, name: str) -> FakeServer:
        self.servers.append(FakeServer(self.robot, action_type, name))
        return self.servers[-1]

    def nav2(self) -> FakeServer:
        return self.serve(NavigateToPose, "navigate_to_pose")

    def spin(self) -> FakeServer:
        return self.serve(Spin, "spin")

    def head(self) -> FakeServer:
        return self.serve(FollowJointTrajectory, "head/follow_joint_trajectory")

    def write_robot(self, skills: dict[str, Any], **robot: Any) -> Path:
        """Write a robot.yaml."""
        file = self._tmp_path / "robot.yaml"
        file.write_text(yaml.safe_dump({**MINIMAL, **robot, "skills": skills}))
        return file

    def start(
        self, skills: dict[str, Any], parameters: dict[str, Any] | None = None, **robot: Any
    ) -> SkillServerNode:
        """Start the skill server with a robot.yaml, and more ``parameters``."""
        node = skill_server(self.context, self.write_robot(skills, **robot), **(parameters or {}))
        self.nodes.append(node)
        self.executor.add_node(node)
        node.trigger_configure()
        node.trigger_activate()
        return node

    def offered(self) -> list[str]:
        return list(self.catalogue[-1].verbs) if self.catalogue else []

    def until(self, condition: Callable[[], object], timeout: float = 30.0) -> None:
        deadline = monotonic() + timeout
        while not condition():
            assert monotonic() < deadline, f"still false after {timeout} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)

    def wait(self, future: Any, timeout: float = 30.0) -> Any:
        self.until(future.done, timeout)
        return future.result()

    def send(self, rskill: str, deadline: float = 0.0, **params: ParamValue) -> Goal:
        self.until(self._skills.server_is_ready)
        message = ExecuteRskill.Goal(rskill_id=rskill, deadline=deadline, params=key_values(params))
        feedback: list[Any] = []
        sent = self._skills.send_goal_async(message, lambda told: feedback.append(told.feedback))
        return Goal(self, sent, feedback)

    def leave(self) -> None:
        """Let the only client of the skill server disappear."""
        self._skills.destroy()
        self._skills = None

    def return_(self) -> None:
        """Let a client of the skill server appear."""
        self._skills = ActionClient(self.client, ExecuteRskill, "openral/execute_rskill")

    def publish_transform(self, parent: str, child: str, x: float = 0.0) -> None:
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        transform.transform.translation.x = x
        transform.transform.rotation.w = 1.0
        publisher = self.robot.create_publisher(TFMessage, "tf_static", LATCHED)
        publisher.publish(TFMessage(transforms=[transform]))

    def publish_pose(self, variance: float) -> None:
        message = PoseWithCovarianceStamped()
        message.pose.covariance[0] = message.pose.covariance[7] = variance
        self.robot.create_publisher(PoseWithCovarianceStamped, "amcl_pose", LATCHED).publish(message)

    def close(self) -> None:
        for server in self.servers:
            server.end_all()
        self.until(lambda: not any(server.running for server in self.servers))
        for node in self.nodes:
            node.close()
        for server in self.servers:
            server.stop()
        if self._skills is not None:
            self._skills.destroy()
        self.executor.shutdown()
        for node in (*self.nodes, self.client, self.robot):
            node.destroy_node()


def stop(bench: Bench) -> None:
    """Press the emergency stop."""
    publisher = bench.client.create_publisher(String, "openral/stop", RELIABLE)
    bench.until(publisher.get_subscription_count)
    publisher.publish(String(data="red button"))


def release(bench: Bench) -> None:
    """Release the emergency stop."""
    client = bench.client.create_client(Trigger, "openral/release")
    bench.until(client.service_is_ready)
    assert bench.wait(client.call_async(Trigger.Request())).success
