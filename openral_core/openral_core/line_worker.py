"""Child process that answers each line of JSON with one, with a deadline."""

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from openral_core.environment import node_environment
from openral_core.errors import OpenRALError


class WorkerLost(OpenRALError):
    """Worker that did not start, or exited, and has been killed."""


class WorkerLate(WorkerLost):
    """Worker that did not answer in time."""


class WorkerRefused(OpenRALError):
    """Request that the worker answered with the key ``error``; it goes on."""


class LineWorker:
    """A Python module that reads requests from standard input, at whose end it exits; one caller at a time.

    ``ready`` is its first answer, which arrives within ``seconds``.

    Raises:
        WorkerLost: If it does not start; a request, if no valid answer arrives in time.
        WorkerRefused: If the answer is an error.
    """

    def __init__(self, module: str, arguments: Sequence[str], seconds: float) -> None:
        command, pipe, self._received = [sys.executable, "-P", "-m", module, *arguments], subprocess.PIPE, b""
        try:
            variables = node_environment(os.environ)
            self.process = subprocess.Popen(command, env=variables, stdin=pipe, stdout=pipe, bufsize=0)
        except (OSError, ValueError) as error:  # an argument that is too long, or holds a NUL
            raise WorkerLost(f"its worker did not start: {error}") from error
        try:
            self.ready = self._receive(seconds)
        except WorkerRefused:
            self.close()
            raise

    def request(self, document: object, seconds: float) -> Mapping[str, Any]:
        """Send a document, shorter than a pipe [64 KiB], and return its answer."""
        try:
            if self.process.stdin is not None:
                self.process.stdin.write(json.dumps(document).encode() + b"\n")
        except (OSError, ValueError) as error:
            self.close()
            raise WorkerLost("its worker has exited") from error
        return self._receive(seconds)

    def close(self) -> None:
        """Kill the worker; idempotent."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def _receive(self, seconds: float) -> Mapping[str, Any]:
        try:
            answer = dict(json.loads(self._read_line(time.monotonic() + seconds)))
        except (WorkerLost, OSError, ValueError, TypeError) as error:
            self.close()
            raise error if isinstance(error, WorkerLost) else WorkerLost(f"its worker: {error}") from error
        if "error" in answer:
            raise WorkerRefused(str(answer["error"])[:500])
        return answer

    def _read_line(self, end: float) -> bytes:
        out = self.process.stdout
        if out is None or out.closed:
            raise WorkerLost("its worker was stopped")
        with selectors.DefaultSelector() as selector:
            selector.register(out, selectors.EVENT_READ)
            while b"\n" not in self._received:
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise WorkerLate("its worker did not answer in time")
                part = out.read(1 << 16)
                if not part:
                    raise WorkerLost("its worker exited")
                self._received += part
        line, _, self._received = self._received.partition(b"\n")
        return line
