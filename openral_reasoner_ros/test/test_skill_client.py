"""A goal is executed once, and its result is asked for until it is known."""

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from action_msgs.msg import GoalStatus

from openral_core.skills import SkillResult, SkillStatus
from openral_msgs.msg import SkillCatalogue
from openral_reasoner.commands import CancelSkill, SendSkill
from openral_reasoner.events import OUTCOME_UNKNOWN, CallFailed, SkillEnded
from openral_reasoner_ros import catalogues, skill_client
from openral_reasoner_ros.skill_client import (
    ABANDONED_POLLS,
    MAX_MISSED_POLLS,
    RESULT_PERIOD,
    SUSPENSION,
    SkillClient,
)

RESULT = SkillResult(SkillStatus.SUCCEEDED, "done")


class GoalHandle:
    """A goal whose cancellations and result requests are counted."""

    goal_id = None

    def __init__(self) -> None:
        self.cancelled, self.results = 0, list[Future[Any]]()

    def cancel_goal_async(self) -> None:
        self.cancelled += 1

    def get_result_async(self) -> Future[Any]:
        self.results.append(Future())
        return self.results[-1]

    def answer(self, status: int = GoalStatus.STATUS_SUCCEEDED) -> None:
        self.results[-1].set_result(SimpleNamespace(status=status, result=RESULT))


class Server:
    """A skill server that can fall silent."""

    def __init__(self) -> None:
        self.available, self.sent = True, list[Future[Any]]()

    def server_is_ready(self) -> bool:
        return True

    def send_goal_async(self, *_: object, **__: object) -> Future[Any]:
        self.sent.append(Future())
        return self.sent[-1]

    def accept(self, *, accepted: bool = True) -> None:
        self.sent[-1].set_result(SimpleNamespace(accepted=accepted))

    def destroy(self) -> None: ...

    def poll(self) -> None: ...

    def note_activity(self) -> None: ...


