"""A client is answered, typed, when the callback that should have answered it broke."""

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any, Protocol, TypeAlias

from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.exceptions import InvalidHandle
from rclpy.service import Service

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import CallbackGuard, FatalNodeError, in_words

FailureAnswer: TypeAlias = Callable[[Any, str], Any]
"""Makes the response to a request from words."""

STATUSES = ("INTERNAL_ERROR", "DETECTOR_ERROR", "SKILL_ERROR")
"""Which constant of a response stands for a broken server; the first that its type has."""


class NoFailureAnswer(OpenRALError):
    """A service whose response has no way to say that its server broke."""

    def __init__(self, response_type: type) -> None:
        super().__init__(
            f"{response_type.__name__} cannot say that its server broke: "
            f"it needs a status with one of {', '.join(STATUSES)}, or 'success', and a 'message'"
        )


class ServiceType(Protocol):
    """The class that a .srv file becomes."""

    Response: Callable[[], object]


def failure_answer(service_type: type[ServiceType]) -> FailureAnswer:
    """How to answer a request of this type when its callback broke.

    Raises:
        NoFailureAnswer: If a response of this type cannot say so.
    """
    if service_type in _OF_ROS:
        return _OF_ROS[service_type]
    fill_failure(service_type.Response(), "")
    return lambda _, words: fill_failure(service_type.Response(), words)


def own_failure_answer(service_type: type[ServiceType]) -> FailureAnswer:
    """The same for the services that every node has; one that cannot say so answers with nothing in it."""
    return _OF_ROS.get(service_type, lambda _, words: service_type.Response())


def fill_failure(response: object, words: str) -> object:
    """Have a response, or an action's result, say that its server broke.

    Raises:
        NoFailureAnswer: If it cannot.
    """
    status = next((getattr(response, each) for each in STATUSES if hasattr(response, each)), None)
    if status is not None:
        response.status = status  # type: ignore[attr-defined]
    elif not hasattr(response, "success"):
        raise NoFailureAnswer(type(response))
    if hasattr(response, "message"):
        response.message = words
    return response


def guard_service(guard: CallbackGuard, source: str, service: Service, failure: FailureAnswer) -> None:
    """Have a service answer ``failure`` when its callback raises or its response cannot be sent."""
    send, service.callback = service.send_response, _guarded(guard, source, service.callback, failure)

    def send_or_say_why(response: object, header: object) -> None:
        try:
            send(response, header)
        except InvalidHandle:
            return  # destroyed meanwhile
        except Exception as error:
            guard.caught(source, error)
            send(failure(None, in_words(error)), header)

    service.send_response = send_or_say_why


def _guarded(
    guard: CallbackGuard, source: str, callback: Callable[..., Any], failure: FailureAnswer
) -> Callable[..., Any]:
    def broke(request: object, error: Exception) -> object:
        guard.caught(source, error)
        return failure(request, in_words(error))

    def answer(request: object, response: object) -> object:
        try:
            return callback(request, response)
        except FatalNodeError:
            raise
        except Exception as error:
            return broke(request, error)

    async def answer_later(request: object, response: object) -> object:
        try:
            return await callback(request, response)
        except FatalNodeError:
            raise
        except Exception as error:
            return broke(request, error)

    return answer_later if iscoroutinefunction(callback) else answer


def _each_refused(request: SetParameters.Request | None, words: str) -> SetParameters.Response:
    refused = SetParametersResult(successful=False, reason=words)
    count = len(request.parameters) if request is not None else 1
    return SetParameters.Response(results=[refused] * count)


_OF_ROS: Mapping[type, FailureAnswer] = {
    ChangeState: lambda _, words: ChangeState.Response(success=False),
    SetParameters: _each_refused,
    SetParametersAtomically: lambda _, words: SetParametersAtomically.Response(
        result=SetParametersResult(successful=False, reason=words)
    ),
}
