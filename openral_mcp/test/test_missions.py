"""Missions: which questions only an operator answers, and what a client is told while it waits."""

from typing import Any

import anyio
import pytest

from openral_mcp.missions import MissionClient, is_for_operator
from openral_msgs.msg import Handoff, MissionStatus
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_reasoner_ros.topics import MISSION
from openral_ros.node_thread import NodeThread
from openral_ros.qos import LATCHED_HISTORY


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


def test_a_change_of_the_step_is_told_once_and_the_end_is_returned(ros_domain: int) -> None:
    thread, told = NodeThread("openral_mcp"), list[str]()
    client = MissionClient(thread, MissionMonitor(thread.scope))
    statuses = thread.scope.publisher(MissionStatus, MISSION, LATCHED_HISTORY)

    def publish(state: int, step: str) -> None:
        statuses.publish(MissionStatus(mission_id="m1", state=state, step=step))

    async def progress(doing: str) -> None:
        told.append(doing)
        publish(MissionStatus.STATE_ACTIVE, "recall_object")
        if len(told) > 1:
            publish(MissionStatus.STATE_SUCCEEDED, "done")

    async def main() -> Any:
        publish(MissionStatus.STATE_ACTIVE, "started")
        return await client.follow("m1", 20.0, progress)

    with thread:
        last = anyio.run(main)
    assert last.state == MissionStatus.STATE_SUCCEEDED
    assert told == ["ACTIVE: started", "ACTIVE: recall_object", "SUCCEEDED: done"]
