"""A stranger's catalogue does not stand for the server's."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from action_msgs.msg import GoalStatus

from openral_reasoner.commands import SendSkill
from openral_reasoner.events import CallFailed
from openral_reasoner_ros.clients import skill
from openral_reasoner_ros.clients.skill import (
    CATALOGUE_EXPIRY,
    MAX_CATALOGUES,
    MAX_MISSED_POLLS,
    ORPHAN_CANCEL_POLLS,
    Catalogue,
    Catalogues,
    SkillClient,
)

OWN = Catalogue(("NAVIGATE", "GRASP", "PLACE"))
FOREIGN = Catalogue(("FLY",), "a bomb", "destroying")


def test_what_the_server_says_holds_for_as_long_as_nothing_else_is_said() -> None:
    received = Catalogues().with_received(OWN, 0.0)
    assert received.verbs(1000.0) == OWN.verbs
    assert received.newest == OWN


def test_a_foreign_catalogue_takes_no_verb_away_and_is_forgotten() -> None:
    received = Catalogues().with_received(OWN, 0.0).with_received(FOREIGN, 0.5)
    assert set(OWN.verbs) <= set(received.verbs(0.6))
    received = received.with_received(OWN, 1.0)
    assert received.newest == OWN
    assert received.verbs(0.5 + CATALOGUE_EXPIRY) == OWN.verbs


def test_a_stranger_that_repeats_itself_faster_takes_no_verb_away_either() -> None:
    received = Catalogues()
    for step in range(1, 200):
        received = received.with_received(FOREIGN, 0.1 * step)
        if step % 10 == 0:
            received = received.with_received(OWN, 0.1 * step)
        assert step < 10 or set(OWN.verbs) <= set(received.verbs(0.1 * step))


def test_what_the_server_stops_doing_is_gone_after_a_while() -> None:
    received = Catalogues().with_received(OWN, 0.0)
    for second in range(1, 5):
        received = received.with_received(Catalogue(), float(second))
    assert received.verbs(5.0) == ()


def test_any_number_of_catalogues_is_bounded() -> None:
    received = Catalogues()
    for number in range(100):
        received = received.with_received(Catalogue((str(number),)), 0.0)
    assert len(received.received) == MAX_CATALOGUES


class GoalHandle:
    """An accepted goal whose cancellations and result requests are counted."""

    def __init__(self) -> None:
        self.accepted, self.cancelled, self.results = True, 0, list[Future[Any]]()

    def cancel_goal_async(self) -> None:
        self.cancelled += 1

    def get_result_async(self) -> Future[Any]:
        self.results.append(Future())
        return self.results[-1]


class Server:
    """A skill server that can fall silent."""

    def __init__(self) -> None:
        self.available, self.sent = True, Future[GoalHandle]()

    def server_is_ready(self) -> bool:
        return True

    def send_goal_async(
        self, goal: object, feedback_callback: object, goal_uuid: object = None
    ) -> Future[GoalHandle]:
        return self.sent

    def destroy(self) -> None: ...

    def poll(self) -> None: ...


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(skill, "ActionClient", lambda *_: server)
    monkeypatch.setattr(skill, "ServiceMonitor", lambda *_: server)
    monkeypatch.setattr(skill, "skill_goal_message", lambda *_: None)
    return server


@pytest.fixture
def posted() -> list[Any]:
    return []


@pytest.fixture
def client(server: Server, posted: list[Any]) -> SkillClient:
    """A client that has sent a goal, which the server has not answered yet."""
    scope = SimpleNamespace(callback=lambda *_: None, subscription=lambda *_: None)
    traces = SimpleNamespace(traceparent=lambda call_id: "")
    client = SkillClient(scope, None, posted.append, traces, 1.0)  # type: ignore[arg-type]
    client.send(SendSkill.model_construct(call_id="1", goal=None))
    return client


def fall_silent(server: Server, client: SkillClient) -> None:
    server.available = False
    for _ in range(MAX_MISSED_POLLS):
        client.poll()
    server.available = True


def ended(status: int) -> Any:
    return SimpleNamespace(status=status)


def test_the_result_of_an_abandoned_goal_is_asked_for_once(
    server: Server, client: SkillClient, posted: list[Any]
) -> None:
    handle = GoalHandle()
    server.sent.set_result(handle)
    fall_silent(server, client)
    assert [type(event) for event in posted] == [CallFailed]
    for _ in range(ORPHAN_CANCEL_POLLS - 1):
        client.poll()
    assert not client.alive
    assert handle.cancelled == 1 + ORPHAN_CANCEL_POLLS - 1
    assert len(handle.results) == 2  # for the goal itself, then for the abandoned one
    handle.results[1].set_result(ended(GoalStatus.STATUS_CANCELED))
    assert client.alive


def test_a_goal_whose_acceptance_was_lost_is_cancelled_when_the_server_is_back(
    server: Server, client: SkillClient, posted: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = GoalHandle()
    monkeypatch.setattr(skill, "ClientGoalHandle", lambda *_: handle)
    fall_silent(server, client)
    assert [type(event) for event in posted] == [CallFailed]
    client.poll()
    assert handle.cancelled == 2
    handle.results[0].set_result(ended(GoalStatus.STATUS_UNKNOWN))
    assert not client.alive, "the request may still be on its way"
    for _ in range(ORPHAN_CANCEL_POLLS):
        client.poll()
    assert client.alive
    assert handle.cancelled == 1 + ORPHAN_CANCEL_POLLS


def test_a_goal_that_is_accepted_after_it_was_given_up_is_cancelled_until_it_has_ended(
    server: Server, client: SkillClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skill, "ClientGoalHandle", lambda *_: GoalHandle())
    fall_silent(server, client)
    late = GoalHandle()
    server.sent.set_result(late)
    client.poll()
    client.poll()
    assert late.cancelled == 3
    late.results[0].set_result(ended(GoalStatus.STATUS_CANCELED))
    assert client.alive
