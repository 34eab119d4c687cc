"""A goal's client is answered once, and in time even by a robot that hangs."""

from typing import Any

import pytest

pytest.importorskip("rclpy")

from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_ros import skill_server as ongoing_goal
from openral_ros.skill_server import STOP_GRACE, ActiveGoal, QueuedGoal

STOPPED = SkillResult(SkillStatus.CANCELLED, "cancelled while driving")


class Handle:
    """A client that may have asked to cancel."""

    def __init__(self) -> None:
        self.is_cancel_requested = False
        self.told: list[Any] = []

    def publish_feedback(self, feedback: Any) -> None:
        self.told.append(feedback)


class Clock:
    """Steady time that a test turns."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(ongoing_goal, "monotonic", clock)
    return clock


@pytest.fixture
def order() -> QueuedGoal:
    return QueuedGoal(ValidatedGoal("navigate", Verb.NAVIGATE, {}, 10.0), "", lambda result: None)


@pytest.fixture
def ongoing(clock: Clock, order: QueuedGoal) -> ActiveGoal:
    return ActiveGoal(Handle(), order)


def watch(ongoing: ActiveGoal, clock: Clock, seconds: float) -> None:
    for _ in range(round(seconds / 0.1)):
        clock.now += 0.1
        ongoing.check_deadline()


def test_time_in_which_the_server_was_suspended_does_not_count(
    ongoing: ActiveGoal, order: QueuedGoal, clock: Clock
) -> None:
    watch(ongoing, clock, 5.0)
    clock.now += 20.0
    watch(ongoing, clock, 4.0)
    assert not order.cancelled.is_set()
    watch(ongoing, clock, 1.5)
    assert order.cancelled.is_set()


def test_the_robot_is_stopped_at_the_deadline_and_not_before(
    ongoing: ActiveGoal, order: QueuedGoal, clock: Clock
) -> None:
    watch(ongoing, clock, 9.9)
    assert not order.cancelled.is_set()
    watch(ongoing, clock, 0.2)
    assert order.cancelled.is_set()
    assert not ongoing.ended.done()
    ongoing.end(STOPPED)
    assert ongoing.ended.result().status is SkillStatus.TIMEOUT


def test_a_robot_that_does_not_stop_is_a_timeout_all_the_same(ongoing: ActiveGoal, clock: Clock) -> None:
    watch(ongoing, clock, 10.1 + STOP_GRACE)
    assert ongoing.ended.result().status is SkillStatus.TIMEOUT
    assert "has not stopped" in ongoing.ended.result().message
    ongoing.end(SkillResult(SkillStatus.SUCCEEDED, "arrived"))
    assert ongoing.ended.result().status is SkillStatus.TIMEOUT


def test_a_goal_its_client_cancelled_is_cancelled_however_late(ongoing: ActiveGoal, clock: Clock) -> None:
    ongoing.handle.is_cancel_requested = True
    clock.now += 20.0
    ongoing.end(STOPPED)
    assert ongoing.ended.result() == STOPPED


def test_what_succeeds_just_after_its_deadline_has_succeeded(ongoing: ActiveGoal, clock: Clock) -> None:
    clock.now += 10.1
    ongoing.end(SkillResult(SkillStatus.SUCCEEDED, "arrived"))
    assert ongoing.ended.result().success


def test_only_news_is_told(ongoing: ActiveGoal) -> None:
    for feedback in (
        Feedback("", 0.0),
        Feedback("driving", 0.1),
        Feedback("driving", 0.1),
        Feedback("driving", 0.2),
    ):
        ongoing.publish_feedback(feedback)
    assert [round(reported.progress, 3) for reported in ongoing.handle.told] == [0.1, 0.2]
