"""One node as a child process: started, logged, started again when it dies, and ended for certain."""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from openral_bringup.graphs.locations import executable_path
from openral_bringup.graphs.nodes import NodeSpec

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
        return None if deaths > self.limit else min(self.longest, self.back_off * 2.0 ** (deaths - 1))


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
