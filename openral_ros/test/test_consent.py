"""The skill server asks, hears the operator itself, refuses, and tells every decision."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("rclpy")

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.msg import Log
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String
from std_srvs.srv import Trigger

from openral_core.consent.decisions import QUESTION
from openral_core.consent.policy import InvalidPolicy, parse_policy
from openral_core.geometry import Pose
from openral_core.rskills import Registry
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import FailureTrigger, PromptReceipt, PromptStamped, SkillCatalogue
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_ros import consent
from openral_ros.consent import SkillServerOptions
from openral_ros.conversions.skills import key_values, skill_result_from_message
from openral_ros.conversions.spatial_memory import scene_graph_message
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.skill_server import QueuedGoal, SkillServer

RSKILLS = Path(__file__).parents[2] / "rskills"
POLICY = """
rules:
  - {id: knives, permit: never, objects: [knife], reason: sharp}
  - {id: looks, permit: ask each time, verbs: [LOOK_AT]}
  - {id: doors, permit: never, verbs: [CLOSE]}
keep_out:
  - {id: stairs, name: stairs, polygon: [[5, 5], [6, 5], [6, 6]]}
"""
TABLE = Pose((1.0, 1.0, 0.8))


class Arm:
    """A robot that reaches every goal at once."""

    served = (Verb.LOOK_AT, Verb.GRASP, Verb.CLOSE, Verb.NAVIGATE, Verb.PLACE)
    available = served[:4]
    holding, time = "", 0.0
    feedback = Feedback("", 0.0)

    def __init__(self) -> None:
        self.done: list[Verb] = []
        self.halted = False

    def submit(self, goal: QueuedGoal) -> None:
        self.done.append(goal.goal.verb)
        goal.on_end(SkillResult(SkillStatus.SUCCEEDED, "done"))

    def halt(self, reason: str) -> None:
        self.halted = True

    def release(self) -> None: ...


class Bench:
    """A skill server with a policy, its client and the operator."""

    def __init__(self, context: Any, policy: str) -> None:
        self.arm = Arm()
        self.node = rclpy.create_node("skill_server", context=context)
        self.client = rclpy.create_node("client", context=context)
        self.executor = SingleThreadedExecutor(context=context)
        for node in (self.node, self.client):
            self.executor.add_node(node)
        self.scopes = [ResourceScope(self.node), ResourceScope(self.client)]
        registry, options = Registry.load([RSKILLS]), SkillServerOptions(policy=policy)
        server = SkillServer(self.scopes[0], self.node, registry, self.arm, options)
        server.serve(self.scopes[0], self.arm)
        self._skills = ActionClient(self.client, ExecuteRskill, "openral/execute_rskill")
        self._prompts = self.scopes[1].publisher(PromptStamped, "openral/prompt", RELIABLE)
        self.decisions = self.listen(DiagnosticStatus, "openral/consent", LATCHED_HISTORY)
        self._memory = self.scopes[1].publisher(SceneGraphMsg, "openral/scene_graph", LATCHED)
        self.remember("mug", "cup")
        self.until(lambda: self._skills.server_is_ready() and self._prompts.get_subscription_count() == 2)
        self.until(lambda: self._memory.get_subscription_count() == 1)

    def remember(self, *labels: str, unprompted: tuple[str, ...] | None = None) -> None:
        seen = labels if unprompted is None else unprompted
        votes = dict.fromkeys(labels, 1.0)
        node = SceneNode("it", NodeKind.OBJECT, labels[0], TABLE, votes=votes, unprompted=seen)
        self._memory.publish(scene_graph_message(SceneGraph((node,)), 1.0))

    def listen(self, message_type: type, topic: str, qos: Any) -> list[Any]:
        heard: list[Any] = []
        self.scopes[1].subscription(message_type, topic, heard.append, qos)
        return heard

    def until(self, condition: Callable[[], object], timeout: float = 30.0) -> None:
        end = monotonic() + timeout
        while not condition():
            assert monotonic() < end, f"still false after {timeout} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)

    def begin(self, rskill: str, **params: Any) -> Any:
        sent = self._skills.send_goal_async(ExecuteRskill.Goal(rskill_id=rskill, params=key_values(params)))
        self.until(sent.done)
        return sent.result().get_result_async()

    def ask_for(self, rskill: str, **params: Any) -> SkillResult:
        answer = self.begin(rskill, **params)
        self.until(answer.done)
        return skill_result_from_message(answer.result().result)

    def say(self, text: str, question: str, source: str = "operator", prompt_id: str = "") -> None:
        prompt = PromptStamped(id=prompt_id, text=text, in_reply_to=question)
        prompt.header.frame_id = source
        self._prompts.publish(prompt)

    def close(self) -> None:
        self._skills.destroy()
        for scope in self.scopes:
            scope.close()
        self.executor.shutdown()
        self.node.destroy_node()
        self.client.destroy_node()


@pytest.fixture
def bench(ros_context: Any, tmp_path: Path) -> Iterator[Bench]:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY)
    made = Bench(ros_context, str(file))
    yield made
    made.close()


def outcomes(bench: Bench) -> list[tuple[str, str]]:
    values = [{each.key: each.value for each in decision.values} for decision in bench.decisions]
    return [(value["outcome"], value["rule"]) for value in values]


def test_the_operators_yes_permits_one_goal_and_only_the_operators(bench: Bench) -> None:
    failures = bench.listen(FailureTrigger, "openral/failure/skill_server", RELIABLE)
    asked = bench.ask_for("look-at", target=TABLE)
    assert (asked.status, bench.arm.done) == (SkillStatus.INACTIVE, [])
    assert "May I look?" in asked.message
    question = str(asked.evidence[QUESTION])
    bench.say("yes", question, source="reasoner")
    bench.say("yes", "consent-of-another")
    bench.say("yes", question)
    permitted = bench.ask_for("look-at", target=TABLE)
    assert (permitted.success, bench.arm.done) == (True, [Verb.LOOK_AT])
    assert permitted.evidence == {"permitted": "looks: ask each time (the operator said yes)"}
    again = bench.ask_for("look-at", target=TABLE)
    assert again.evidence[QUESTION] not in (question, "")
    bench.until(lambda: len(bench.decisions) == 3)
    assert outcomes(bench) == [("asked", "looks"), ("permitted", "looks"), ("asked", "looks")]
    assert failures == []


@pytest.mark.parametrize("source", ["", "reasoner", "detector", "Operator"])
def test_only_the_operator_permits(bench: Bench, source: str) -> None:
    question = str(bench.ask_for("look-at", target=TABLE).evidence[QUESTION])
    bench.say("yes", question, source)
    assert bench.ask_for("look-at", target=TABLE).evidence[QUESTION] == question
    bench.say("yes", question)
    assert bench.ask_for("look-at", target=TABLE).success


@pytest.mark.parametrize("answered", [True, False])
@pytest.mark.parametrize("said", ["stop", "please stop what you are doing and go away", "emergency stop"])
@pytest.mark.parametrize("source", ["operator", ""])
def test_a_stop_voids_what_was_permitted_and_what_was_asked(
    bench: Bench, answered: bool, said: str, source: str
) -> None:
    logged = bench.listen(Log, "/rosout", RELIABLE)
    question = str(bench.ask_for("look-at", target=TABLE).evidence[QUESTION])
    if answered:
        bench.say("yes", question)
    bench.say(said, "", source)
    if not answered:
        bench.say("yes", question)
    bench.until(lambda: any("permissions are withdrawn" in line.msg for line in logged))
    if said == "emergency stop":
        released = bench.scopes[1].client(Trigger, "openral/release")
        bench.until(lambda: bench.arm.halted and released.service_is_ready())
        bench.until(released.call_async(Trigger.Request()).done)
    again = bench.ask_for("look-at", target=TABLE)
    assert again.evidence[QUESTION] not in (question, "")
    assert bench.arm.done == []


def test_a_goal_that_waits_for_an_answer_ends_at_a_stop(bench: Bench) -> None:
    question = str(bench.ask_for("look-at", target=TABLE).evidence[QUESTION])
    waiting = bench.begin("look-at", target=TABLE)
    bench.say("stop", "")
    bench.say("yes", question)
    bench.until(waiting.done)
    result = skill_result_from_message(waiting.result().result)
    assert (result.status, bench.arm.done) == (SkillStatus.CANCELLED, [])
    assert "the question is withdrawn" in result.message


@pytest.mark.parametrize("prompt_id", ["answer-1", ""])
def test_an_answer_that_the_reasoner_refuses_permits_nothing(bench: Bench, prompt_id: str) -> None:
    question = str(bench.ask_for("look-at", target=TABLE).evidence[QUESTION])
    logged = bench.listen(Log, "/rosout", RELIABLE)
    receipts = bench.scopes[1].publisher(PromptReceipt, "openral/prompt_receipt", RECEIPTS)
    bench.until(receipts.get_subscription_count)
    bench.say("yes", question, prompt_id=prompt_id)
    receipts.publish(PromptReceipt(prompt_id="another", outcome=PromptReceipt.OUTCOME_REFUSED))
    receipts.publish(PromptReceipt(prompt_id=prompt_id, outcome=PromptReceipt.OUTCOME_REFUSED))
    bench.until(lambda: any("it permits nothing" in line.msg for line in logged))
    assert bench.ask_for("look-at", target=TABLE).evidence[QUESTION] not in (question, "")


def test_a_goal_that_overtakes_the_answer_waits_for_it(bench: Bench) -> None:
    question = str(bench.ask_for("look-at", target=TABLE).evidence[QUESTION])
    waiting = bench.begin("look-at", target=TABLE)
    bench.say("yes", question)
    bench.until(waiting.done)
    assert waiting.result().result.success


def test_a_no_and_silence_permit_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consent, "ANSWER_GRACE", 0.1)
    question = str(bench.ask_for("look-at", target=TABLE).evidence[QUESTION])
    assert bench.ask_for("look-at", target=TABLE).evidence[QUESTION] == question
    bench.say("no", question)
    waiting = bench.begin("look-at", target=TABLE)
    bench.until(waiting.done)
    bench.say("yes", question)
    assert not bench.ask_for("look-at", target=TABLE).success
    assert bench.arm.done == []


def test_what_is_never_permitted_is_refused_with_the_rule_and_not_offered(bench: Bench) -> None:
    failures = bench.listen(FailureTrigger, "openral/failure/skill_server", RELIABLE)
    catalogues = bench.listen(SkillCatalogue, "openral/skills", LATCHED)
    refused = bench.ask_for("grasp", target=TABLE, label="bread knives")
    assert (refused.status, refused.evidence) == (
        SkillStatus.BAD_REQUEST,
        {"refused": "knives: never (sharp)"},
    )
    stairs = bench.ask_for("navigate", goal=Pose.planar(5.9, 5.5, 0.0))
    assert "keep-out zone 'stairs'" in stairs.message
    assert bench.ask_for("grasp", target=TABLE, label="mug").evidence == {}
    bench.until(lambda: len(bench.decisions) == 3 and len(failures) == 2 and catalogues)
    assert outcomes(bench) == [
        ("refused", "knives"),
        ("refused", "keep_out stairs"),
        ("permitted", "default"),
    ]
    assert catalogues[-1].verbs == ["GRASP", "LOOK_AT", "NAVIGATE"]
    assert bench.arm.done == [Verb.GRASP]


def test_an_object_is_what_memory_knows_whatever_the_goal_calls_it(bench: Bench) -> None:
    bench.remember("butter spreader", "knife")
    for params in ({"label": "spoon"}, {"label": "kn\u0456fe"}, {"label": ""}):
        bench.until(lambda given=params: bench.ask_for("grasp", target=TABLE, **given).evidence)
    assert bench.arm.done == []
    assert "refused" in bench.ask_for("grasp", target=Pose((4.0, 4.0, 0.8)), label="spoon").evidence


def test_what_only_searches_named_is_asked_about_until_it_is_put_down(bench: Bench) -> None:
    bench.remember("butter spreader", "spoon", unprompted=())
    take, put = {"target": TABLE, "label": "spoon"}, {"target": Pose((4.0, 4.0, 0.8))}
    bench.until(lambda: QUESTION in bench.ask_for("grasp", **take).evidence)
    for rskill, params in (("grasp", take), ("place", put)):
        asked = bench.ask_for(rskill, **params)
        assert "object that a search called butter spreader or spoon" in asked.message
        bench.say("yes", str(asked.evidence[QUESTION]))
        assert bench.ask_for(rskill, **params).success
        bench.arm.holding = "spoon"
    assert bench.arm.done[-2:] == [Verb.GRASP, Verb.PLACE]


def test_the_hand_holds_what_it_took_and_may_hold_anything_from_before_a_restart(bench: Bench) -> None:
    bench.arm.holding = "spoon"
    assert "refused" in bench.ask_for("place", target=Pose((4.0, 4.0, 0.8))).evidence
    bench.arm.holding = ""
    assert bench.ask_for("grasp", target=TABLE, label="mug").success
    bench.arm.holding = "mug"
    placed = bench.ask_for("place", target=Pose((4.0, 4.0, 0.8)))
    assert (placed.success, placed.evidence) == (True, {})


def test_the_policy_is_published_for_the_palette(bench: Bench) -> None:
    policies = bench.listen(String, "openral/policy", LATCHED)
    bench.until(lambda: policies)
    assert [name for name, _ in parse_policy(policies[0].data).named_rules] == ["knives", "looks", "doors"]


def test_a_wrong_policy_starts_nothing(ros_context: Any, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("rules: [{permit: perhaps}]")
    node = rclpy.create_node("skill_server", context=ros_context)
    scope = ResourceScope(node)
    with pytest.raises(InvalidPolicy, match="'ask once'"):
        SkillServer(scope, node, Registry.load([RSKILLS]), Arm(), SkillServerOptions(policy=str(file)))
    scope.close()
    node.destroy_node()
