"""Missions: what is kept of the reasoner's messages, and which questions only an operator answers."""

from collections.abc import Callable
from typing import Any

import pytest

from openral_mcp import missions
from openral_mcp.graph_thread import GraphThread
from openral_mcp.missions import MissionMonitor, is_for_operator
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt
from openral_reasoner_ros.topics import HANDOFF, MISSION, RECEIPT
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS


def test_statuses_receipts_and_questions_are_kept_up_to_a_limit(
    ros_domain: int, monkeypatch: pytest.MonkeyPatch, wait_until: Callable[..., Any]
) -> None:
    monkeypatch.setattr(missions, "MAX_KEPT", 3)
    thread = GraphThread()
    monitor = MissionMonitor(thread)
    statuses = thread.scope.publisher(MissionStatus, MISSION, LATCHED_HISTORY)
    receipts = thread.scope.publisher(PromptReceipt, RECEIPT, RECEIPTS)
    questions = thread.scope.publisher(Handoff, HANDOFF, LATCHED)
    with thread:
        for number in range(5):
            statuses.publish(MissionStatus(mission_id=f"m{number}", state=MissionStatus.STATE_ACTIVE))
            receipts.publish(PromptReceipt(prompt_id=f"p{number}"))
        questions.publish(Handoff(id="q", mission_id="m4", question="where?"))
        wait_until(lambda: monitor.receipt("p4") and monitor.question("q"))
        wait_until(lambda: monitor.status("m4") is not None)
        latest = monitor.status()
        assert latest is not None
        assert latest.mission_id == "m4"
        assert monitor.status("m0") is None
        assert monitor.receipt("p0") is None
        assert monitor.open_question(latest) is None, "the mission does not wait"
        waiting = MissionStatus(mission_id="m4", state=MissionStatus.STATE_WAITING_FOR_HUMAN)
        question = monitor.open_question(waiting)
        assert question is not None
        assert question.id == "q"


@pytest.mark.parametrize(
    ("question", "choices", "expected"),
    [
        ("May I OPEN the fridge?", ["yes", "no"], True),
        ("Where is the mug?", [], False),
        ("Is it the red one?", ["yes", "no"], False),
    ],
)
def test_a_request_for_approval_is_for_the_operator(
    question: str, choices: list[str], expected: bool
) -> None:
    assert is_for_operator(Handoff(question=question, choices=choices)) is expected
