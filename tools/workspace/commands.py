"""The two commands: set the workspace up; set it up and build it."""

import argparse
import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from workspace.builds import ensure_built
from workspace.errors import WorkspaceError
from workspace.layouts import Layout
from workspace.ros_sources import find_ros
from workspace.system_packages import ensure_system_packages
from workspace.virtual_environments import ensure_virtual_environment

INTERRUPTED = 130


def main() -> int:
    """Run one command; its exit status is 0 if the workspace is as wanted."""
    parser = argparse.ArgumentParser(prog="python3 -m workspace", description=__doc__)
    parser.add_argument("command", choices=("setup", "build"))
    command = parser.parse_args().command
    layout = Layout.here()
    try:
        with _alone(layout):
            _bring_up_to_date(layout, with_packages=command == "build")
    except WorkspaceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted; the same command goes on from here.\n")
        return INTERRUPTED
    return 0


def _bring_up_to_date(layout: Layout, with_packages: bool) -> None:
    ros = find_ros()
    ensure_system_packages(layout.logs)
    ensure_virtual_environment(layout, ros)
    if with_packages:
        ensure_built(layout, ros)


@contextmanager
def _alone(layout: Layout) -> Iterator[None]:
    """Let one set-up at a time work on this checkout; a second one waits for it."""
    layout.logs.mkdir(parents=True, exist_ok=True)
    with (layout.logs / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write("Another set-up of this workspace is running; waiting for it.\n")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
