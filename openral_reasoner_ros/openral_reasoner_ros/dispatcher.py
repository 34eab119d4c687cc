"""Carries events to the core and its commands to the adapters, one at a time, in order.

A command that breaks its adapter is a call that failed: the core goes on as with any other.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping

from openral_reasoner.commands import Command
from openral_reasoner.core import Core, handle_safely
from openral_reasoner.events import CallFailed, Event
from openral_ros.callback_guard import CallbackGuard, in_words

Post = Callable[[Event], None]
Adapter = Callable[..., None]
"""Takes the one kind of command it stands in the table for."""
Witness = Callable[[float, Event, tuple[Command, ...]], None]


class EventDispatcher:
    """What arrives while a command is being carried waits for its turn: the core is never entered twice."""

    def __init__(
        self, core: Core, witness: Witness, log: Callable[[str], None], guard: CallbackGuard
    ) -> None:
        self._core, self._guard = core, guard
        self._adapters: dict[type, Adapter] = {}
        self._witness = witness
        self._log = log
        self._waiting: deque[Event] = deque()
        self._carrying = False

    def serve(self, adapters: Mapping[type, Adapter]) -> None:
        """Have these adapters carry their commands."""
        self._adapters.update(adapters)

    def post(self, event: Event) -> None:
        """Have the core handle an event, now or after the one it is handling."""
        self._waiting.append(event)
        if self._carrying:
            return
        self._carrying = True
        try:
            while self._waiting:
                self._carry(self._waiting.popleft())
        finally:
            self._carrying = False

    def _carry(self, event: Event) -> None:
        now = time.monotonic()
        commands = handle_safely(self._core, event, now, self._log)
        self._guard.run("record of an event", self._witness, now, event, commands)
        for command in commands:
            source = f"command {type(command).__name__}"
            error = self._guard.attempt(source, lambda each: self._adapters[type(each)](each), command)
            call_id = getattr(command, "call_id", "")
            if error is not None and call_id:
                self._waiting.append(
                    CallFailed(call_id=call_id, condition="BROKEN_OFF", message=in_words(error))
                )
