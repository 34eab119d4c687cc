"""All processes of one deployment."""

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from openral_bringup.deploy.logs import RunLogs
from openral_bringup.deploy.processes import NodeProcess, Respawn
from openral_bringup.deploy.shared_memory import remove_orphans
from openral_bringup.graphs import GraphDescription

RESPAWN = Respawn()
GENTLE, FIRM = 2.5, 1.0
"""Time a node has to end by itself, and after SIGTERM [s]; then it is killed."""
POLL = 0.02
"""Between two looks whether all have ended [s]."""


class Supervisor:
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
        remove_orphans()

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
