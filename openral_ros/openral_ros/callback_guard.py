"""Exception barrier around node callbacks.

`FatalNodeError` passes through: the node asks to be restarted. Any other exception is logged once per
kind (callback and exception type), counted in /diagnostics, and dropped.
"""

import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import ClassVar, TypeVar
from weakref import WeakKeyDictionary, ref

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.publisher import Publisher

from openral_core.errors import OpenRALError
from openral_ros.qos import RELIABLE

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
            error: The exception.
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
