"""Asking one node for its state, while what was asked before may never be answered."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy")
from lifecycle_msgs.msg import State, TransitionEvent
from lifecycle_msgs.srv import GetState

from openral_bringup.lifecycle_manager import client as client_module
from openral_core.detectors import LifecycleState
from openral_ros.service_client import ServiceTimedOut

ACTIVE = GetState.Response(current_state=State(id=State.PRIMARY_STATE_ACTIVE))
INACTIVE = GetState.Response(current_state=State(id=State.PRIMARY_STATE_INACTIVE))
LATE = ServiceTimedOut("/eye/get_state", 1.0)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[object], None]]:
    """Pending requests, in order."""
    waiting: list[Callable[[object], None]] = []

    class Caller:
        def __init__(self, *_: object) -> None:
            pass

        def __class_getitem__(cls, _: object) -> "type[Caller]":
            return cls

        def call(self, request: object, deadline: float, on_done: Callable[[object], None]) -> None:
            waiting.append(on_done)

    monkeypatch.setattr(client_module, "AsyncServiceClient", Caller)
    return waiting


@pytest.mark.parametrize(
    ("answers", "seen"),
    [
        (((1, ACTIVE), (0, LATE)), [LifecycleState.ACTIVE]),
        (((0, LATE), (1, ACTIVE)), [None, LifecycleState.ACTIVE]),
        (((0, LATE), (1, LATE)), [None, None]),
        (((1, ACTIVE), (0, INACTIVE)), [LifecycleState.ACTIVE]),
        (((0, INACTIVE), (1, ACTIVE)), [LifecycleState.INACTIVE, LifecycleState.ACTIVE]),
        (((0, ACTIVE), (1, LATE)), [LifecycleState.ACTIVE, None]),
    ],
)
def test_a_question_that_a_dead_process_took_along_holds_nobody_up(
    asked: list[Any], answers: tuple[tuple[int, object], ...], seen: list[LifecycleState | None]
) -> None:
    reported: list[LifecycleState | None] = []
    scope: Any = SimpleNamespace(subscription=lambda *_: None)
    client = client_module.NodeLifecycleClient(scope, scope, "/eye", lambda: None)
    for _ in range(2):
        client.get_state(1.0, reported.append)
    for number, answer in answers:
        asked[number](answer)
    assert reported == seen


@pytest.mark.parametrize(
    ("start", "goal", "counts"),
    [
        (State.TRANSITION_STATE_DEACTIVATING, State.PRIMARY_STATE_INACTIVE, True),
        (State.TRANSITION_STATE_CONFIGURING, State.PRIMARY_STATE_INACTIVE, False),
        (State.TRANSITION_STATE_ACTIVATING, State.PRIMARY_STATE_INACTIVE, False),
        (State.TRANSITION_STATE_DEACTIVATING, State.PRIMARY_STATE_ACTIVE, False),
        (State.PRIMARY_STATE_ACTIVE, State.TRANSITION_STATE_DEACTIVATING, False),
    ],
)
def test_what_a_node_says_of_its_deactivation_outdates_what_was_asked_before(
    asked: list[Any], start: int, goal: int, counts: bool
) -> None:
    reported: list[LifecycleState | None] = []
    hears: list[Callable[[TransitionEvent], None]] = []
    scope: Any = SimpleNamespace(subscription=lambda kind, topic, callback, qos: hears.append(callback))
    client = client_module.NodeLifecycleClient(
        scope, scope, "/eye", lambda: reported.append(LifecycleState.INACTIVE)
    )
    client.get_state(1.0, reported.append)
    hears[0](TransitionEvent(start_state=State(id=start), goal_state=State(id=goal)))
    asked[0](ACTIVE)
    assert reported == [LifecycleState.INACTIVE if counts else LifecycleState.ACTIVE]
