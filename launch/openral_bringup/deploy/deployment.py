"""One deployment from start to end: run folder, supervisor, monitor node, console and mission runner."""

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
from openral_bringup.deploy.mission_runner import MissionRunner, RunOutcome, RunTimeouts, report, save
from openral_bringup.deploy.monitor_node import MonitorNode
from openral_bringup.deploy.process_supervisor import ProcessSupervisor, Respawn, child_environment
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.options import DeploymentOptions

RUNS = Path("runs")
LATEST = "latest"


def run_folder(goals: Sequence[str], chosen: Path | None) -> Path:
    """Return the folder that was chosen, else a new one below ``runs`` named by time and goals."""
    return (chosen or RUNS / _name(goals)).absolute()


def make_folder(folder: Path) -> None:
    """Create the folder; a folder below ``runs`` also becomes the target of the link ``latest``."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.parent != RUNS.absolute():
        return
    fresh = folder.parent / f".{LATEST}.{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.name)
    fresh.replace(folder.parent / LATEST)


def _name(goals: Sequence[str]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", " ".join(goals).lower()).strip("-")[:40]
    return time.strftime("%Y%m%d-%H%M%S") + (f"-{slug}" if slug else "")


INTERRUPTED = 130


async def deployment(
    options: DeploymentOptions,
    graph: GraphDescription,
    goals: Sequence[str],
    folder: Path,
    domain: int | None,
) -> int:
    """Bring the graph up, pursue the goals, report each, and end every process.

    Without goals the graph stays up until it is interrupted.

    Returns:
        The exit code.
    """
    make_folder(folder)
    environment = child_environment(domain, folder / "logs")
    os.environ["ROS_LOG_DIR"] = environment["ROS_LOG_DIR"]
    supervisor = ProcessSupervisor(graph, folder, environment, Respawn(options.max_restarts))
    monitor = MonitorNode(options.namespace, options.camera_bases, graph.listening, domain)
    runner = MissionRunner(
        monitor, folder, RunTimeouts(), lambda: list(supervisor.logs.alarms), supervisor.restarts
    )
    outcomes: list[RunOutcome] = []
    for node in graph.started:
        for name, value in node.variables.items():
            print(f"{node.key}: environment {name}={value}")
    supervisor.start()
    screen = asyncio.create_task(show(supervisor, monitor, runner))
    try:
        return await _interruptible(runner.run(goals, outcomes.append) if goals else runner.idle())
    finally:
        screen.cancel()
        await asyncio.gather(screen, return_exceptions=True)
        monitor.close()
        await supervisor.stop()
        for outcome in outcomes:
            _report(outcome, folder)


def _report(outcome: RunOutcome, folder: Path) -> None:
    """Save and print the outcome of a goal; a full disk or a closed terminal prevents only one of them."""
    problem = ""
    try:
        save(outcome, folder)
    except OSError as error:
        problem = f"\nnot saved: {error}"
    try:
        print(report(outcome, folder) + problem, flush=True)
    except OSError:  # the terminal was closed, as after SIGHUP
        sys.stdout = StringIO()


async def _interruptible(work: Coroutine[None, None, int]) -> int:
    """Run ``work``; SIGINT, SIGTERM and SIGHUP (closed terminal) cancel it with exit code 130."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return INTERRUPTED
