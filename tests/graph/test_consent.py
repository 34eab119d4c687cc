"""Consent from prompt to motion: the skill server asks, hears the operator itself, and goes on.

Real memory, reasoner and skill server on DDS; the robot reaches every goal at once.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Header

from openral_core.home_map import load_map
from openral_core.rskills import Registry
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_msgs.msg import Handoff, MissionStatus, PromptStamped
from openral_reasoner_ros.node import ReasonerNode
from openral_ros.consent import SkillServerOptions
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.skill_server import QueuedGoal, SkillServer
from openral_world_state.ros.node import WorldStateNode

ROOT = Path(__file__).parents[2]
MEMORY, MAP = ROOT / "scenes" / "memory" / "home.json", ROOT / "scenes" / "maps" / "home.yaml"
POLICY = "rules: [{id: fridge, permit: ask once, verbs: [OPEN], places: [fridge], reason: cold food}]"


class Robot(Node):
    """A skill server with a policy, whose robot reaches every goal at once, and an operator."""

    served = available = tuple(Verb)
    holding, time, feedback = "", 0.0, Feedback("", 0.0)

    def __init__(self, context: Any, policy: Path, answer: str) -> None:
        super().__init__("skill_server", context=context)
        self.done: list[Verb] = []
        self.asked: list[Handoff] = []
        self.decided: list[tuple[str, str]] = []
        self.statuses: list[MissionStatus] = []
        self._answer = answer
        self.scope = ResourceScope(self)
        registry, options = Registry.load([ROOT / "rskills"]), SkillServerOptions(policy=str(policy))
        SkillServer(self.scope, self, registry, self, options, load_map(MAP)).serve(self.scope, self)
        self.prompts = self.scope.publisher(PromptStamped, "openral/prompt", RELIABLE)
        self.scope.subscription(Handoff, "openral/handoff", self._on_question, LATCHED)
        self.scope.subscription(DiagnosticStatus, "openral/consent", self._on_decision, LATCHED_HISTORY)
        self.scope.subscription(MissionStatus, "openral/mission", self.statuses.append, LATCHED)

    def submit(self, goal: QueuedGoal) -> None:
        self.done.append(goal.goal.verb)
        evidence = {"container_id": "fridge", "opening": 1.0} if goal.goal.verb is Verb.OPEN else {}
        goal.on_end(SkillResult(SkillStatus.SUCCEEDED, "done", evidence))

    def halt(self, reason: str) -> None: ...

    def release(self) -> None: ...

    def say(self, text: str, in_reply_to: str = "") -> None:
        header = Header(frame_id="operator")
        self.prompts.publish(PromptStamped(header=header, id=text, text=text, in_reply_to=in_reply_to))

    def _on_question(self, question: Handoff) -> None:
        self.asked.append(question)
        self.say(self._answer, question.id)

    def _on_decision(self, decision: DiagnosticStatus) -> None:
        values = {value.key: value.value for value in decision.values}
        self.decided.append((values["outcome"], values["rule"]))


def activated(kind: type[LifecycleNodeBase], context: Any, **parameters: Any) -> LifecycleNodeBase:
    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    node = kind(context=context, parameter_overrides=overrides)
    node.trigger_configure()
    node.trigger_activate()
    return node


@pytest.fixture
def play(ros_context: Any, tmp_path: Path, spin_until: Callable[..., None]) -> Iterator[Callable[..., Robot]]:
    """Play a mission with an operator who has one answer."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    nodes: list[Node] = []

    def until_the_end(goal: str, answer: str) -> Robot:
        robot = Robot(ros_context, policy, answer)
        memory = activated(WorldStateNode, ros_context, map=str(MAP), spatial_memory_path=str(MEMORY))
        folders = [str(ROOT / "rskills")]
        reasoner = activated(ReasonerNode, ros_context, rskill_folders=folders, locator_wait=0.0)
        nodes.extend((robot, memory, reasoner))
        spin_until(nodes, lambda: robot.prompts.get_subscription_count() == 4, 10.0)
        robot.say(goal)
        over = MissionStatus.STATE_SUCCEEDED
        spin_until(nodes, lambda: bool(robot.statuses) and robot.statuses[-1].state >= over, 60.0)
        return robot

    yield until_the_end
    for node in reversed(nodes):
        node.scope.close() if isinstance(node, Robot) else node.close()
        node.destroy_node()


def test_the_fridge_is_opened_once_the_operator_says_yes(play: Callable[..., Robot]) -> None:
    robot = play("open the fridge", "yes")
    last = robot.statuses[-1]
    assert last.state == MissionStatus.STATE_SUCCEEDED, last.reason
    assert [question.question for question in robot.asked] == ["May I open the fridge?"]
    assert [each for each in robot.decided if each[1] == "fridge"] == [
        ("asked", "fridge"),
        ("permitted", "fridge"),
    ]
    told = [call.message for call in last.calls]
    assert any("the operator has to permit this first, by fridge (cold food)" in line for line in told)
    assert any("permitted by fridge: ask once (the operator said yes)" in line for line in told)


def test_the_fridge_stays_closed_when_the_operator_says_no(play: Callable[..., Robot]) -> None:
    robot = play("open the fridge", "no")
    last = robot.statuses[-1]
    assert last.state == MissionStatus.STATE_FAILED
    assert last.reason == "not permitted to open the fridge: the operator said 'no'"
    assert Verb.OPEN not in robot.done
