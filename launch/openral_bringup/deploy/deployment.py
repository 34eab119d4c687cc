"""One deployment: supervisor, observer, screen and session put together, and taken apart again."""
# MERGED Where a run keeps its logs and recording.

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import Coroutine, Sequence
from io import StringIO
from pathlib import Path

from openral_bringup.deploy.console import show
from openral_bringup.deploy.mission_runner import MissionRunner, RunTimeouts
from openral_bringup.deploy.monitor_node import MonitorNode
from openral_bringup.deploy.process_supervisor import ProcessSupervisor, Respawn, child_environment
from openral_bringup.deploy.report import RunOutcome, report, save
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.options import DeploymentOptions

RUNS = Path("runs")
LATEST = "latest"


def run_folder(goals: Sequence[str], chosen: Path | None) -> Path:
    """The folder that was chosen, else a new one below ``runs`` named for the moment and the goals."""
    return (chosen or RUNS / _name(goals)).absolute()


def make_folder(folder: Path) -> None:
    """Make the folder; below ``runs``, the link ``latest`` points to it from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.parent != RUNS.absolute():
        return
    fresh = folder.parent / f".{LATEST}.{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.name)
    fresh.replace(folder.parent / LATEST)


def _name(goals: Sequence[str]) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", " ".join(goals).lower()).strip("-")[:40]
    return time.strftime("%Y%m%d-%H%M%S") + (f"-{words}" if words else "")


INTERRUPTED = 130


async def deployment(
    choices: DeploymentOptions,
    graph: GraphDescription,
    goals: Sequence[str],
    folder: Path,
    domain: int | None,
) -> int:
    """Bring the graph up, pursue the goals, report each, and leave nothing behind.

    Without goals the graph stays up until it is interrupted.

    Returns:
        The exit code.
    """
    make_folder(folder)
    environment = child_environment(domain, folder / "logs")
    os.environ["ROS_LOG_DIR"] = environment["ROS_LOG_DIR"]
    supervisor = ProcessSupervisor(graph, folder, environment, Respawn(choices.max_restarts))
    observer = MonitorNode(choices.namespace, choices.camera_bases, graph.listening, domain)
    session = MissionRunner(
        observer, folder, RunTimeouts(), lambda: list(supervisor.logs.alarms), supervisor.restarts
    )
    outcomes: list[RunOutcome] = []
    for node in graph.started:
        for name, value in node.variables.items():
            print(f"{node.key} runs with {name}={value}")
    supervisor.start()
    screen = asyncio.create_task(show(supervisor, observer, session))
    try:
        return await _interruptible(session.run(goals, outcomes.append) if goals else session.idle())
    finally:
        screen.cancel()
        await asyncio.gather(screen, return_exceptions=True)
        observer.close()
        await supervisor.stop()
        for outcome in outcomes:
            _tell(outcome, folder)


def _tell(outcome: RunOutcome, folder: Path) -> None:
    """Save and print how a goal ended, each although the other may fail: disks are full, terminals go."""
    problem = ""
    try:
        save(outcome, folder)
    except OSError as error:
        problem = f"\nnot saved: {error}"
    try:
        print(report(outcome, folder) + problem, flush=True)
    except OSError:  # the terminal is gone, as after SIGHUP
        sys.stdout = StringIO()


async def _interruptible(work: Coroutine[None, None, int]) -> int:
    """Run ``work``; SIGINT, SIGTERM and the loss of the terminal (SIGHUP) end it with exit code 130."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return INTERRUPTED
