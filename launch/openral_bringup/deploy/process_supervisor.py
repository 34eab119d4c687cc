"""Supervision of a deployment's nodes as child processes: start, logs, restart with back-off, shutdown."""

import asyncio
import os
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from openral_bringup.deploy.shared_memory import remove_stale_segments
from openral_bringup.graph.bodies import write_first_records
from openral_bringup.graph.composition import component_arguments
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.middleware import DISCOVERY
from openral_bringup.graph.nodes import NodeSpec, node_arguments
from openral_bringup.graph.resources import dds_profile, executable_path
from openral_core.backoff import ExponentialBackoff
from openral_core.discovery import apply_discovery, chosen_discovery

OnLine = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Respawn:
    """Restart policy: the delay ``back_off`` [s] doubles with each consecutive death, up to ``longest`` [s].

    After ``limit`` consecutive deaths the node is left down; a run of ``healthy`` [s] resets the count.
    """

    limit: int = 5
    back_off: float = 1.0
    longest: float = 8.0
    healthy: float = 60.0

    def in_a_row(self, before: int, ran: float) -> int:
        """Return the number of consecutive deaths after one more, of a node that ran for ``ran`` [s]."""
        return 1 if ran >= self.healthy else before + 1

    def delay(self, deaths: int) -> float | None:
        """Return the delay before the next start [s], or None if the node is left down."""
        return None if deaths > self.limit else ExponentialBackoff(self.back_off, self.longest).delay(deaths)


class NodeProcess:
    """One node, or a container of several, as a child process, which is restarted until it is stopped."""

    def __init__(
        self, spec: NodeSpec, folder: Path, environment: Mapping[str, str], on_line: OnLine, respawn: Respawn
    ) -> None:
        self.spec = spec
        self.deaths = 0
        self.given_up = False
        self._command = command_of(spec, folder)
        self._environment, self._on_line, self._respawn = spec.environment(environment), on_line, respawn
        self._process: asyncio.subprocess.Process | None = None
        self._started = time.monotonic()
        self._stopping = asyncio.Event()

    @property
    def pid(self) -> int | None:
        """Id of the running process, or None."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process is not None else None

    def restart_if_older(self, age: float, reason: str) -> None:
        """Kill a process that has run for ``age`` [s]; the policy restarts it."""
        if self.pid is not None and time.monotonic() - self._started > age:
            self._on_line(self.spec.key, f"[ERROR] {reason}; its process is killed and started again")
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def keep(self) -> None:
        """Run the node and restart it as the policy says, until it is signalled."""
        in_a_row = 0
        while not self._stopping.is_set():
            start = time.monotonic()
            await self._run_once()
            if self._stopping.is_set():
                return
            self.deaths += 1
            in_a_row = self._respawn.in_a_row(in_a_row, time.monotonic() - start)
            delay = self._respawn.delay(in_a_row)
            if delay is None:
                self.given_up = True
                self._on_line(self.spec.key, f"died {in_a_row} times in a row; giving up")
                return
            self._on_line(self.spec.key, f"died; restarting in {delay:.0f} s")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), delay)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the node if it runs, and do not restart it."""
        self._stopping.set()
        pid = self.pid
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    async def _run_once(self) -> None:
        self._started = time.monotonic()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                env=dict(self._environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
                limit=1 << 20,
            )
        except OSError as error:
            self._on_line(self.spec.key, f"[ERROR] could not be started: {error}")
            return
        if self._stopping.is_set():  # it was being started when the shutdown began
            self._process.kill()
        if self._process.stdout is not None:
            while line := await read_line(self._process.stdout):
                self._on_line(self.spec.key, line.decode(errors="replace").rstrip())
        await self._process.wait()


def command_of(spec: NodeSpec, folder: Path) -> list[str]:
    """Return the command line of a process and write the parameters of its nodes to ``folder``/params.

    If the system has setpriv, the child also ends when this process is killed.
    """
    guard = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
    executable = str(executable_path(spec.package, spec.executable))
    own = ["--ros-args", "--log-level", spec.log_level, "--enclave", spec.qualified]
    if spec.members:
        return [*guard, executable, *own, "--", *component_arguments(spec.members, folder / "params")]
    return [*guard, executable, *own, *node_arguments(spec, folder / "params")]


async def read_line(stream: asyncio.StreamReader) -> bytes:
    """Return the next line; a line longer than the buffer comes in pieces."""
    try:
        return await stream.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        return error.partial
    except asyncio.LimitOverrunError as error:
        return await stream.readexactly(error.consumed)


ALARMS = ("[ERROR]", "[FATAL]", "Traceback", "died")
MAX_LOG_SIZE = 32_000_000
"""Size at which a log file is rotated to ``<name>.1.log`` [bytes]."""


