"""One worker process and the line to it."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection, Pipe

from openral_core.errors import OpenRALError
from openral_perception_ros.engines import Frame
from openral_perception_ros.workers.arena import Arena, PlaneSpec
from openral_perception_ros.workers.messages import Detect, Load, Reply, pack_request, unpack_reply


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
        self._arena = Arena.create()
        self._shown: Frame | None = None
        self._planes: tuple[PlaneSpec, ...] = ()
        self.connection, theirs = Pipe()
        try:
            self._process = _start(command, environment, theirs, self._arena)
        except OSError as error:
            self.connection.close()
            self._arena.close()
            raise WorkerNotStarted(command, str(error)) from error
        finally:
            theirs.close()

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

    def readable(self) -> bool:
        """Whether an answer, or its end, can be read without waiting."""
        return self.connection.poll()

    def receive(self) -> Reply:
        """The next answer.

        Raises:
            WorkerCrashed: If it ended instead.
        """
        try:
            return unpack_reply(self.connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise WorkerCrashed(self.close()) from error

    def close(self) -> int | None:
        """End it with everything it started; its memory is back when this returns its exit code."""
        if self._exit_code is None:  # once only: a process id that was reaped may be another's
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._exit_code = self._process.wait()
            self.connection.close()
            self._arena.close()
        return self._exit_code

    def _send(self, data: bytes) -> None:
        try:
            self.connection.send_bytes(data)
        except OSError as error:
            raise WorkerCrashed(self.close()) from error


def _start(
    command: Sequence[str], environment: Mapping[str, str], socket: Connection, arena: Arena
) -> subprocess.Popen[bytes]:
    descriptors = (socket.fileno(), arena.fileno())
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
