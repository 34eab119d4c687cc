"""The fleet node on real DDS, with reasoners that are processes of their own and are killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from openral_fleet.ros.node import FleetNode
from openral_msgs.msg import Handoff, PromptReceipt, PromptStamped
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]
HERE = Path(__file__).parent
ENDED = {"done", "claimed", "failed", "handed_over", "cancelled"}
SETTINGS = {"mission_seconds": 20.0, "lease_margin": 5.0, "patience": 30.0, "answer_timeout": 60.0}
PATIENCE = 150.0


class Robots:
    """Fake reasoners, by namespace."""

    def __init__(self, folder: Path) -> None:
        self.effects = folder / "effects.txt"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, seconds: float = 1.0, memory: str = "journal") -> None:
        command = [sys.executable, "-P", str(HERE / "fake_reasoner.py"), name, str(seconds)]
        env = {k: v for k, v in os.environ.items() if k != "ROS_PYTHON_CHECK_FIELDS"}
        self._processes[name] = subprocess.Popen([*command, str(self.effects), memory], env=env)

    def kill(self, name: str) -> None:
        self._processes[name].kill()
        self._processes[name].wait(10.0)

    @property
    def acted(self) -> list[str]:
        """Goals of the acting steps, looks left out, with the ids of their prompts."""
        lines = self.effects.read_text().splitlines() if self.effects.exists() else []
        return [line for line in lines if " find " not in line]

    def close(self) -> None:
        for process in self._processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self._processes.values():
            try:
                process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10.0)


class Operator(Node):
    """Reads the table and the questions, and speaks to the dispatcher."""

    def __init__(self, context: Any) -> None:
        super().__init__("operator", context=context)
        self.tables: list[DiagnosticArray] = []
        self.questions: list[Handoff] = []
        self.receipts: list[PromptReceipt] = []
        self.create_subscription(DiagnosticArray, "/fleet/openral/errands", self.tables.append, LATCHED)
        self.create_subscription(Handoff, "/fleet/openral/handoff", self.questions.append, LATCHED_HISTORY)
        self.create_subscription(
            PromptReceipt, "/fleet/openral/prompt_receipt", self.receipts.append, RECEIPTS
        )
        self._prompts = self.create_publisher(PromptStamped, "/fleet/openral/prompt", RELIABLE)

    @property
    def states(self) -> dict[str, str]:
        return {each.name: each.message for each in self.tables[-1].status} if self.tables else {}

    @property
    def reasons(self) -> list[str]:
        facts = ({each.key: each.value for each in status.values} for status in self.tables[-1].status)
        return [each.get("reason", "") for each in facts]

    @property
    def holders(self) -> dict[str, str]:
        return {each.name: each.hardware_id for each in self.tables[-1].status} if self.tables else {}

    @property
    def ended(self) -> bool:
        return bool(self.states) and set(self.states.values()) <= ENDED

    def say(self, text: str, in_reply_to: str = "") -> None:
        header = Header(frame_id="operator")
        name = f"said-{len(self.receipts)}-{text}"
        self._prompts.publish(PromptStamped(header=header, id=name, text=text, in_reply_to=in_reply_to))


@pytest.fixture
def robots(ros_domain: int, tmp_path: Path) -> Iterator[Robots]:
    made = Robots(tmp_path)
    yield made
    made.close()


@pytest.fixture
def operator(ros_context: Any) -> Iterator[Operator]:
    node = Operator(ros_context)
    yield node
    node.destroy_node()


@pytest.fixture
def make_fleet(ros_context: Any, tmp_path: Path) -> Iterator[Callable[..., FleetNode]]:
    made: list[FleetNode] = []

    def make(goals: list[str], **parameters: Any) -> FleetNode:
        errands = tmp_path / "errands.txt"
        errands.write_text("\n".join(goals))
        given = {"errands": str(errands), "robots": ["r1", "r2"], **SETTINGS, **parameters}
        overrides = [Parameter(name, value=value) for name, value in given.items()]
        node = FleetNode(context=ros_context, parameter_overrides=overrides, namespace="/fleet")
        made.append(node)
        return node

    yield make
    for node in made:
        node.close()
        node.destroy_node()


GOALS = ["bring me the mug", "bring me the bowl", "find the spoon", "bring me the cup"]


def test_two_robots_share_a_list_and_do_each_errand_once(
    robots: Robots, operator: Operator, make_fleet: Callable[..., FleetNode], spin_until: Callable[..., None]
) -> None:
    robots.start("/r1", seconds=4.0)
    robots.start("/r2", seconds=4.0)
    topics = ("/r1/openral/mission", "/r2/openral/mission")
    spin_until(operator, lambda: all(map(operator.count_publishers, topics)), PATIENCE)
    fleet = make_fleet(GOALS)
    spin_until([fleet, operator], lambda: operator.ended, PATIENCE)
    assert set(operator.states.values()) == {"done"}, operator.reasons
    assert set(operator.holders.values()) == {"/r1", "/r2"}
    assert sorted(line.split(" ", 1)[1] for line in robots.acted) == sorted(
        goal for goal in GOALS if "find" not in goal
    )


def test_the_errand_of_a_killed_robot_is_looked_after_and_never_done_twice(
    robots: Robots, operator: Operator, make_fleet: Callable[..., FleetNode], spin_until: Callable[..., None]
) -> None:
    robots.start("/r1", seconds=8.0)
    robots.start("/r2")
    fleet = make_fleet(["bring me the mug"], presumed_off=3.0, lease_margin=600.0)
    spin_until([fleet, operator], lambda: operator.states.get("e1") == "running", PATIENCE)
    first = operator.holders["e1"]
    robots.kill(first)
    spin_until([fleet, operator], lambda: operator.questions or operator.ended, PATIENCE)
    if operator.questions:
        done = bool(robots.acted)
        operator.say("done" if done else "again", operator.questions[0].id)
    spin_until([fleet, operator], lambda: operator.ended, PATIENCE)
    assert operator.states == {"e1": "done"}
    assert len(robots.acted) == 1


def test_a_restarted_dispatcher_goes_on_and_sends_no_errand_twice(
    robots: Robots,
    operator: Operator,
    make_fleet: Callable[..., FleetNode],
    spin_until: Callable[..., None],
    tmp_path: Path,
) -> None:
    robots.start("/r1", seconds=3.0)
    robots.start("/r2", seconds=3.0)
    journal = str(tmp_path / "journal")
    fleet = make_fleet(GOALS, journal=journal)
    spin_until([fleet, operator], lambda: "running" in operator.states.values(), PATIENCE)
    fleet.close()  # without a word to the robots
    again = make_fleet(GOALS, journal=journal)
    spin_until([again, operator], lambda: again.ended and operator.ended, PATIENCE)
    assert set(operator.states.values()) == {"done"}
    assert len(robots.acted) == len({line.split(" ", 1)[1] for line in robots.acted}) == 3


def test_a_stop_said_to_one_robot_stops_all(
    robots: Robots,
    operator: Operator,
    make_fleet: Callable[..., FleetNode],
    spin_until: Callable[..., None],
) -> None:
    robots.start("/r1", seconds=15.0)
    robots.start("/r2", seconds=15.0)
    fleet = make_fleet(GOALS)
    prompts = operator.create_publisher(PromptStamped, "/r1/openral/prompt", RELIABLE)
    spin_until([fleet, operator], lambda: list(operator.states.values()).count("running") == 2, PATIENCE)
    prompts.publish(PromptStamped(header=Header(frame_id="operator"), id="x", text="stop"))
    spin_until([fleet, operator], lambda: operator.ended, PATIENCE)
    assert set(operator.states.values()) == {"cancelled"}
    assert robots.acted == []


def test_an_operator_drops_one_errand_and_is_refused_nonsense(
    robots: Robots,
    operator: Operator,
    make_fleet: Callable[..., FleetNode],
    spin_until: Callable[..., None],
) -> None:
    robots.start("/r1", seconds=2.0)
    fleet = make_fleet(GOALS, robots=["r1"])
    spin_until([fleet, operator], lambda: "running" in operator.states.values(), PATIENCE)
    operator.say("drop", "e4")
    operator.say("sing", "e4")
    spin_until([fleet, operator], lambda: len(operator.receipts) == 2, PATIENCE)
    assert [receipt.outcome for receipt in operator.receipts] == [
        PromptReceipt.OUTCOME_ANSWERED,
        PromptReceipt.OUTCOME_REFUSED,
    ]
    spin_until([fleet, operator], lambda: operator.ended, PATIENCE)
    assert operator.states == {"e1": "done", "e2": "done", "e3": "done", "e4": "cancelled"}


def test_errands_without_any_robot_end_with_a_reason(
    operator: Operator, make_fleet: Callable[..., FleetNode], spin_until: Callable[..., None]
) -> None:
    fleet = make_fleet(GOALS, robots=["nowhere"], patience=1.0)
    spin_until([fleet, operator], lambda: operator.ended, PATIENCE)
    facts = {each.key: each.value for each in operator.tables[-1].status[0].values}
    assert operator.states == dict.fromkeys(("e1", "e2", "e3", "e4"), "failed")
    assert "no robot is present" in facts["reason"]
