"""Keeps what one callback raises from ending its node.

`FatalNodeError` passes: its node wants to be started again. Any other exception is logged once per
kind (which callback, which exception), counted in /diagnostics, and dropped.
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

MOST_KINDS = 64
"""Kinds counted one by one: a stranger can make any number of topics."""
OTHERS = "others"
PERIOD = 1.0
"""Between two reports in /diagnostics [s]."""
LONGEST = 500
"""Characters of an exception that leave the node in an answer."""

T = TypeVar("T")


class FatalNodeError(OpenRALError):
    """Why a node ends itself, for its supervisor to start again: raised by a callback, it ends the process.

    ``kind`` is what a `FailureTrigger` calls it.
    """

    kind: ClassVar[str]


class CallbackGuard:
    """Counts and logs what the callbacks of one node raised; any thread may call it."""

    def __init__(self, node: Node) -> None:
        self._node = ref(node)
        self._lock = Lock()
        self._publisher: Publisher | None = None
        self.counts: Counter[str] = Counter()

    def run(self, source: str, callback: Callable[..., T], *arguments: object) -> T | None:
        """Call ``callback``; None when it raised.

        Raises:
            FatalNodeError: If the callback does.
        """
        try:
            return callback(*arguments)
        except FatalNodeError:
            raise
        except Exception as error:
            self.caught(source, error)
            return None

    def attempt(self, source: str, callback: Callable[..., object], *arguments: object) -> Exception | None:
        """Call ``callback`` for what it does; what it raised, if it did.

        Raises:
            FatalNodeError: If the callback does.
        """
        try:
            callback(*arguments)
        except FatalNodeError:
            raise
        except Exception as error:
            self.caught(source, error)
            return error
        return None

    def caught(self, source: str, error: BaseException) -> None:
        """Log an exception the first time, and count it.

        Args:
            source: The callback in words: "subscription /tf".
            error: What it raised.
        """
        kind = f"{source}: {type(error).__name__}"
        node = self._node()
        with self._lock:
            if kind not in self.counts and len(self.counts) >= MOST_KINDS:
                kind = OTHERS
            self.counts[kind] += 1
            first = self.counts[kind] == 1
        if node is None or not first:
            return
        trace = "".join(traceback.format_exception(error))
        node.get_logger().error(
            f"{source} raised {in_words(error)}; the node goes on "
            f"(logged once, counted in /diagnostics):\n{trace}"
        )
        with suppress(InvalidHandle):
            self._report_from_now_on(node)

    def _report_from_now_on(self, node: Node) -> None:
        with self._lock:
            if self._publisher is not None:
                return
            self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        node.create_timer(PERIOD, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))
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
            message=f"{sum(counts.values())} exceptions in callbacks; the log has the first of each kind",
            values=[KeyValue(key=printable(kind), value=str(count)) for kind, count in counts.items()],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(array)


_guards: "WeakKeyDictionary[Node, CallbackGuard]" = WeakKeyDictionary()
_making = Lock()


def guard_of(node: Node) -> CallbackGuard:
    """The one guard of a node."""
    with _making:
        return _guards.setdefault(node, CallbackGuard(node))


def in_words(error: BaseException) -> str:
    """An exception in one bounded line that any message can carry."""
    return printable(f"{type(error).__name__}: {error}")[:LONGEST]


def printable(text: str) -> str:
    """Text without lone surrogates, which no message can carry."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def name_of(callback: object) -> str:
    """A callback's name, for log and diagnostics."""
    inner = getattr(callback, "func", callback)
    return str(getattr(inner, "__qualname__", type(inner).__name__))
