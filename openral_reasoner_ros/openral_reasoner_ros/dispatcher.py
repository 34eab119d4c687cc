"""Dispatch of events to the mission core and of its commands to the clients, one at a time, in order."""

import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from openral_reasoner.commands import Command
from openral_reasoner.core.mission_core import Core, handle_safely
from openral_reasoner.events import CallFailed, Event
from openral_ros.callback_guard import CallbackGuard, describe_error

Post = Callable[[Event], None]
Handler = Callable[..., None]
"""Executes the kind of command that it is registered for."""
Record = Callable[[float, Event, tuple[Command, ...]], None]
"""Receives the time [s], an event and the commands that answer it."""


class Journaling(Protocol):
    """Journal of the events, see `journal.MissionJournal`."""

    def before(self, now: float, event: Event) -> None:
        """Write an event before the core handles it."""

    def after(self, commands: tuple[Command, ...]) -> None:
        """Write which commands are about to be carried out."""


class EventDispatcher:
    """Queue of events in front of the core, which is never entered twice.

    A command whose handler raises becomes a `CallFailed` event, so the core treats it as any failed call.
    """

    def __init__(
        self,
        core: Core,
        record: Record,
        log: Callable[[str], None],
        guard: CallbackGuard,
        journal: Journaling | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._core, self._guard, self._journal, self._clock = core, guard, journal, clock
        self._handlers: dict[type, Handler] = {}
        self._record = record
        self._log = log
        self._queue: deque[Event] = deque()
        self._dispatching = False
        self._closed = False

    def register(self, handlers: Mapping[type, Handler]) -> None:
        """Register handlers by the kind of command."""
        self._handlers.update(handlers)

    def post(self, event: Event) -> None:
        """Have the core handle an event, after those that are already queued; none once closed."""
        if self._closed:
            return
        self._queue.append(event)
        if self._dispatching:
            return
        self._dispatching = True
        try:
            while self._queue:
                self._dispatch(self._queue.popleft())
        finally:
            self._dispatching = False

    def close(self) -> None:
        """Ignore later events: what a command needs is about to be destroyed."""
        self._closed = True

    def _dispatch(self, event: Event) -> None:
        now = self._clock()
        if self._journal is not None:
            self._journal.before(now, event)
        commands = handle_safely(self._core, event, now, self._log)
        if self._journal is not None:
            self._journal.after(commands)
        self._guard.run("record of an event", self._record, now, event, commands)
        for command in commands:
            self.carry_out(command)

    def carry_out(self, command: Command) -> None:
        """Execute one command."""
        source = f"command {type(command).__name__}"
        error = self._guard.attempt(source, lambda command: self._handlers[type(command)](command), command)
        call_id = getattr(command, "call_id", "")
        if error is not None and call_id:
            self._queue.append(
                CallFailed(call_id=call_id, condition="BROKEN_OFF", message=describe_error(error))
            )
