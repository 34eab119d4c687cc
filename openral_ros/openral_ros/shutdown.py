"""End of a process: signals that only set a flag, a bound on everything that follows, and no finalisation.

A handler of Python runs between any two steps of the main thread, also within another handler. It may take
no lock, not even that of an `Event`: a second signal within ``set()`` would wait for the first for ever.
"""

import atexit
import faulthandler
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

SHUTDOWN_LIMIT = 3.0
"""Longest shutdown of a process [s]: a supervisor kills it 3.5 s after its first signal."""
STACK_TIME = 0.3
"""Time to write the stacks of all threads [s], after which the kernel ends the process by SIGALRM."""


class Shutdown:
    """Shutdown of this process, begun by SIGINT, SIGTERM or `begin`; repeated signals change nothing.

    Args:
        on_signal: Called by each signal, between any two steps of the main thread: it may take no lock.
        limit: Longest time from the beginning to the end of the process [s]. Then the stacks of all threads
            are written to standard error and the process ends itself with exit status 1; one that hangs
            after Python has ended is ended by SIGALRM.
    """

    def __init__(self, on_signal: Callable[[], object], limit: float = SHUTDOWN_LIMIT) -> None:
        self._on_signal, self._limit = on_signal, limit
        self.begun = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_number)

    def begin(self) -> None:
        """Start the clock of the shutdown."""
        if not self.begun:
            self.begun = True
            signal.setitimer(signal.ITIMER_REAL, self._limit + STACK_TIME)
            with suppress(ValueError, OSError):  # standard error is closed, or no file
                faulthandler.dump_traceback_later(self._limit, exit=True)

    def over(self) -> None:
        """Stop the clock: the process goes on."""
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        faulthandler.cancel_dump_traceback_later()

    def _on_number(self, *_: object) -> None:
        self.begin()
        self._on_signal()


def end_process(status: int) -> NoReturn:
    """End this process now, after the registered exit functions.

    Python's own finalisation takes seconds of a busy machine for modules that are no longer used, and
    joins threads that may wait for a peer.
    """
    with suppress(Exception):
        atexit._run_exitfuncs()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
