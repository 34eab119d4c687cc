"""Nodes for the tests of the component container."""

import threading
import time
from pathlib import Path

from std_msgs.msg import String
from std_srvs.srv import Trigger

from openral_ros.callback_guard import FatalNodeError
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import Parameters, declare
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.tracing import span, start_tracing

BUSY = 3.0
"""Time that a busy callback takes [s]."""


class TalkerParameters(Parameters):
    """Parameters of the tests' node."""

    words: str = "nothing"
    folder: str = ""


class OutOfOrder(FatalNodeError):
    """It was told to fail."""

    kind = "out_of_order"

    def __init__(self) -> None:
        super().__init__("told to fail")


class Talker(LifecycleNodeBase):
    """Publishes its words; writes the threads that configured and closed it to ``folder``."""

    autostart = True

    def __init__(self, **options: object) -> None:
        super().__init__("talker", **options)
        if self.autostart:
            self.trigger_configure()

    def configure(self, scope: ResourceScope) -> None:
        """Publish, and serve ways to be busy and to fail."""
        given = declare(self, TalkerParameters)
        self._file = Path(given.folder) / self.get_name()
        self._file.with_suffix(".configured").write_text(threading.current_thread().name)
        start_tracing(self.get_name(), Path(given.folder))
        scope.publisher(String, "words", LATCHED).publish(String(data=given.words))
        scope.service(Trigger, "~/work", self._work)
        scope.service(Trigger, "~/be_busy", self._be_busy)
        scope.service(Trigger, "~/fail", self._fail)
        scope.callback(lambda: self._file.with_suffix(".closed").write_text(threading.current_thread().name))

    def _be_busy(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        time.sleep(BUSY)
        return response

    def _work(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with span("work"):
            return response

    def _fail(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        raise OutOfOrder

    def on_fatal(self, reason: FatalNodeError) -> None:
        """Leave a mark."""
        super().on_fatal(reason)
        self._file.with_suffix(".fatal").touch()


class ApartTalker(Talker):
    """Waits to be configured; its transitions run on their own threads."""

    transitions_apart, autostart = True, False


class Unmakeable(LifecycleNodeBase):
    """Cannot be made."""

    def __init__(self, **_: object) -> None:
        raise ValueError("cannot be made")


class Stuck(Talker):
    """Never ends."""

    def close(self) -> None:
        """Hang."""
        threading.Event().wait()
