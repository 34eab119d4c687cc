"""One worker process and the line to it."""
# MERGED How a worker is started: which interpreter, which module, which libraries it sees.

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import openral_core
import openral_perception_ros
from openral_core.environment import worker_environment
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.inference.message_stream import Line
from openral_perception_ros.inference.protocol import Detect, Load, Reply, pack_request, unpack_reply
from openral_perception_ros.inference.shared_memory import ArraySpec, SharedFrameBuffer

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


class InferenceWorkerProcess:
    """A worker started by this thread, which must outlive it (see `parents.die_with`).

    The socket pair is inherited and has no name; when either process dies, the other reads its end.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._exit_code: int | None = None
        self._closed = False
        self._arena = SharedFrameBuffer.create()
        self._shown: EngineFrame | None = None
        self._planes: tuple[ArraySpec, ...] = ()
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

    def detect(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> None:
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
    command: Sequence[str], environment: Mapping[str, str], theirs: socket.socket, arena: SharedFrameBuffer
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


WORKER_MODULE = "openral_perception_ros.inference.worker"
MAIN_ENVIRONMENT = "main"


class MissingEnvironment(OpenRALError):
    """A Python environment that was not prepared."""

    def __init__(self, manifest: DetectorManifest, interpreter: Path) -> None:
        super().__init__(
            f"{manifest.id!r} runs in its own Python environment {manifest.environment.name!r}, "
            f"and there is no {interpreter}: run `openral weights prepare {manifest.id}`"
        )


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """A command line without the descriptors, and the environment variables it runs in."""

    line: tuple[str, ...]
    variables: Mapping[str, str]


def worker_command(
    manifest: DetectorManifest, environments: Path, module: str = WORKER_MODULE
) -> WorkerCommand:
    """The command of one detector's worker.

    The packages of this project are appended to the interpreter's own path, so that its libraries win. In an
    environment of its own it may run code that came with weights, and gets only variables that it needs.

    Raises:
        MissingEnvironment: If the manifest names an environment that was not prepared.
    """
    bootstrap = (
        f"import runpy, sys; sys.path += {package_roots()!r}; "
        f"runpy.run_module({module!r}, run_name='__main__')"
    )
    if manifest.environment.name == MAIN_ENVIRONMENT:
        return WorkerCommand((sys.executable, "-c", bootstrap), dict(os.environ))
    interpreter = environments / manifest.environment.name / "bin" / "python"
    if not interpreter.exists():
        raise MissingEnvironment(manifest, interpreter)
    return WorkerCommand((str(interpreter), "-s", "-c", bootstrap), worker_environment(os.environ))


def package_roots() -> list[str]:
    """Folders that hold the packages a worker runs, for another interpreter's path."""
    packages = (openral_core, openral_perception_ros)
    return list(dict.fromkeys(str(Path(str(package.__file__)).parents[1]) for package in packages))
