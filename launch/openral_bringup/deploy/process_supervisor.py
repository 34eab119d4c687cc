"""One node as a child process: started, logged, started again when it dies, and ended for certain."""
# MERGED All processes of one deployment.
# MERGED What the nodes print: one file each, one with everything, and the last warnings for the view.

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

import yaml

from openral_bringup.deploy.shm_cleanup import remove_stale_segments
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.node_spec import NodeSpec
from openral_bringup.graph.resources import executable_path
from openral_core.backoff import ExponentialBackoff

OnLine = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Respawn:
    """When a node that died is started again: ``back_off`` [s] doubles with each death in a row.

    One that ran for ``healthy`` [s] died for the first time.
    """

    limit: int = 5
    back_off: float = 1.0
    longest: float = 8.0
    healthy: float = 60.0

    def in_a_row(self, before: int, ran: float) -> int:
        """Deaths in a row after one more, of a node that ran for ``ran`` [s]."""
        return 1 if ran >= self.healthy else before + 1

    def wait(self, deaths: int) -> float | None:
        """Time to wait before the next start [s], or None when it is left down."""
        return None if deaths > self.limit else ExponentialBackoff(self.back_off, self.longest).delay(deaths)


class NodeProcess:
    """Keeps one node running until it is stopped."""

    def __init__(
        self, spec: NodeSpec, folder: Path, environment: Mapping[str, str], on_line: OnLine, respawn: Respawn
    ) -> None:
        self.spec = spec
        self.deaths = 0
        self.given_up = False
        self._command = command_of(spec, folder)
        self._environment, self._on_line, self._respawn = spec.environment(environment), on_line, respawn
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = asyncio.Event()

    @property
    def pid(self) -> int | None:
        """The running process, or None."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process is not None else None

    async def keep(self) -> None:
        """Run the node; start it again as the respawn policy says, until `stop`."""
        in_a_row = 0
        while not self._stopping.is_set():
            begun = time.monotonic()
            await self._run_once()
            if self._stopping.is_set():
                return
            self.deaths += 1
            in_a_row = self._respawn.in_a_row(in_a_row, time.monotonic() - begun)
            wait = self._respawn.wait(in_a_row)
            if wait is None:
                self.given_up = True
                self._on_line(self.spec.key, f"died {in_a_row} times in a row and is left down")
                return
            self._on_line(self.spec.key, f"died; starting again in {wait:.0f} s")
            await self._pause(wait)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the node, if it runs, and never start it again."""
        self._stopping.set()
        pid = self.pid
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    async def _run_once(self) -> None:
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
        if self._stopping.is_set():  # it was being started when everything was told to end
            self._process.kill()
        if self._process.stdout is not None:
            await self._copy(self._process.stdout)
        await self._process.wait()

    async def _copy(self, stream: asyncio.StreamReader) -> None:
        while line := await _line_of(stream):
            self._on_line(self.spec.key, line.decode(errors="replace").rstrip())

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return


def command_of(spec: NodeSpec, folder: Path) -> list[str]:
    """The command line of a node; its parameters are written to ``folder``/params.

    Where the system has setpriv, the child also ends when this process is killed outright.
    """
    file = folder / "params" / f"{spec.key}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump({spec.qualified: {"ros__parameters": dict(spec.parameters)}}))
    guard = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
    names = ["-r", f"__node:={spec.name}", "-r", f"__ns:={spec.namespace or '/'}"]
    names += [word for name, other in spec.remaps.items() for word in ("-r", f"{name}:={other}")]
    executable = str(executable_path(spec.package, spec.executable))
    return [
        *guard,
        executable,
        "--ros-args",
        *names,
        "--log-level",
        spec.log_level,
        "--params-file",
        str(file),
    ]


async def _line_of(stream: asyncio.StreamReader) -> bytes:
    """The next line; one longer than the buffer comes in pieces instead of ending the copy."""
    try:
        return await stream.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        return error.partial
    except asyncio.LimitOverrunError as error:
        return await stream.readexactly(error.consumed)


ALARMS = ("[ERROR]", "[FATAL]", "Traceback", "died")
MOST = 32_000_000
"""A file that is longer is kept once more as ``<name>.1.log``, and begun anew [bytes]."""


