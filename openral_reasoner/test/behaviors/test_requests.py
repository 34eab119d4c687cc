"""Requests to peers: budget, deadline, record, and a typed answer."""

from collections.abc import Callable
from typing import Any

import pytest

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.spatial_memory import RecallResult, RecallStatus
from openral_reasoner.behaviors.requests import (
    SLACK,
    RequestFailed,
    change_state,
    locate,
    observe,
    pause,
    read_scene,
    recall,
    resolve,
)
from openral_reasoner.commands import CallLocate, ClearDeadline, Command, SetDeadline
from openral_reasoner.context import CallEvent
from openral_reasoner.events import CallFailed, Event
from openral_reasoner.evidence import Answered, Referred
from openral_reasoner.mission import Mission, Procedure
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_procedure
from openral_testing.reasoner.symbolic_home import SymbolicHome

LOOK = LocateResult(LocateStatus.FOUND, "", "mug", "head", "sim-locator")
Request = Callable[[Mission], Procedure[Any]]
REQUESTS: dict[str, Request] = {
    "recall": lambda mission: recall(mission, "mug"),
    "resolve": lambda mission: resolve(mission, "table"),
    "observe": lambda mission: observe(mission, "m1/1-locate", LOOK),
    "change_state": lambda mission: change_state(mission, "sim-locator", True),
}


def silence(command: Command) -> Event | None:
    return None


def failure(command: Command) -> Event | None:
    if not isinstance(command, CallEvent) or isinstance(command, SetDeadline | ClearDeadline):
        return None
    return CallFailed(call_id=command.call_id, condition="unavailable", message="gone")


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_an_unanswered_request_is_a_recorded_timeout(request_: Request, mission: Mission) -> None:
    answer, _ = run_procedure(mission, request_(mission), silence)
    assert answer == RequestFailed("TIMEOUT", "no answer within the deadline")
    assert [record.status for record in mission.calls.records.values()] == ["TIMEOUT"]


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_failed_request_keeps_the_condition_and_the_peers_words(
    request_: Request, mission: Mission
) -> None:
    answer, _ = run_procedure(mission, request_(mission), failure)
    assert answer == RequestFailed("UNAVAILABLE", "gone")


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_every_deadline_is_cleared_when_its_request_ends(
    request_: Request, mission: Mission, home: SymbolicHome
) -> None:
    _, commands = run_procedure(mission, request_(mission), HomePeers(home).answer)
    deadlines = [c.call_id for c in commands if isinstance(c, SetDeadline)]
    assert deadlines
    assert [c.call_id for c in commands if isinstance(c, ClearDeadline)] == deadlines


def test_a_locator_must_answer_before_our_own_deadline(mission: Mission, home: SymbolicHome) -> None:
    _, commands = run_procedure(mission, locate(mission, "mug", "", "sim-locator"), HomePeers(home).answer)
    (asked,) = [c for c in commands if isinstance(c, CallLocate)]
    (deadline,) = [c for c in commands if isinstance(c, SetDeadline)]
    assert deadline.seconds - asked.deadline == SLACK


@pytest.mark.parametrize(
    ("peers", "status"), [(silence, LocateStatus.TIMEOUT), (failure, LocateStatus.DETECTOR_ERROR)]
)
def test_a_locator_that_does_not_answer_is_no_evidence_of_absence(
    peers: Callable[[Command], Event | None], status: LocateStatus, mission: Mission
) -> None:
    (_, result), _ = run_procedure(mission, locate(mission, "mug", "", "sim-locator"), peers)
    assert result.status is status


def test_a_locator_that_has_left_the_graph_costs_nothing(mission: Mission) -> None:
    left = mission.ledger.left("locates")
    (call_id, result), commands = run_procedure(mission, locate(mission, "mug", "", "gone"), silence)
    assert (call_id, result.status, commands) == ("", LocateStatus.DETECTOR_ERROR, [])
    assert mission.ledger.left("locates") == left


def test_a_detector_that_is_no_peer_is_not_asked_to_change_state(mission: Mission) -> None:
    answer, commands = run_procedure(mission, change_state(mission, "other-locator", True), silence)
    assert answer == RequestFailed("UNAVAILABLE", "no longer in the graph")
    assert commands == []


def test_a_recall_spends_its_budget_and_is_evidence(mission: Mission, home: SymbolicHome) -> None:
    left = mission.ledger.left("recalls")
    answer, _ = run_procedure(mission, recall(mission, "mug"), HomePeers(home).answer)
    assert isinstance(answer, RecallResult)
    assert answer.status is RecallStatus.FOUND
    assert mission.ledger.left("recalls") == left - 1
    (fact,) = mission.evidence.facts
    assert isinstance(fact, Answered)
    assert [node.id for node in fact.nodes] == ["mug_1"]


def test_a_resolved_reference_is_evidence_and_an_unknown_one_is_not(
    mission: Mission, home: SymbolicHome
) -> None:
    run_procedure(mission, resolve(mission, "narnia"), HomePeers(home).answer)
    run_procedure(mission, resolve(mission, "me"), HomePeers(home).answer)
    assert mission.evidence.facts == (Referred("me", ("ana",)),)


def test_a_scene_that_cannot_be_read_is_empty(mission: Mission, home: SymbolicHome) -> None:
    (graph, robot), _ = run_procedure(mission, read_scene(mission), silence)
    assert (graph.nodes, robot) == ((), None)
    (graph, robot), _ = run_procedure(mission, read_scene(mission), HomePeers(home).answer)
    assert "table_1" in graph.by_id
    assert robot is not None


def test_a_pause_lasts_as_long_as_asked(mission: Mission) -> None:
    _, commands = run_procedure(mission, pause(mission, 0.7), silence)
    assert [c.seconds for c in commands if isinstance(c, SetDeadline)] == [0.7]
