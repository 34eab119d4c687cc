"""Conversion of a call's outcome into an event."""

from collections.abc import Callable

from openral_core.errors import OpenRALError
from openral_reasoner.events import CallFailed, Event
from openral_reasoner_ros.dispatcher import Post
from openral_ros.service_client import CallError, ServiceTimedOut, ServiceUnavailable


def call_failed(call_id: str, error: Exception) -> CallFailed:
    """Return the event of a call to an unreachable, crashed or misbehaving peer."""
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
"""Exceptions that the conversion of an invalid message can raise."""


def answered(call_id: str, convert: Callable[..., Event], post: Post) -> Callable[[object], None]:
    """Return a callback that posts the converted response, or the reason why there is none."""

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
