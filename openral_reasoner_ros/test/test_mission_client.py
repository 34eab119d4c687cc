"""Prompts are repeated until they are acknowledged; missions, questions and silence are noticed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.node import Node

from openral_core.missions import MissionState, state_name
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt, PromptStamped
from openral_reasoner_ros import mission_client
from openral_reasoner_ros.mission_client import MissionLost, MissionMonitor, NotAcknowledged, PromptClient
from openral_reasoner_ros.topics import HANDOFF, MISSION, PROMPT, RECEIPT
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE
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
    monkeypatch.setattr(mission_client, "REPEAT_PERIOD", 1000.0)
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


def test_statuses_and_questions_are_kept_up_to_a_limit(
    peer: Peer, spin_until: SpinUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mission_client, "MAX_KEPT", 3)
    monitor = MissionMonitor(peer.scope)
    statuses = peer.scope.publisher(MissionStatus, MISSION, LATCHED_HISTORY)
    questions = peer.scope.publisher(Handoff, HANDOFF, LATCHED)
    for number in range(5):
        statuses.publish(MissionStatus(mission_id=f"m{number}", state=MissionStatus.STATE_ACTIVE))
    questions.publish(Handoff(id="q", mission_id="m4", question="where?"))
    spin_until([peer.node], lambda: monitor.status("m4") and monitor.question("q"), 15.0)
    latest = monitor.status()
    assert latest is not None
    assert latest.mission_id == "m4"
    assert monitor.status("m0") is None
    assert monitor.open_question(latest) is None, "the mission does not wait"
    question = monitor.open_question(
        MissionStatus(mission_id="m4", state=int(MissionState.WAITING_FOR_HUMAN))
    )
    assert question is not None
    assert question.id == "q"


def test_a_busy_reader_gets_the_end_of_every_mission_that_a_stop_ended(
    peer: Peer, spin_until: SpinUntil
) -> None:
    monitor = MissionMonitor(peer.scope)
    statuses = peer.scope.publisher(MissionStatus, MISSION, LATCHED_HISTORY)
    spin_until([peer.node], lambda: statuses.get_subscription_count() > 0, 15.0)
    ended = [f"m{number}" for number in range(40)]
    for mission in ended:  # while the reader does not spin
        statuses.publish(MissionStatus(mission_id=mission, state=MissionStatus.STATE_CANCELLED))
    spin_until([peer.node], lambda: monitor.status(ended[-1]), 15.0)
    assert [mission for mission in ended if monitor.status(mission) is None] == []


def test_every_change_of_a_mission_is_kept_however_short(peer: Peer, spin_until: SpinUntil) -> None:
    monitor = MissionMonitor(peer.scope)
    statuses = peer.scope.publisher(MissionStatus, MISSION, LATCHED_HISTORY)
    active, done = MissionStatus.STATE_ACTIVE, MissionStatus.STATE_SUCCEEDED
    for state, step in [(active, "recall"), (active, "recall"), (active, "look"), (99, "new"), (done, "")]:
        statuses.publish(MissionStatus(mission_id="m", state=state, step=step))
    spin_until([peer.node], lambda: len(monitor.progress("m")) >= 4, 15.0)
    assert [(state_name(change.state), change.step) for change in monitor.progress("m", after=1)] == [
        ("ACTIVE", "look"),
        ("UNKNOWN_99", "new"),
        ("SUCCEEDED", ""),
    ]
    assert monitor.progress("another") == ()


def test_a_silent_reasoner_loses_its_mission(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = MissionMonitor(peer.scope)
    monitor.check_silence("m1")
    monkeypatch.setattr(mission_client, "SILENCE_TIMEOUT", -1.0)
    monitor.expect_status()
    with pytest.raises(MissionLost, match="mission m1 is lost: its reasoner has been silent"):
        monitor.check_silence("m1")
