"""Outcomes of service calls become events: a converted response, or a typed failure."""

from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_core.errors import OpenRALError
from openral_reasoner.events import CallFailed, StateChanged
from openral_reasoner_ros.clients.base import answered
from openral_ros.service_client import ServiceFailed, ServiceTimedOut, ServiceUnavailable


@pytest.mark.parametrize(
    ("error", "condition"),
    [
        (ServiceUnavailable("/ask"), "UNAVAILABLE"),
        (ServiceTimedOut("/ask", 1.0), "TIMEOUT"),
        (ServiceFailed("/ask", "shut down"), "BROKEN_OFF"),
    ],
)
def test_a_call_without_response_fails_with_its_condition(error: Exception, condition: str) -> None:
    posted: list[Any] = []
    answered("1", lambda response: pytest.fail("there is no response"), posted.append)(error)
    assert posted == [CallFailed(call_id="1", condition=condition, message=str(error))]


def test_a_response_is_posted_once_as_it_was_converted() -> None:
    posted: list[Any] = []
    event = StateChanged(call_id="1", success=True, message="done")
    answered("1", {"raw": event}.__getitem__, posted.append)("raw")
    assert posted == [event]


@pytest.mark.parametrize("error", [OpenRALError("odd"), ValueError("odd"), ZeroDivisionError("odd")])
def test_an_invalid_response_fails_the_call_with_the_reason(error: Exception) -> None:
    posted: list[Any] = []

    def convert(response: object) -> StateChanged:
        raise error

    answered("1", convert, posted.append)("raw")
    assert posted == [CallFailed(call_id="1", condition="BAD_ANSWER", message="odd")]
