"""One worker process and the line to it."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence

from openral_core.errors import OpenRALError
from openral_perception_ros.engines import Frame
from openral_perception_ros.workers.arena import Arena, PlaneSpec
from openral_perception_ros.workers.line import Line
from openral_perception_ros.workers.messages import Detect, Load, Reply, pack_request, unpack_reply

SEND_LIMIT = 3.0
"""How long a worker may leave a request unread [s]: it has nothing else to do when it gets one."""
KILLED = 10.0
"""How long a killed process may take to be gone [s]; one that a driver holds in the kernel is left to it."""


class WorkerError(OpenRALError):
    """Base of how a worker is lost."""


class WorkerNotStarted(WorkerError):
    """The worker's interpreter could not be run."""

    def __init__(self, command: Sequence[str], reason: str) -> None:
        super().__init__(f"worker could not be started with {command[0]!r}: {reason}")


class WorkerCrashed(WorkerError):
    """The worker ended by itself."""

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(f"the worker process ended by itself ({_exit_words(exit_code)})")


class InvalidReply(WorkerCrashed):
    """The worker sent something that is no answer; it was killed."""

    def __init__(self, reason: Exception) -> None:
        self.exit_code = None
        first = f"{type(reason).__name__}: {reason}".splitlines()[0][:200]
        OpenRALError.__init__(self, f"the worker's reply was invalid ({first}) and it was killed")


class WorkerTimedOut(WorkerError):
    """The worker did not answer; it was killed."""

    def __init__(self, during: str, limit: float) -> None:
        super().__init__(f"the worker gave no answer to {during} within {limit:g} s and was killed")


class WorkerProcess:
    """A worker started by this thread, which must outlive it (see `parents.die_with`).

    The socket pair is inherited and has no name; when either process dies, the other reads its end.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._exit_code: int | None = None
        self._closed = False
        self._arena = Arena.create()
        self._shown: Frame | None = None
        self._planes: tuple[PlaneSpec, ...] = ()
        self.connection = Line()
        try:
            self._process = _start(command, environment, self.connection.theirs, self._arena)
        except OSError as error:
            self.connection.close()
            self._arena.close()
            raise WorkerNotStarted(command, str(error)) from error
        finally:
            self.connection.theirs.close()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def load(self, request: Load) -> None:
        """Ask it to become a detector."""
        self._send(pack_request(request))

    def detect(self, frame: Frame, terms: tuple[str, ...] | None) -> None:
        """Hand it one frame; the one before is overwritten, so its answer must be in or given up.

        A frame that it was shown last is not copied again: several may ask about the same moment.

        Raises:
            WorkerCrashed: If it is gone.
        """
        if frame is not self._shown:
            self._shown = None
            self._planes = self._arena.write(frame.planes)
            self._shown = frame
        self._send(pack_request(Detect(self._planes, frame.camera, frame.stamp, dict(frame.labels), terms)))

    def receive(self) -> Reply | None:
        """The next answer if all of it is here, else None; never waits.

        Raises:
            WorkerCrashed: If it ended, or sent something that is no answer.
        """
        try:
            data = self.connection.receive()
            return None if data is None else unpack_reply(data)
        except (EOFError, OSError) as error:
            raise WorkerCrashed(self.close()) from error
        except Exception as error:  # whatever strangers' bytes make of msgpack, pydantic and our own checks
            self.close()
            raise InvalidReply(error) from error

    def close(self) -> int | None:
        """End it with everything it started; its memory is back when this returns its exit code."""
        if not self._closed:  # once only: a process id that was reaped may be another's
            self._closed = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._exit_code = self._process.wait(KILLED)
            self.connection.close()
            self._arena.close()
        return self._exit_code

    def _send(self, data: bytes) -> None:
        try:
            self.connection.send(data, SEND_LIMIT)
        except TimeoutError as error:
            self.close()
            raise WorkerTimedOut("a request, which it does not read,", SEND_LIMIT) from error
        except OSError as error:
            raise WorkerCrashed(self.close()) from error


def _start(
    command: Sequence[str], environment: Mapping[str, str], theirs: socket.socket, arena: Arena
) -> subprocess.Popen[bytes]:
    descriptors = (theirs.fileno(), arena.fileno())
    return subprocess.Popen(
        [
            *command,
            "--socket",
            str(descriptors[0]),
            "--arena",
            str(descriptors[1]),
            "--parent",
            str(os.getpid()),
        ],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        pass_fds=descriptors,
        start_new_session=True,
    )


def _exit_words(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"killed by {signal.Signals(-exit_code).name}"
    return f"exit code {exit_code}"
