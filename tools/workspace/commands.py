"""Commands of `python3 -m workspace`."""

import argparse
import fcntl
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from workspace.browser import ensure_browser
from workspace.builds import ensure_built
from workspace.docs_environment import ensure_docs_environment
from workspace.errors import WorkspaceError
from workspace.paths import Layout
from workspace.ros_sources import RosSource, find_ros
from workspace.system_packages import ensure_system_packages
from workspace.tool_environments import (
    ensure_audit_environment,
    ensure_engine_environment,
    ensure_games_environment,
    ensure_lerobot_environment,
    ensure_training_environment,
)
from workspace.virtual_environments import ensure_virtual_environment

INTERRUPTED = 130
"""Exit status after SIGINT, as shells report it."""


def set_up(layout: Layout) -> RosSource:
    """Install system packages and the virtual environment; return the ROS 2 they belong to."""
    ros = find_ros()
    ensure_system_packages(layout.logs)
    ensure_virtual_environment(layout, ros)
    return ros


def build(layout: Layout) -> None:
    """Set up, then build the packages that changed."""
    ensure_built(layout, set_up(layout))


def build_for_robots(layout: Layout) -> None:
    """Build, with the interfaces of Nav2, MoveIt and ros2_control that ROS does not provide."""
    ensure_built(layout, set_up(layout), robot=True)


def build_lab(layout: Layout) -> None:
    """Build, with the packages of the laboratory."""
    ensure_built(layout, set_up(layout), lab=True)


def build_mcp(layout: Layout) -> None:
    """Build, with the MCP server."""
    ensure_built(layout, set_up(layout), mcp=True)


COMMANDS: Mapping[str, Callable[[Layout], object]] = {
    "setup": set_up,
    "build": build,
    "robot": build_for_robots,
    "lab": build_lab,
    "mcp": build_mcp,
    "browser": ensure_browser,
    "engines": ensure_engine_environment,
    "training": ensure_training_environment,
    "lerobot": ensure_lerobot_environment,
    "games": ensure_games_environment,
    "docs": ensure_docs_environment,
    "audit": ensure_audit_environment,
}


def main() -> int:
    """Run one command; the exit status is 0 on success."""
    parser = argparse.ArgumentParser(prog="python3 -m workspace", description=__doc__)
    parser.add_argument("command", choices=tuple(COMMANDS))
    command = COMMANDS[parser.parse_args().command]
    layout = Layout.here()
    try:
        with _locked(layout):
            command(layout)
    except WorkspaceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted; run the same command to continue.\n")
        return INTERRUPTED
    return 0


@contextmanager
def _locked(layout: Layout) -> Iterator[None]:
    """Hold the lock of this checkout; a second set-up waits for it."""
    layout.logs.mkdir(parents=True, exist_ok=True)
    with (layout.logs / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write("Another set-up of this workspace is running; waiting for it to finish.\n")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