class Rig:
    """A client that has sent one goal, its handle, its server, and the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.posted = 0.0, list[Any]()
        self.server, self.handle = Server(), GoalHandle()
        self.hear: Callable[[SkillCatalogue], None] = lambda message: None
        monkeypatch.setattr(skill_client, "monotonic", lambda: self.now)
        monkeypatch.setattr(skill_client, "ActionClient", lambda *_: self.server)
        monkeypatch.setattr(skill_client, "ServiceMonitor", lambda *_: self.server)
        monkeypatch.setattr(skill_client, "skill_goal_message", lambda *_: None)
        monkeypatch.setattr(skill_client, "skill_result_from_message", lambda result: result)
        monkeypatch.setattr(skill_client, "ClientGoalHandle", lambda *_: self.handle)
        monkeypatch.setattr(skill_client, "receive_feedback", lambda *_: None)
        scope = SimpleNamespace(callback=lambda *_: None, subscription=self._subscribe)
        traces = SimpleNamespace(traceparent=lambda call_id: "")
        self.client = SkillClient(scope, None, self.posted.append, traces, 1.0)  # type: ignore[arg-type]
        self.server_says("first run")
        self.client.send(SendSkill.model_construct(call_id="1", goal=None))

    def _subscribe(self, message_type: type, topic: str, callback: Any, qos: object) -> None:
        if message_type is SkillCatalogue:
            self.hear = callback

    def server_says(self, session: str) -> None:
        self.hear(SkillCatalogue(verbs=["GRASP"], session=session))

    def poll(self, times: int = 1, period: float = 0.5, session: str = "first run") -> None:
        for _ in range(times):
            self.now += period
            if self.server.available:
                self.server_says(session)
            self.client.poll()

    def fall_silent(self, polls: int) -> None:
        self.server.available = False
        self.poll(polls)
        self.server.available = True

    @property
    def conditions(self) -> list[str]:
        return [event.condition for event in self.posted if isinstance(event, CallFailed)]


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(monkeypatch)


def test_a_result_whose_response_was_lost_is_asked_for_again(rig: Rig) -> None:
    rig.server.accept()
    assert len(rig.handle.results) == 1
    rig.poll(int(RESULT_PERIOD / 0.5))
    assert len(rig.handle.results) == 2
    rig.handle.answer()
    assert rig.posted == [SkillEnded(call_id="1", result=RESULT)]
    assert len(rig.server.sent) == 1


def test_it_is_asked_for_at_once_after_a_suspension_of_this_process(rig: Rig) -> None:
    rig.server.accept()
    rig.poll(period=SUSPENSION + 0.1)
    assert len(rig.handle.results) == 2
    rig.handle.answer()
    rig.handle.results[0].set_result(SimpleNamespace(status=GoalStatus.STATUS_SUCCEEDED, result=RESULT))
    assert len(rig.posted) == 1, "the same result counts once"


def test_a_server_that_was_silent_for_a_while_tells_the_result_when_it_is_back(rig: Rig) -> None:
    rig.server.accept()
    rig.fall_silent(MAX_MISSED_POLLS - 1)
    assert not rig.posted
    rig.poll()
    rig.handle.answer()
    assert rig.posted == [SkillEnded(call_id="1", result=RESULT)]
    assert not rig.handle.cancelled


def test_the_goal_of_a_server_that_was_restarted_has_an_unknown_outcome(rig: Rig) -> None:
    rig.server.accept()
    rig.poll(int(catalogues.CATALOGUE_EXPIRY / 0.5) + 1, session="second run")
    assert rig.conditions == [OUTCOME_UNKNOWN]
    assert rig.client.alive
    assert len(rig.server.sent) == 1


def test_a_server_that_stays_silent_leaves_an_unknown_outcome_and_is_told_to_stop(rig: Rig) -> None:
    rig.server.accept()
    rig.fall_silent(MAX_MISSED_POLLS)
    assert rig.conditions == [OUTCOME_UNKNOWN]
    rig.poll()
    assert not rig.client.alive
    assert rig.handle.cancelled == 2
    rig.handle.answer(GoalStatus.STATUS_CANCELED)
    assert rig.client.alive
    assert len(rig.posted) == 1


def test_a_server_that_no_longer_knows_an_abandoned_goal_is_free_after_a_while(rig: Rig) -> None:
    rig.fall_silent(MAX_MISSED_POLLS)
    rig.poll()
    rig.handle.answer(GoalStatus.STATUS_UNKNOWN)
    assert not rig.client.alive, "the request may still be on its way"
    rig.poll(ABANDONED_POLLS)
    assert rig.client.alive


def test_a_goal_that_is_accepted_after_it_was_given_up_is_cancelled_until_it_has_ended(rig: Rig) -> None:
    rig.fall_silent(MAX_MISSED_POLLS)
    rig.poll(ABANDONED_POLLS + 1)
    before = rig.handle.cancelled
    rig.server.accept()
    rig.poll()
    assert rig.handle.cancelled == before + 2
    assert not rig.client.alive
    rig.handle.answer(GoalStatus.STATUS_CANCELED)
    assert rig.client.alive


def test_a_request_that_never_arrived_is_sent_again_to_the_same_server_alone(rig: Rig) -> None:
    rig.poll(int(RESULT_PERIOD / 0.5))
    rig.handle.answer(GoalStatus.STATUS_UNKNOWN)
    assert len(rig.server.sent) == 1, "it may still be on its way"
    rig.poll(int(catalogues.CATALOGUE_EXPIRY / 0.5))
    rig.handle.answer(GoalStatus.STATUS_UNKNOWN)
    assert len(rig.server.sent) == 2
    rig.server.accept(accepted=False)  # it did arrive: an id is accepted once
    rig.handle.answer()
    assert rig.posted == [SkillEnded(call_id="1", result=RESULT)]


def test_an_accepted_goal_that_the_server_does_not_know_any_more_is_not_sent_again(rig: Rig) -> None:
    rig.server.accept()
    rig.handle.answer(GoalStatus.STATUS_UNKNOWN)
    assert rig.conditions == [OUTCOME_UNKNOWN]
    rig.poll(ABANDONED_POLLS + 2)
    assert len(rig.server.sent) == 1


def test_a_rejected_goal_is_known_not_to_be_carried_out(rig: Rig) -> None:
    rig.server.accept(accepted=False)
    rig.handle.answer(GoalStatus.STATUS_UNKNOWN)
    assert rig.conditions == ["REJECTED"]


def test_a_cancellation_is_repeated_until_the_goal_has_ended(rig: Rig) -> None:
    rig.server.accept()
    rig.client.cancel(CancelSkill(call_id="1"))
    rig.poll(3)
    assert rig.handle.cancelled == 4
    rig.handle.answer(GoalStatus.STATUS_CANCELED)
    rig.poll()
    assert rig.handle.cancelled == 4


def test_a_goal_that_was_cancelled_before_it_was_adopted_is_cancelled(rig: Rig) -> None:
    rig.client.cancel(CancelSkill(call_id="2"))
    assert not rig.handle.cancelled
    rig.client.adopt(SendSkill.model_construct(call_id="2", goal=None), "first run")
    assert rig.handle.cancelled == 1
