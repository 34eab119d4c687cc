"""Checks that a page runs on demand: `openral doctor` and `openral robot check`, as processes.

They only read: the machine, and the topics of the robot. One runs at a time, and its findings are kept for a
while, so that no number of requests makes them cost more.
"""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from openral_console.sections import Json
from openral_console.source import ConsoleError, RejectedCommand
from openral_core.errors import format_choices

TIMEOUT = 90.0
"""Longest duration of a check [s]; on a busy machine the doctor takes ten seconds."""
LIFETIME = 15.0
"""Time for which findings are repeated instead of being found anew [s]."""
NICE = ("nice", "-n", "10")
"""A check gives way to the robot."""
MAX_OUTPUT = 200_000
"""Largest output of a check [bytes]."""


class CheckFailed(ConsoleError):
    """A check that did not report."""

    status = 503

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the check {name!r} did not report: {reason}")


class Checks:
    """Checks by name.

    Args:
        commands: Program and arguments of each; it prints its findings as JSON.
    """

    def __init__(self, commands: Mapping[str, Sequence[str]]) -> None:
        self._commands, self._turn = commands, asyncio.Lock()
        self._findings: dict[str, tuple[float, Json]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the checks."""
        return list(self._commands)

    async def run(self, name: object) -> Json:
        """Return the findings of a check.

        Raises:
            RejectedCommand: If there is none of this name.
            CheckFailed: If it did not report in time.
        """
        if not isinstance(name, str) or name not in self._commands:
            raise RejectedCommand(f"unknown check {str(name)[:40]!r}: {format_choices(self._commands)}")
        async with self._turn:
            since, findings = self._findings.get(name, (0.0, None))
            if findings is None or time.monotonic() - since > LIFETIME:
                findings = await self._find(name)
                self._findings[name] = time.monotonic(), findings
        return findings

    async def _find(self, name: str) -> Json:
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *NICE, *self._commands[name], stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
            )
        except OSError as error:
            raise CheckFailed(name, str(error.strerror)) from error
        try:
            output, errors = await asyncio.wait_for(process.communicate(), TIMEOUT)
        except TimeoutError as error:
            raise CheckFailed(name, f"nothing within {TIMEOUT:g} s") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        try:
            findings: Json = json.loads(output[:MAX_OUTPUT])
        except (ValueError, RecursionError) as error:
            lines = errors.decode(errors="replace").strip().splitlines()
            raise CheckFailed(
                name, lines[-1][:500] if lines else f"exit code {process.returncode}"
            ) from error
        return findings


def standard_checks(robot: Path | None = None) -> Checks:
    """Return the checks of a console; a robot's needs its ``robot.yaml``."""
    commands: dict[str, Sequence[str]] = {"doctor": ("openral", "doctor", "--json")}
    if robot is not None:
        commands["robot"] = ("openral", "robot", "check", "--json", "--robot", str(robot))
    return Checks(commands)
