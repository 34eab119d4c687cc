"""Typed failure responses for service clients whose request raised an exception in the server."""

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any, Protocol, TypeAlias

from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.exceptions import InvalidHandle
from rclpy.service import Service

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import CallbackGuard, FatalNodeError, describe_error
from openral_ros.rclpy_internals import SendResponse, intercept_requests, intercept_responses

FailureResponder: TypeAlias = Callable[[Any, str], Any]
"""Makes the response to a request from an error message."""

STATUSES = ("INTERNAL_ERROR", "DETECTOR_ERROR", "SKILL_ERROR")
"""Constants of a response type that express an internal error; the first one it has is used."""


class NoFailureResponse(OpenRALError):
    """A response type that cannot express an internal error."""

    def __init__(self, response_type: type) -> None:
        super().__init__(
            f"{response_type.__name__} cannot express an internal error: "
            f"it needs a status with one of {', '.join(STATUSES)}, or 'success', and a 'message'"
        )


class ServiceType(Protocol):
    """Class generated from a .srv file."""

    Response: Callable[[], object]


def failure_responder(service_type: type[ServiceType]) -> FailureResponder:
    """Return the function that makes failure responses of a service type.

    Raises:
        NoFailureResponse: If its response type cannot express an internal error.
    """
    if service_type in _STANDARD_SERVICES:
        return _STANDARD_SERVICES[service_type]
    fill_failure(service_type.Response(), "")
    return lambda _, message: fill_failure(service_type.Response(), message)


def standard_failure_responder(service_type: type[ServiceType]) -> FailureResponder:
    """Return the same for the standard services of a node, with an empty response as a last resort."""
    return _STANDARD_SERVICES.get(service_type, lambda _, message: service_type.Response())


def fill_failure(response: object, message: str) -> object:
    """Set an internal error in a response, or in the result of an action.

    Raises:
        NoFailureResponse: If its type cannot express one.
    """
    status = next((getattr(response, name) for name in STATUSES if hasattr(response, name)), None)
    if status is not None:
        response.status = status  # type: ignore[attr-defined]
    elif not hasattr(response, "success"):
        raise NoFailureResponse(type(response))
    if hasattr(response, "message"):
        response.message = message
    return response


def guard_service(guard: CallbackGuard, source: str, service: Service, failure: FailureResponder) -> None:
    """Make a service respond with ``failure`` if its callback raises or its response cannot be sent."""

    def guarded_send(send: SendResponse) -> SendResponse:
        def send_or_report(response: object, header: object) -> None:
            try:
                send(response, header)
            except InvalidHandle:
                return  # the service was destroyed meanwhile
            except Exception as error:
                guard.record(source, error)
                send(failure(None, describe_error(error)), header)

        return send_or_report

    intercept_requests(service, lambda callback: _guarded(guard, source, callback, failure))
    intercept_responses(service, guarded_send)


def _guarded(
    guard: CallbackGuard, source: str, callback: Callable[..., Any], failure: FailureResponder
) -> Callable[..., Any]:
    def fail(request: object, error: Exception) -> object:
        guard.record(source, error)
        return failure(request, describe_error(error))

    def answer(request: object, response: object) -> object:
        try:
            return callback(request, response)
        except FatalNodeError:
            raise
        except Exception as error:
            return fail(request, error)

    async def answer_later(request: object, response: object) -> object:
        try:
            return await callback(request, response)
        except FatalNodeError:
            raise
        except Exception as error:
            return fail(request, error)

    return answer_later if iscoroutinefunction(callback) else answer


def _refuse_all(request: SetParameters.Request | None, message: str) -> SetParameters.Response:
    refused = SetParametersResult(successful=False, reason=message)
    count = len(request.parameters) if request is not None else 1
    return SetParameters.Response(results=[refused] * count)


_STANDARD_SERVICES: Mapping[type, FailureResponder] = {
    ChangeState: lambda _, message: ChangeState.Response(success=False),
    SetParameters: _refuse_all,
    SetParametersAtomically: lambda _, message: SetParametersAtomically.Response(
        result=SetParametersResult(successful=False, reason=message)
    ),
}
