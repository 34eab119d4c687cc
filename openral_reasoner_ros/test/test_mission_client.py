"""Missions, questions and silence are noticed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.node import Node

from openral_core.missions import MissionState, state_name
from openral_msgs.msg import Handoff, MissionStatus
from openral_reasoner_ros import mission_client
from openral_reasoner_ros.mission_client import MissionLost, MissionMonitor
from openral_reasoner_ros.topics import HANDOFF, MISSION
from openral_ros.qos import LATCHED, LATCHED_HISTORY
from openral_ros.resources import ResourceScope

SpinUntil = Callable[..., None]


class Peer:
    """Node of the client under test."""

    def __init__(self, context: Any) -> None:
        self.node = Node("peer", context=context)
        self.scope = ResourceScope(self.node)


@pytest.fixture
def peer(ros_context: Any) -> Iterator[Peer]:
    made = Peer(ros_context)
    yield made
    made.scope.close()
    made.node.destroy_node()


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