class RunLogs:
    """Log files of the nodes: one each, one with all lines, and the last alarms for the console.

    A log that cannot be written raises one alarm, and another one when it is written again.
    """

    def __init__(self, folder: Path, max_size: int = MAX_LOG_SIZE) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._max_size = folder, max_size
        self._files: dict[str, TextIO] = {}
        self._written: dict[str, int] = {}
        self._lost = 0
        self.alarms: deque[str] = deque(maxlen=5)
        self.alarm_count = 0

    def write(self, node: str, line: str) -> None:
        """Log one line of a node's output."""
        try:
            self._append(node, line)
            self._append("all", f"[{node}] {line}")
            if self._lost:
                self._alarm(f"[deploy] Logs are written again to {self._folder}; {self._lost} lines are lost")
                self._lost = 0
        except OSError as error:
            self.close()  # a file's buffer may hold the line that was refused
            self._lost += 1
            if self._lost == 1:
                self._alarm(f"[deploy] [ERROR] Cannot write logs to {self._folder}: {error}; lines are lost")
        if any(word in line for word in ALARMS):
            self._alarm(f"[{node}] {line}")

    def alarms_since(self, count: int) -> list[str]:
        """Return the alarms raised after the first ``count``, as far as they are still kept."""
        new = self.alarm_count - count
        return list(self.alarms)[-new:] if new else []

    def close(self) -> None:
        """Close every file."""
        for file in self._files.values():
            with suppress(OSError):
                file.close()
        self._files.clear()

    def _alarm(self, line: str) -> None:
        self.alarms.append(line)
        self.alarm_count += 1

    def _append(self, name: str, line: str) -> None:
        if self._written.get(name, 0) > self._max_size:
            self._rotate(name)
        file = self._files.get(name) or self._opened(name)
        file.write(line + "\n")
        self._written[name] += len(line) + 1

    def _opened(self, name: str) -> TextIO:
        path = self._folder / f"{name}.log"
        file = self._files[name] = path.open("a", encoding="utf-8", errors="replace", buffering=1)
        self._written[name] = path.stat().st_size
        return file

    def _rotate(self, name: str) -> None:
        with suppress(OSError):
            self._files.pop(name).close()
        (self._folder / f"{name}.log").replace(self._folder / f"{name}.1.log")
        self._written[name] = 0


RESPAWN = Respawn()
SIGINT_GRACE = 2.5
"""Time for a node to end after SIGINT [s]."""
SIGTERM_GRACE = 1.0
"""Time for a node to end after SIGTERM, and after SIGKILL [s]."""
POLL_PERIOD = 0.02
"""Time between two checks whether all processes have ended [s]."""


class ProcessSupervisor:
    """Supervisor of all nodes of a graph."""

    def __init__(
        self,
        graph: GraphDescription,
        folder: Path,
        environment: Mapping[str, str],
        respawn: Respawn = RESPAWN,
    ) -> None:
        self.logs = RunLogs(folder / "logs")
        self._nodes = graph.started
        self.processes = tuple(
            NodeProcess(spec, folder, environment, self.logs.write, respawn) for spec in graph.processes
        )
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    def start(self) -> None:
        """Start every node; they run until `stop`."""
        write_first_records(self._nodes)
        self._tasks = tuple(asyncio.create_task(process.keep()) for process in self.processes)

    async def stop(self) -> None:
        """End every node within 6 s, the last started first, by SIGINT, SIGTERM and SIGKILL.

        A node counts as ended when its process has, even if its supervising task ended earlier.
        """
        for number, grace in (
            (signal.SIGINT, SIGINT_GRACE),
            (signal.SIGTERM, SIGTERM_GRACE),
            (signal.SIGKILL, SIGTERM_GRACE),
            (signal.SIGKILL, SIGTERM_GRACE),
        ):
            for process in reversed(self.processes):
                process.signal(number)
            if await self._ended(grace):
                break
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.logs.close()
        remove_stale_segments()

    async def _ended(self, grace: float) -> bool:
        """Wait up to ``grace`` [s]; return whether no process is left, nor a task that would start one."""
        deadline = time.monotonic() + grace
        while True:
            processes = any(process.pid is not None for process in self.processes)
            if not processes and all(task.done() for task in self._tasks):
                return True
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(POLL_PERIOD)

    def restarts(self) -> dict[str, int]:
        """Return the number of deaths of each node's process, by the node's key."""
        return {node.key: process.deaths for process in self.processes for node in process.spec.run_nodes}


def child_environment(domain: int | None, log_folder: Path) -> dict[str, str]:
    """Return the environment for nodes: that of this process, unbuffered, with logs in the run folder."""
    environment = {"MUJOCO_GL": "egl", **os.environ}
    apply_discovery(environment, chosen_discovery(environment), dds_profile(DISCOVERY))
    fixed = {
        "PYTHONUNBUFFERED": "1",
        "RCUTILS_LOGGING_BUFFERED_STREAM": "0",
        "ROS_LOG_DIR": str(log_folder / "ros"),
    }
    return environment | fixed | ({} if domain is None else {"ROS_DOMAIN_ID": str(domain)})
