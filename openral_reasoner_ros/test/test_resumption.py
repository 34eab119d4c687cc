"""A reasoner that is killed in mid-mission goes on where it stood, and no goal is executed twice."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from openral_core.missions import MissionState
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import MissionStatus, PromptReceipt
from openral_reasoner_ros.journal import JOURNAL_FILE
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_reasoner_ros.resumption import MIN_DEADLINE, PEERS_WAIT
from openral_reasoner_ros.telemetry import RECORDING_FILE
from openral_testing.recordings.lives import read_lives
from openral_testing.recordings.replay import replay, stories

RSKILLS = Path(__file__).parents[2] / "rskills"
REASONER = "import sys; from openral_reasoner_ros.node import main; sys.exit(main())"
SHORT_LEASE = """<?xml version="1.0" encoding="UTF-8"?>
<profiles xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles">
  <participant profile_name="short_lease" is_default_profile="true">
    <rtps>
      <builtin>
        <discovery_config>
          <leaseDuration><sec>5</sec></leaseDuration>
          <leaseAnnouncement><sec>1</sec></leaseAnnouncement>
        </discovery_config>
      </builtin>
    </rtps>
  </participant>
</profiles>
"""
"""Time after which others forget a killed reasoner [s]; by default they wait for 20 s."""
SECONDS = ReasonerParameters.model_fields["seconds"].default
pytestmark = pytest.mark.timeout(300)


class Killable:
    """A reasoner in a process of its own, and those around it."""

    def __init__(self, folder: Path, graph: Any, operator: Any, client: Node) -> None:
        self.folder, self.graph, self.operator, self.client = folder, graph, operator, client
        self.executor = SingleThreadedExecutor(context=client.context)
        for node in (graph, operator, client):
            self.executor.add_node(node)
        self.process: subprocess.Popen[bytes] | None = None
        self.parameters: dict[str, float] = {}
        profile = folder / "short_lease.xml"
        profile.write_text(SHORT_LEASE)
        names = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
        self._environment = {**os.environ, **dict.fromkeys(names, str(profile))}

    def until(self, condition: Callable[[], object], timeout: float = 60.0) -> None:
        """Spin with one executor: a goal that is held belongs to it."""
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f"still false after {timeout:g} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)

    def start(self) -> None:
        values = {
            "rskill_folders": f"[{RSKILLS}]",
            "requester": "ana",
            "poll_period": 0.1,
            "journal": self.folder,
            "record": self.folder,
            **self.parameters,
        }
        parameters = [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", REASONER, "--ros-args", *parameters], env=self._environment
        )
        for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
            caller = self.client.create_client(ChangeState, "/reasoner/change_state")
            self.until(caller.service_is_ready)
            answer = caller.call_async(ChangeState.Request(transition=Transition(id=transition)))
            self.until(answer.done)
            assert answer.result().success
            self.client.destroy_client(caller)
        self.until(lambda: self.operator.heard)

    def kill(self) -> None:
        """End it without a chance to say anything."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.until(lambda: not self.operator.heard)

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.executor.shutdown()

    @property
    def last(self) -> Any:
        return self.operator.statuses[-1]


@pytest.fixture
def killable(ros_context: Any, graph: Any, operator: Any, tmp_path: Path) -> Iterator[Killable]:
    client = Node("client", context=ros_context)
    made = Killable(tmp_path, graph, operator, client)
    yield made
    made.close()
    client.destroy_node()


def test_a_killed_mission_is_resumed_and_the_running_goal_is_adopted(killable: Killable) -> None:
    graph, operator = killable.graph, killable.operator
    killable.start()
    graph.hold_skills = True
    operator.say("bring me the baguette")
    killable.until(lambda: graph.held is not None)
    before = killable.last
    killable.kill()
    operator.statuses.clear()
    graph.hold_skills = False
    killable.start()
    killable.until(lambda: operator.statuses and operator.statuses[-1].goal == before.goal)
    feedback = ExecuteRskill.Feedback(stage="reaching", progress=0.5)
    killable.until(
        lambda: graph.held_goal.publish_feedback(feedback) is None and "[reaching 50 %]" in killable.last.step
    )
    graph.held.set_result(None)
    killable.until(lambda: operator.ended)
    assert killable.last.state == MissionStatus.STATE_SUCCEEDED, killable.last.reason
    assert killable.last.mission_id == before.mission_id
    assert len(set(graph.executed)) == len(graph.executed), "a goal was executed twice"
    assert graph.home.delivered == [("bread_1", "ana")]
    used = {line.name: line.used for line in killable.last.budget}
    assert used["skills"] == len(graph.executed)
    lives = list(read_lives((killable.folder / RECORDING_FILE).read_text().splitlines()))
    assert len(lives) == 2
    assert all(replay(life.settings, life.steps, idle=life.idle) is None for life in lives)
    story = "\n".join(stories(lives))
    assert "the reasoner stopped during this mission and the mission was resumed" in story
    assert "the mission goes on" in story
    assert "has left the graph" not in story
    assert story.count("the operator says") == 1


