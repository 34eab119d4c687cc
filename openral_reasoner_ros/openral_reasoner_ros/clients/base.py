"""What came of a call, as an event."""

from collections.abc import Callable

from openral_core.errors import OpenRALError
from openral_reasoner.events import CallFailed, Event
from openral_reasoner_ros.dispatcher import Post
from openral_ros.service_client import CallError, ServiceTimedOut, ServiceUnavailable


def call_failed(call_id: str, error: Exception) -> CallFailed:
    """A peer that could not be reached, broke off, or answered what no contract allows."""
    if isinstance(error, ServiceUnavailable):
        condition = "UNAVAILABLE"
    elif isinstance(error, ServiceTimedOut):
        condition = "TIMEOUT"
    elif isinstance(error, CallError):
        condition = "BROKEN_OFF"
    else:
        condition = "BAD_ANSWER"
    return CallFailed(call_id=call_id, condition=condition, message=str(error))


BAD_ANSWERS = (OpenRALError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What converting a lying peer's message can raise."""


def answered(call_id: str, convert: Callable[..., Event], post: Post) -> Callable[[object], None]:
    """Turns a call's outcome into an event: the converted answer, or why there is none."""

    def on_done(outcome: object) -> None:
        if isinstance(outcome, CallError):
            post(call_failed(call_id, outcome))
            return
        try:
            event = convert(outcome)
        except BAD_ANSWERS as error:
            event = call_failed(call_id, error)
        post(event)

    return on_done
