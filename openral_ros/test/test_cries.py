"""The skill server itself hears a cry and a stop in any language, without a reasoner."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("rclpy")

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor

from openral_core.geometry import Pose
from openral_core.rskills import Registry
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import PromptStamped
from openral_ros.consent import SkillServerOptions
from openral_ros.conversions.skills import key_values, skill_result_from_message
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.skill_server import QueuedGoal, SkillServer

RSKILLS = Path(__file__).parents[2] / "rskills"


class Base:
    """A robot that drives until it is told to end."""

    served = available = (Verb.NAVIGATE,)
    holding, time = "", 0.0

    def __init__(self) -> None:
        self.goal: QueuedGoal | None = None
        self.halted = False

    @property
    def feedback(self) -> Feedback:
        return Feedback("driving", 0.5)

    def submit(self, goal: QueuedGoal) -> None:
        self.goal = goal

    def halt(self, reason: str) -> None:
        self.halted = True

    def release(self) -> None:
        self.halted = False

    def end_if_told(self) -> None:
        if self.goal is not None and self.goal.cancelled.is_set():
            ended, self.goal = self.goal, None
            at_once = "halted" if self.halted else "braked"
            ended.on_end(SkillResult(SkillStatus.CANCELLED, at_once))


class Drive:
    """A skill server in the middle of a drive."""

    def __init__(self, context: Any) -> None:
        self.base = Base()
        self.node = rclpy.create_node("skill_server", context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.scope = ResourceScope(self.node)
        registry = Registry.load([RSKILLS])
        server = SkillServer(self.scope, self.node, registry, self.base, SkillServerOptions())
        server.serve(self.scope, self.base)
        self._skills = ActionClient(self.node, ExecuteRskill, "openral/execute_rskill")
        self._prompts = self.scope.publisher(PromptStamped, "openral/prompt", RELIABLE)
        self.until(lambda: self._skills.server_is_ready() and self._prompts.get_subscription_count() >= 1)

    def until(self, condition: Callable[[], object], timeout: float = 30.0) -> None:
        end = monotonic() + timeout
        while not condition():
            assert monotonic() < end, f"still false after {timeout} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)
            self.base.end_if_told()

    def say_in_mid_drive(self, *texts: str) -> SkillResult:
        goal = ExecuteRskill.Goal(
            rskill_id="navigate", params=key_values({"goal": Pose.planar(1.0, 1.0, 0.0)})
        )
        sent = self._skills.send_goal_async(goal)
        self.until(lambda: sent.done() and self.base.goal)
        answer = sent.result().get_result_async()
        for text in texts:
            prompt = PromptStamped(text=text)
            prompt.header.frame_id = "operator"
            self._prompts.publish(prompt)
        self.until(answer.done)
        return skill_result_from_message(answer.result().result)

    def close(self) -> None:
        self._skills.destroy()
        self.scope.close()
        self.executor.shutdown()
        self.node.destroy_node()


@pytest.fixture
def drive(ros_context: Any) -> Iterator[Drive]:
    made = Drive(ros_context)
    yield made
    made.close()


def test_a_cry_halts_at_once_and_a_stop_brakes_and_the_next_goal_is_taken(drive: Drive) -> None:
    for text, how in (
        ("help, you're hurting me", "halted"),
        ("Hilfe!", "halted"),
        ("отпусти меня", "halted"),
        ("no no no", "braked"),
        ("\N{OCTAGONAL SIGN}", "braked"),
    ):
        # The goal before the cry stops nothing.
        result = drive.say_in_mid_drive("help me find my keys", text)
        assert (text, result.status, result.message) == (text, SkillStatus.CANCELLED, how)
        assert not drive.base.halted