class RunLogs:
    """Prefixed logs in a folder. What cannot be written is told once: no node ends for want of a log."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._most = folder, most
        self._files: dict[str, TextIO] = {}
        self._written: dict[str, int] = {}
        self._lost = 0
        self.alarms: deque[str] = deque(maxlen=5)
        self.alarmed = 0

    def write(self, node: str, line: str) -> None:
        """Keep one line that a node printed."""
        try:
            self._append(node, line)
            self._append("all", f"[{node}] {line}")
        except OSError as error:
            self._lost += 1
            if self._lost == 1:
                self._alarm(f"[deploy] [ERROR] {self._folder} cannot be written to: {error}; lines are lost")
        if any(word in line for word in ALARMS):
            self._alarm(f"[{node}] {line}")

    def alarms_since(self, alarmed: int) -> list[str]:
        """Alarms that came after the count stood at ``alarmed``, as far as they are still known."""
        new = self.alarmed - alarmed
        return list(self.alarms)[-new:] if new else []

    def close(self) -> None:
        """Close every file."""
        for file in self._files.values():
            with suppress(OSError):
                file.close()
        self._files.clear()

    def _alarm(self, line: str) -> None:
        self.alarms.append(line)
        self.alarmed += 1

    def _append(self, name: str, line: str) -> None:
        if self._written.get(name, 0) > self._most:
            self._begin_anew(name)
        file = self._files.get(name) or self._opened(name)
        file.write(line + "\n")
        self._written[name] += len(line) + 1

    def _opened(self, name: str) -> TextIO:
        path = self._folder / f"{name}.log"
        file = self._files[name] = path.open("a", encoding="utf-8", errors="replace", buffering=1)
        self._written[name] = path.stat().st_size
        return file

    def _begin_anew(self, name: str) -> None:
        with suppress(OSError):
            self._files.pop(name).close()
        (self._folder / f"{name}.log").replace(self._folder / f"{name}.1.log")
        self._written[name] = 0


RESPAWN = Respawn()
GENTLE, FIRM = 2.5, 1.0
"""Time a node has to end by itself, and after SIGTERM [s]; then it is killed."""
POLL = 0.02
"""Between two looks whether all have ended [s]."""


class ProcessSupervisor:
    """Starts every node of a graph, keeps them running, and leaves nothing behind."""

    def __init__(
        self,
        graph: GraphDescription,
        folder: Path,
        environment: Mapping[str, str],
        respawn: Respawn = RESPAWN,
    ) -> None:
        self.logs = RunLogs(folder / "logs")
        self.processes = tuple(
            NodeProcess(node, folder, environment, self.logs.write, respawn) for node in graph.started
        )
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    def start(self) -> None:
        """Start every node; they run until `stop`."""
        self._tasks = tuple(asyncio.create_task(process.keep()) for process in self.processes)

    async def stop(self) -> None:
        """End every node, the last started first: asked, told, killed; within 5 s.

        What counts is that its process is gone: what follows it here may have ended earlier.
        """
        for number, patience in (
            (signal.SIGINT, GENTLE),
            (signal.SIGTERM, FIRM),
            (signal.SIGKILL, FIRM),
            (signal.SIGKILL, FIRM),
        ):
            for process in reversed(self.processes):
                process.signal(number)
            if await self._ended(patience):
                break
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.logs.close()
        remove_stale_segments()

    async def _ended(self, patience: float) -> bool:
        """Whether no process is left within ``patience`` [s], nor anything that would start one."""
        deadline = time.monotonic() + patience
        while self._is_running():
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(POLL)
        return True

    def _is_running(self) -> bool:
        processes = any(process.pid is not None for process in self.processes)
        return processes or not all(task.done() for task in self._tasks)

    def restarts(self) -> dict[str, int]:
        """How often each node died, by name."""
        return {process.spec.key: process.deaths for process in self.processes}


def child_environment(domain: int | None, log_folder: Path) -> dict[str, str]:
    """What nodes are given of: this environment, with unbuffered output and logs in the run folder."""
    chosen = {} if domain is None else {"ROS_DOMAIN_ID": str(domain)}
    defaults = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "MUJOCO_GL": "egl"}
    fixed = {
        "PYTHONUNBUFFERED": "1",
        "RCUTILS_LOGGING_BUFFERED_STREAM": "0",
        "ROS_LOG_DIR": str(log_folder / "ros"),
    }
    return {**defaults, **os.environ, **fixed, **chosen}