def test_a_stop_reaches_the_goal_that_a_killed_reasoner_had_sent(killable: Killable) -> None:
    graph, operator = killable.graph, killable.operator
    killable.start()
    graph.hold_skills = True
    operator.say("bring me the baguette")
    killable.until(lambda: graph.held is not None)
    killable.kill()
    operator.statuses.clear()
    killable.start()
    operator.say("stop")
    killable.until(lambda: graph.cancel_asked)
    graph.held.set_result(None)
    killable.until(lambda: operator.ended)
    assert killable.last.state == MissionStatus.STATE_CANCELLED
    assert len(graph.executed) == 1


def reboot(journal: Path) -> None:
    """Have the journal be of another run of the machine."""
    header, _, events = journal.read_text().partition("\n")
    journal.write_text(json.dumps({**json.loads(header), "boot": "another"}) + "\n" + events)


def test_after_a_reboot_the_operator_is_asked_and_the_answer_is_acknowledged(killable: Killable) -> None:
    graph, operator = killable.graph, killable.operator
    killable.parameters = {"handoff_timeout": 60.0}
    killable.start()
    graph.hold_skills = True
    operator.say("bring me the baguette")
    killable.until(lambda: graph.held is not None)
    killable.kill()
    graph.hold_skills = False
    graph.held.set_result(None)
    reboot(killable.folder / JOURNAL_FILE)
    operator.statuses.clear()
    killable.start()
    waiting = MissionStatus.STATE_WAITING_FOR_HUMAN
    killable.until(lambda: operator.statuses and killable.last.state == waiting and operator.handoffs)
    assert "Continue?" in killable.last.reason
    question = operator.handoffs[-1].id
    operator.say("continue", source="", in_reply_to=question)
    for _ in range(2):
        operator.receipts.clear()
        operator.say("continue", id="answer", in_reply_to=question)
        killable.until(lambda: any(receipt.prompt_id == "answer" for receipt in operator.receipts))
        answered = [receipt for receipt in operator.receipts if receipt.prompt_id == "answer"]
        assert answered[0].outcome == PromptReceipt.OUTCOME_ANSWERED
    killable.until(lambda: operator.ended)
    assert killable.last.state == MissionStatus.STATE_SUCCEEDED, killable.last.reason
    assert len(set(graph.executed)) == len(graph.executed), "a goal was executed twice"
    lives = read_lives((killable.folder / RECORDING_FILE).read_text().splitlines())
    assert "the operator was asked and says 'continue'" in "\n".join(stories(lives))


def test_a_journal_of_another_deployment_moves_nothing_unasked(killable: Killable) -> None:
    graph, operator = killable.graph, killable.operator
    killable.parameters = {"handoff_timeout": 60.0}
    killable.start()
    graph.hold_skills = True
    operator.say("bring me the baguette")
    killable.until(lambda: graph.held is not None)
    killable.kill()
    graph.hold_skills = False
    graph.held.set_result(None)
    journal, executed = killable.folder / JOURNAL_FILE, len(graph.executed)
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    prompt = next(n for n, line in enumerate(lines) if line.get("event", {}).get("kind") == "prompt_received")
    lines[0]["settings"]["budget"]["seconds"] = 86_400.0
    left = [line for line in lines[: prompt + 1] if "server" not in line]
    journal.write_text("".join(json.dumps(line) + "\n" for line in left))
    operator.statuses.clear()
    killable.start()
    killable.until(lambda: operator.statuses and operator.handoffs)
    assert "Continue?" in operator.handoffs[-1].question
    begun = time.monotonic()
    killable.until(lambda: time.monotonic() - begun > MIN_DEADLINE + PEERS_WAIT)
    assert killable.last.state == MissionStatus.STATE_WAITING_FOR_HUMAN, "nothing ends the question"
    assert len(graph.executed) == executed
    assert {line.name: line.limit for line in killable.last.budget}["seconds"] == SECONDS
    operator.say("stop")
    killable.until(lambda: operator.ended)
    assert killable.last.state == MissionStatus.STATE_CANCELLED
    assert len(graph.executed) == executed


@pytest.mark.slow
def test_a_mission_that_stands_still_after_a_resumption_is_handed_over(killable: Killable) -> None:
    graph, operator = killable.graph, killable.operator
    killable.start()
    graph.hold_skills = True
    operator.say("bring me the baguette")
    killable.until(lambda: graph.held is not None)
    for _ in range(2):
        killable.kill()
        operator.statuses.clear()
        killable.start()
        killable.until(lambda: operator.statuses)
        resumed = '"kind":"resumed"'
        journal = killable.folder / JOURNAL_FILE
        killable.until(lambda: operator.ended or resumed in journal.read_text())  # noqa: B023
    killable.until(lambda: operator.ended)
    assert killable.last.state == int(MissionState.HANDED_OVER)
    assert "did not get any further" in killable.last.reason
    assert "it stood at: " in killable.last.reason
    killable.until(lambda: graph.cancel_asked)
    graph.held.set_result(None)


def test_an_unreadable_journal_is_told_and_costs_no_later_mission(killable: Killable) -> None:
    (killable.folder / JOURNAL_FILE).write_bytes(b"\xff\xfe nonsense\n{}\n")
    killable.start()
    killable.operator.say("find the mug")
    killable.until(lambda: killable.operator.ended and "mug" in killable.last.goal)
    assert killable.last.state == MissionStatus.STATE_SUCCEEDED, killable.last.reason
