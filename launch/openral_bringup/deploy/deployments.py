"""One deployment: supervisor, observer, screen and session put together, and taken apart again."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Sequence
from io import StringIO
from pathlib import Path

from openral_bringup.deploy.observers import Observer
from openral_bringup.deploy.processes import Respawn
from openral_bringup.deploy.reports import Outcome, report, save
from openral_bringup.deploy.run_folders import make_folder
from openral_bringup.deploy.screens import show
from openral_bringup.deploy.sessions import Patience, Session
from openral_bringup.deploy.supervisors import Supervisor, child_environment
from openral_bringup.graphs import Choices, GraphDescription

INTERRUPTED = 130


async def deployment(
    choices: Choices, graph: GraphDescription, goals: Sequence[str], folder: Path, domain: int | None
) -> int:
    """Bring the graph up, pursue the goals, report each, and leave nothing behind.

    Without goals the graph stays up until it is interrupted.

    Returns:
        The exit code.
    """
    make_folder(folder)
    environment = child_environment(domain, folder / "logs")
    os.environ["ROS_LOG_DIR"] = environment["ROS_LOG_DIR"]
    supervisor = Supervisor(graph, folder, environment, Respawn(choices.max_restarts))
    observer = Observer(choices.namespace, choices.camera_bases, graph.listening, domain)
    session = Session(observer, folder, Patience(), lambda: list(supervisor.logs.alarms), supervisor.restarts)
    outcomes: list[Outcome] = []
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


def _tell(outcome: Outcome, folder: Path) -> None:
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
