"""A prompt by service ends with a receipt: the reasoner's, or the reason that there is none."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
import rclpy
from std_msgs.msg import Header

from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_msgs.srv import Prompt
from openral_ros import prompt_service
from openral_ros.emergency_stop import EmergencyStop, StopParameters
from openral_ros.prompt_client import PROMPT, RECEIPT
from openral_ros.prompt_service import SEND_PROMPT
from openral_ros.qos import RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope


class Graph:
    """A skill server, a reasoner that may hang, and a caller."""

    def __init__(self, context: Any, spin_until: Callable[..., None]) -> None:
        self.node, self._spin_until = rclpy.create_node("skill_server", context=context), spin_until
        self.scope = ResourceScope(self.node)
        self.halts: list[str] = []
        self.goals_stopped: list[str] = []
        EmergencyStop(
            self.scope,
            self.node,
            StopParameters(),
            lambda state: self.halts.append(state.reason),
            self.goals_stopped.append,
        )
        self.heard: list[PromptStamped] = []
        self.receipts = self.scope.publisher(PromptReceipt, RECEIPT, RECEIPTS)
        self.scope.subscription(PromptStamped, PROMPT, self._hear, RELIABLE)
        self.client, self.hangs = self.scope.client(Prompt, SEND_PROMPT), False

    def _hear(self, prompt: PromptStamped) -> None:
        self.heard.append(prompt)
        if not self.hangs:
            self.receipts.publish(
                PromptReceipt(prompt_id=prompt.id, mission_id="m1", message="1 goal before it")
            )

    def call(self, text: str, source: str = "operator", **fields: str) -> Prompt.Response:
        self._spin_until([self.node], self.client.service_is_ready, 10.0)
        prompt = PromptStamped(header=Header(frame_id=source), text=text, **fields)
        answer = self.client.call_async(Prompt.Request(prompt=prompt))
        self._spin_until([self.node], answer.done, 20.0)
        return answer.result()


@pytest.fixture
def graph(ros_context: Any, spin_until: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(prompt_service, "STOP_TIMEOUT", 0.5)
    monkeypatch.setattr(prompt_service, "RECEIPT_TIMEOUT", 0.5)
    made = Graph(ros_context, spin_until)
    yield made
    made.scope.close()
    made.node.destroy_node()


@pytest.mark.parametrize("source", ["operator", ""])
def test_the_answer_is_the_receipt_of_the_operators_prompt(graph: Graph, source: str) -> None:
    answer = graph.call("find the mug", source, id="mine", requester="ana")
    assert (answer.success, answer.message) == (True, "1 goal before it")
    assert (answer.receipt.prompt_id, answer.receipt.mission_id) == ("mine", "m1")
    heard = graph.heard[0]
    assert (heard.header.frame_id, heard.requester, heard.text) == ("operator", "ana", "find the mug")
    assert heard.header.stamp.sec > 0


def test_a_prompt_without_an_id_gets_one_and_another_source_is_refused(graph: Graph) -> None:
    assert graph.call("find the mug").receipt.prompt_id.startswith("service-")
    refused = graph.call("find the mug", "reasoner")
    assert not refused.success
    assert "'operator'" in refused.message
    assert len(graph.heard) == 1


def test_a_stop_counts_while_the_reasoner_hangs_and_a_goal_is_not_claimed(graph: Graph) -> None:
    graph.hangs = True
    stopped = graph.call("stop")
    assert (stopped.success, stopped.receipt.outcome) == (True, PromptReceipt.OUTCOME_STOPPED)
    assert "the reasoner has not acknowledged" in stopped.message
    assert graph.goals_stopped
    assert graph.call("emergency stop").success
    assert graph.halts == ["the operator said 'emergency stop'"]
    lost = graph.call("find the mug")
    assert (lost.success, lost.receipt.outcome) == (False, PromptReceipt.OUTCOME_REFUSED)
    assert "has not acknowledged 'find the mug'" in lost.message


def test_two_calls_with_one_id_both_end(graph: Graph) -> None:
    graph.call("find the mug", id="twice")
    calls = [
        graph.client.call_async(Prompt.Request(prompt=PromptStamped(id="twice", text="find the mug")))
        for _ in range(2)
    ]
    graph._spin_until([graph.node], lambda: all(call.done() for call in calls), 20.0)
    assert [call.result().success for call in calls] == [True, True]


def test_a_flood_of_goals_is_refused_but_no_stop_is(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_service, "MAX_PENDING", 0)
    assert "earlier prompts" in graph.call("find the mug").message
    assert graph.call("stop").success


def test_a_stop_that_the_reasoner_missed_is_said_again_until_it_acknowledges(
    graph: Graph, spin_until: Callable[..., None]
) -> None:
    said = graph.scope.publisher(PromptStamped, PROMPT, RELIABLE)
    spin_until([graph.node], lambda: said.get_subscription_count() >= 2, 10.0)
    graph.hangs = True
    said.publish(PromptStamped(header=Header(frame_id="operator"), text="stop"))
    spin_until([graph.node], lambda: len(graph.heard) >= 3, 10.0)
    assert len(graph.goals_stopped) == 1
    assert {each.text for each in graph.heard} == {"stop"}
    graph.receipts.publish(PromptReceipt(prompt_id="any", outcome=PromptReceipt.OUTCOME_STOPPED))
    graph.hangs = False
    graph.call("find the mug")
    heard = len(graph.heard)
    graph.call("find the cup")
    assert [each.text for each in graph.heard[heard:]] == ["find the cup"]
