"""Prompts are repeated until they are acknowledged."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.node import Node

from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_ros import prompt_client
from openral_ros.prompt_client import PROMPT, RECEIPT, NotAcknowledged, PromptClient
from openral_ros.qos import RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope

SpinUntil = Callable[..., None]


class Peer:
    """Client under test and a reasoner that acknowledges from the ``deaf``-th publication on."""

    def __init__(self, context: Any) -> None:
        self.node, self.deaf, self.heard = Node("peer", context=context), 0, list[PromptStamped]()
        self.scope = ResourceScope(self.node)
        self.prompts = PromptClient(self.scope, self.node, "test")
        self.receipts = self.scope.publisher(PromptReceipt, RECEIPT, RECEIPTS)
        self.outcomes: list[PromptReceipt | NotAcknowledged] = []

    def listen(self) -> None:
        self.scope.subscription(PromptStamped, PROMPT, self._hear, RELIABLE)

    def _hear(self, prompt: PromptStamped) -> None:
        self.heard.append(prompt)
        if len(self.heard) > self.deaf:
            self.receipts.publish(PromptReceipt(prompt_id="of another client"))
            self.receipts.publish(PromptReceipt(prompt_id=prompt.id, mission_id="m1"))


@pytest.fixture
def peer(ros_context: Any) -> Iterator[Peer]:
    made = Peer(ros_context)
    yield made
    made.scope.close()
    made.node.destroy_node()


def test_a_prompt_is_repeated_with_its_id_until_a_receipt_names_it(peer: Peer, spin_until: SpinUntil) -> None:
    peer.deaf = 2
    peer.listen()
    peer.prompts.send(peer.outcomes.append, 20.0, text="find the mug", requester="ana")
    assert peer.prompts.unacknowledged == 1
    spin_until([peer.node], lambda: peer.outcomes, 20.0)
    assert [outcome.mission_id for outcome in peer.outcomes] == ["m1"]
    assert len({prompt.id for prompt in peer.heard}) == 1
    first = peer.heard[0]
    assert (first.text, first.requester, first.header.frame_id) == ("find the mug", "ana", "operator")
    assert first.id.startswith("test-")
    assert peer.prompts.unacknowledged == 0


def test_a_subscriber_that_comes_later_gets_the_prompt_at_once(
    peer: Peer, spin_until: SpinUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_client, "REPEAT_PERIOD", 1000.0)
    peer.prompts.send(peer.outcomes.append, 20.0, text="find the mug")
    peer.listen()
    spin_until([peer.node], lambda: peer.outcomes, 15.0)
    assert isinstance(peer.outcomes[0], PromptReceipt)


def test_a_prompt_to_another_namespace_has_the_id_of_the_caller(
    ros_context: Any, spin_until: SpinUntil
) -> None:
    node, heard, outcomes = Node("peer", context=ros_context), list[PromptStamped](), list[object]()
    scope = ResourceScope(node)
    client = PromptClient(scope, node, "test", namespace="/r1")
    receipts = scope.publisher(PromptReceipt, f"/r1/{RECEIPT}", RECEIPTS)
    scope.subscription(PromptStamped, f"/r1/{PROMPT}", heard.append, RELIABLE)
    client.send(outcomes.append, 20.0, prompt_id="mine", text="find the mug")
    spin_until([node], lambda: heard, 15.0)
    assert heard[0].id == "mine"
    receipts.publish(PromptReceipt(prompt_id="mine"))
    spin_until([node], lambda: outcomes, 15.0)
    scope.close()
    node.destroy_node()


def test_a_prompt_that_is_withdrawn_is_neither_repeated_nor_reported(
    peer: Peer, spin_until: SpinUntil
) -> None:
    peer.deaf = 1000
    peer.listen()
    peer.prompts.send(peer.outcomes.append, 20.0, prompt_id="old", text="find the mug")
    spin_until([peer.node], lambda: peer.heard, 15.0)
    peer.prompts.withdraw("old")
    assert peer.prompts.unacknowledged == 0
    peer.prompts.send(peer.outcomes.append, 20.0, prompt_id="new", text="find the mug")
    spin_until([peer.node], lambda: [each.id for each in peer.heard].count("new") > 2, 15.0)
    assert [each.id for each in peer.heard].count("old") == 1
    assert peer.outcomes == []


def test_a_prompt_without_a_receipt_ends_and_the_next_one_is_sent(peer: Peer, spin_until: SpinUntil) -> None:
    peer.prompts.send(peer.outcomes.append, 0.3, text="stop")
    spin_until([peer.node], lambda: peer.outcomes, 10.0)
    error = peer.outcomes[0]
    assert isinstance(error, NotAcknowledged)
    assert "'stop' within 0.3 s" in str(error)
    peer.listen()
    peer.prompts.send(peer.outcomes.append, 20.0, text="stop")
    spin_until([peer.node], lambda: len(peer.outcomes) == 2, 20.0)
    assert isinstance(peer.outcomes[1], PromptReceipt)
