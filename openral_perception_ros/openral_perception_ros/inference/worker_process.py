"""A worker process: its command line and environment, its message stream, and how it is lost."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from openral_core.environment import node_environment, worker_environment
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.inference.ipc import (
    ArraySpec,
    Detect,
    Load,
    MessageStream,
    Reply,
    SharedFrameBuffer,
    pack_request,
    unpack_reply,
)

SEND_TIMEOUT = 3.0
"""Longest time a worker may leave a request unread [s]: it is idle when it gets one."""
KILL_TIMEOUT = 10.0
"""Longest wait for a killed process [s]; one that is stuck in a driver is abandoned."""


class WorkerError(OpenRALError):
    """Base of the errors that lose a worker."""


class WorkerNotStarted(WorkerError):
    """The worker's interpreter could not be run."""

    def __init__(self, command: Sequence[str], reason: str) -> None:
        super().__init__(f"the worker could not be started with {command[0]!r}: {reason}")


class WorkerCrashed(WorkerError):
    """The worker exited unexpectedly."""

    def __init__(self, exit_code: int | None) -> None:
        how = f"exit code {exit_code}"
        if exit_code is not None and exit_code < 0:
            how = f"killed by {signal.Signals(-exit_code).name}"
        super().__init__(f"the worker process exited unexpectedly ({how})")


class InvalidReply(WorkerError):
    """The worker sent an invalid reply and was killed."""

    def __init__(self, reason: Exception) -> None:
        first = f"{type(reason).__name__}: {reason}".splitlines()[0][:200]
        super().__init__(f"the worker sent an invalid reply ({first}) and was killed")


class WorkerTimedOut(WorkerError):
    """The worker did not reply in time and was killed."""

    def __init__(self, during: str, limit: float) -> None:
        super().__init__(f"the worker did not answer {during} within {limit:g} s and was killed")


class InferenceWorkerProcess:
    """A worker started by this thread, which must outlive it (see `set_parent_death_signal`).

    The anonymous socket pair is inherited; when either process dies, the other reads end of file.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._exit_code: int | None = None
        self._closed = False
        self._buffer = SharedFrameBuffer.create()
        self._sent_frame: EngineFrame | None = None
        self._planes: tuple[ArraySpec, ...] = ()
        self.connection = MessageStream()
        try:
            self._process = _start(command, environment, self.connection.worker_end, self._buffer)
        except OSError as error:
            self.connection.close()
            self._buffer.close()
            raise WorkerNotStarted(command, str(error)) from error
        finally:
            self.connection.worker_end.close()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def load(self, request: Load) -> None:
        """Send the load request."""
        self._send(pack_request(request))

    def detect(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> None:
        """Send a detection request; overwrites the previous frame, so no request may be pending.

        A frame that was sent last is not copied again: several requests may refer to the same frame.

        Raises:
            WorkerCrashed: If the worker has exited.
        """
        if frame is not self._sent_frame:
            self._sent_frame = None
            self._planes = self._buffer.write(frame.planes)
            self._sent_frame = frame
        self._send(
            pack_request(Detect(self._planes, frame.camera, frame.stamp, dict(frame.instance_names), terms))
        )

    def receive(self) -> Reply | None:
        """Return the next complete reply, or None; never blocks.

        Raises:
            WorkerCrashed: If the worker has exited.
            InvalidReply: If its reply is invalid.
        """
        try:
            data = self.connection.receive()
            return None if data is None else unpack_reply(data)
        except (EOFError, OSError) as error:
            raise WorkerCrashed(self.close()) from error
        except Exception as error:  # untrusted bytes: msgpack, pydantic and our checks may raise anything
            self.close()
            raise InvalidReply(error) from error

    def close(self) -> int | None:
        """Kill the worker's process group and return its exit code; its memory is free afterwards."""
        if not self._closed:  # once only: a reaped process id may be reused
            self._closed = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._exit_code = self._process.wait(KILL_TIMEOUT)
            self.connection.close()
            self._buffer.close()
        return self._exit_code

    def _send(self, data: bytes) -> None:
        try:
            self.connection.send(data, SEND_TIMEOUT)
        except TimeoutError as error:
            self.close()
            raise WorkerTimedOut("a request it left unread", SEND_TIMEOUT) from error
        except OSError as error:
            raise WorkerCrashed(self.close()) from error


def _start(
    command: Sequence[str],
    environment: Mapping[str, str],
    worker_end: socket.socket,
    buffer: SharedFrameBuffer,
) -> subprocess.Popen[bytes]:
    descriptors = (worker_end.fileno(), buffer.fileno())
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


WORKER_MODULE = "openral_perception_ros.inference.worker"
MAIN_ENVIRONMENT = "main"
MODULES_VARIABLE = "HF_MODULES_CACHE"


class MissingEnvironment(OpenRALError):
    """A Python environment that has not been prepared."""

    def __init__(self, manifest: DetectorManifest, interpreter: Path) -> None:
        super().__init__(
            f"{manifest.id!r} needs the Python environment {manifest.environment.name!r}, "
            f"but {interpreter} does not exist: run `openral weights prepare {manifest.id}`"
        )


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """Command line without the descriptors, and environment variables."""

    line: tuple[str, ...]
    variables: Mapping[str, str]


def worker_command(
    manifest: DetectorManifest, environments: Path, module: str = WORKER_MODULE
) -> WorkerCommand:
    """Build the command of a detector's worker.

    Packages of this project are appended to the interpreter's path, so that its own libraries take
    precedence. A worker gets only variables on an allow-list, so that no key reaches a model; in its own
    environment it may run code that came with weights, and gets fewer. transformers copies such code to a
    folder before it imports it: each rSkill has one of its own there, so that workers neither overwrite nor
    import the code of each other.

    Raises:
        MissingEnvironment: If the manifest names an environment that has not been prepared.
    """
    bootstrap = (
        f"import runpy, sys; sys.path += {package_roots(module)!r}; "
        f"runpy.run_module({module!r}, run_name='__main__')"
    )
    modules = {MODULES_VARIABLE: str(modules_cache(os.environ) / manifest.id)}
    if manifest.environment.name == MAIN_ENVIRONMENT:
        return WorkerCommand((sys.executable, "-c", bootstrap), {**node_environment(os.environ), **modules})
    interpreter = environments / manifest.environment.name / "bin" / "python"
    if not interpreter.exists():
        raise MissingEnvironment(manifest, interpreter)
    variables = {**worker_environment(os.environ), **modules, **_named_variables(manifest)}
    return WorkerCommand((str(interpreter), "-s", "-c", bootstrap), variables)


def _named_variables(manifest: DetectorManifest) -> dict[str, str]:
    """Return the variables of this project that the options name, such as the address of an endpoint."""
    named = (str(value) for key, value in manifest.options.items() if key.endswith("_variable"))
    return {name: os.environ[name] for name in named if name.startswith("OPENRAL_") and name in os.environ}


def modules_cache(environment: Mapping[str, str]) -> Path:
    """Return the folder to which transformers copies code that comes with weights, by its own variables."""
    if cache := environment.get(MODULES_VARIABLE):
        return Path(cache).expanduser()
    return Path(environment.get("HF_HOME") or "~/.cache/huggingface").expanduser() / "modules"


def package_roots(module: str = WORKER_MODULE) -> list[str]:
    """Return the folders of the packages that a worker ``module`` imports, for another interpreter's path."""
    names = ("openral_core", "openral_perception_ros", module.partition(".")[0])
    origins = [spec.origin for spec in map(find_spec, names) if spec is not None and spec.origin]
    return list(dict.fromkeys(str(Path(origin).parents[1]) for origin in origins))
