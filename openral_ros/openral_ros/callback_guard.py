"""Exception barrier around node callbacks, and typed failure responses of services.

`FatalNodeError` passes through: the node asks to be restarted. Any other exception is logged once per
kind (callback and exception type), counted in /diagnostics, and dropped; a service answers with a failure.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import iscoroutinefunction
from threading import Lock
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar
from weakref import WeakKeyDictionary, ref

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.service import Service

from openral_core.errors import OpenRALError
from openral_ros.qos import RELIABLE
from openral_ros.rclpy_internals import SendResponse, intercept_requests, intercept_responses

MAX_KINDS = 64
"""Kinds counted separately; bounds memory, since peers can create any number of topics."""
OTHERS = "others"
"""Kind under which the exceptions beyond `MAX_KINDS` are counted."""
REPORT_PERIOD = 1.0
"""Time between two reports in /diagnostics [s]."""
MAX_ERROR_LENGTH = 500
"""Length of an exception text in a response [characters]."""

T = TypeVar("T")


class FatalNodeError(OpenRALError):
    """A failure that only a restart of the process resolves: raised by a callback, it ends the process.

    ``kind`` is its name in a `FailureTrigger`.
    """

    kind: ClassVar[str]


class CallbackGuard:
    """Counts and logs exceptions of the callbacks of one node; thread-safe."""

    def __init__(self, node: Node) -> None:
        self._node = ref(node)
        self._lock = Lock()
        self._publisher: Publisher | None = None
        self.counts: Counter[str] = Counter()

    def run(self, source: str, callback: Callable[..., T], *arguments: object) -> T | None:
        """Call ``callback``; return None if it raised.

        Raises:
            FatalNodeError: If the callback does.
        """
        try:
            return callback(*arguments)
        except FatalNodeError:
            raise
        except Exception as error:
            self.record(source, error)
            return None

    def attempt(self, source: str, callback: Callable[..., object], *arguments: object) -> Exception | None:
        """Call ``callback``; return the exception if it raised.

        Raises:
            FatalNodeError: If the callback does.
        """
        try:
            callback(*arguments)
        except FatalNodeError:
            raise
        except Exception as error:
            self.record(source, error)
            return error
        return None

    def record(self, source: str, error: BaseException) -> None:
        """Count an exception and log the first one of its kind.

        Args:
            source: Description of the callback, such as "subscription /tf".
        """
        kind = f"{source}: {type(error).__name__}"
        node = self._node()
        with self._lock:
            if kind not in self.counts and len(self.counts) >= MAX_KINDS:
                kind = OTHERS
            self.counts[kind] += 1
            first = self.counts[kind] == 1
        if node is None or not first:
            return
        trace = "".join(traceback.format_exception(error))
        node.get_logger().error(
            f"{source} raised {describe_error(error)}; the node continues "
            f"(logged once, counted in /diagnostics):\n{trace}"
        )
        with suppress(InvalidHandle):
            self._start_reporting(node)

    def _start_reporting(self, node: Node) -> None:
        with self._lock:
            if self._publisher is not None:
                return
            self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        node.create_timer(REPORT_PERIOD, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._report()

    def _report(self) -> None:
        node, publisher = self._node(), self._publisher
        if node is None or publisher is None:
            return
        with self._lock:
            counts = dict(self.counts)
        status = DiagnosticStatus(
            level=DiagnosticStatus.WARN,
            name=f"{node.get_fully_qualified_name()}: callbacks",
            message=f"{sum(counts.values())} exceptions in callbacks; the first of each kind is in the log",
            values=[KeyValue(key=printable(kind), value=str(count)) for kind, count in counts.items()],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(array)


_guards: "WeakKeyDictionary[Node, CallbackGuard]" = WeakKeyDictionary()
_guards_lock = Lock()


def guard_of(node: Node) -> CallbackGuard:
    """Return the guard of a node, created on first use."""
    with _guards_lock:
        return _guards.setdefault(node, CallbackGuard(node))


def describe_error(error: BaseException) -> str:
    """Return type and text of an exception, bounded and safe for any message field."""
    return printable(f"{type(error).__name__}: {error}")[:MAX_ERROR_LENGTH]


def printable(text: str) -> str:
    """Escape lone surrogates, which message fields cannot carry."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def callback_name(callback: object) -> str:
    """Return the name of a callback for logs and diagnostics."""
    inner = getattr(callback, "func", callback)
    return str(getattr(inner, "__qualname__", type(inner).__name__))


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


def guard_standard_services(node: Node) -> None:
    """Guard the services that a node has so far, those of rclpy; an empty response is the last resort."""
    for service in node.services:
        empty = service.srv_type.Response
        failure = _STANDARD_SERVICES.get(service.srv_type, lambda _, __, empty=empty: empty())
        guard_service(guard_of(node), f"service {service.srv_name}", service, failure)


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
