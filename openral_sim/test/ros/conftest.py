"""One simulation node with small pictures, spun together with a client, for all tests of a worker."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import yaml

pytest.importorskip("rclpy")
domain_coordinator = pytest.importorskip("domain_coordinator")

import rclpy
from action_msgs.msg import GoalStatus
from dds_ports import domains
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter

from openral_core.skills import ParamValue, SkillResult
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.skills import key_values, skill_result_from_message
from openral_sim.ros.node import SimNode

ROOT = Path(__file__).parents[3]
HOME = ROOT / "scenes" / "deploy" / "home.yaml"
SMALL = {"width": 160, "height": 120, "rate": 5.0}


class Goal:
    """A goal on its way."""

    def __init__(self, bench: "Bench", sent: Any, feedback: list[ExecuteRskill.Feedback]) -> None:
        self._bench, self.feedback = bench, feedback
        self.handle = bench.wait(sent)
        assert self.handle.accepted
        self._answer = self.handle.get_result_async()

    def cancel(self) -> None:
        self._bench.wait(self.handle.cancel_goal_async())

    def result(self, timeout: float = 30.0) -> SkillResult:
        return skill_result_from_message(self._bench.wait(self._answer, timeout).result)

    @property
    def status(self) -> int:
        return int(self._answer.result().status)

    @property
    def cancelled(self) -> bool:
        return self.status == GoalStatus.STATUS_CANCELED


class Bench:
    """The node, a client and their executor."""

    def __init__(self, context: Any, node: SimNode) -> None:
        self.node = node
        self.client = rclpy.create_node("client", context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(node)
        self.executor.add_node(self.client)
        self._skills = ActionClient(self.client, ExecuteRskill, "openral/execute_rskill")

    def until(self, condition: Callable[[], object], timeout: float = 30.0) -> None:
        deadline = monotonic() + timeout
        while not condition():
            assert monotonic() < deadline, f"still false after {timeout} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)

    def wait(self, future: Any, timeout: float = 30.0) -> Any:
        self.until(future.done, timeout)
        return future.result()

    def listen(self, message_type: type, topic: str, qos: Any) -> list[Any]:
        heard: list[Any] = []
        self.client.create_subscription(message_type, topic, heard.append, qos)
        return heard

    def hear(self, message_type: type, topic: str, qos: Any, timeout: float = 30.0) -> Any:
        """The first message of a new subscription."""
        heard: list[Any] = []
        subscription = self.client.create_subscription(message_type, topic, heard.append, qos)
        self.until(lambda: heard, timeout)
        self.client.destroy_subscription(subscription)
        return heard[0]

    def send(self, rskill: str, deadline: float = 0.0, **params: ParamValue) -> Goal:
        return self.send_message(
            ExecuteRskill.Goal(rskill_id=rskill, deadline=deadline, params=key_values(params))
        )

    def send_message(self, message: ExecuteRskill.Goal) -> Goal:
        self.until(self._skills.server_is_ready)
        feedback: list[ExecuteRskill.Feedback] = []
        sent = self._skills.send_goal_async(message, lambda reported: feedback.append(reported.feedback))
        return Goal(self, sent, feedback)

    def close(self) -> None:
        self.node.close()
        self.executor.shutdown()
        self._skills.destroy()
        self.client.destroy_node()
        self.node.destroy_node()


@pytest.fixture(scope="session")
def sim_context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with (
        domain_coordinator.domain_id(domains().__next__) as domain,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        patch.setenv("ROS_LOG_DIR", str(tmp_path_factory.mktemp("ros")))
        patch.setenv("LP_NUM_THREADS", os.environ.get("LP_NUM_THREADS", "1"))
        context = rclpy.context.Context()
        rclpy.init(context=context, domain_id=domain)
        yield context
        rclpy.try_shutdown(context=context)


@pytest.fixture(scope="session")
def small_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home scene with small pictures."""
    document = yaml.safe_load(HOME.read_text())
    document["map"] = str((HOME.parent / document["map"]).resolve())
    document["cameras"] = {name: {**style, **SMALL} for name, style in document["cameras"].items()}
    path = tmp_path_factory.mktemp("scenes") / "home.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


@pytest.fixture(scope="session")
def make_node(sim_context: Any, small_home: Path) -> Callable[..., SimNode]:
    """An unconfigured node; keyword arguments are parameters."""

    def make(namespace: str = "", **parameters: Any) -> SimNode:
        values = {
            "scene": str(small_home),
            "rskill_folders": [str(ROOT / "rskills")],
            "shadows": False,
            "real_time_factor": 3.0,
            **parameters,
        }
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        return SimNode(context=sim_context, namespace=namespace, parameter_overrides=overrides)

    return make


@pytest.fixture(scope="module")
def bench_of(sim_context: Any, make_node: Callable[..., SimNode]) -> Iterator[Callable[..., Bench]]:
    """An active node; keyword arguments are parameters."""
    made: list[Bench] = []

    def make(**parameters: Any) -> Bench:
        made.append(Bench(sim_context, make_node(**parameters)))
        made[-1].node.trigger_configure()
        made[-1].node.trigger_activate()
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture(scope="module")
def bench(bench_of: Callable[..., Bench]) -> Bench:
    """An active node."""
    return bench_of()
