"""A whole deployment as a child process, watched and ended by pid."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from openral_bringup.graph.middleware import LARGE_IMAGES, rmw_environment

ROOT = Path(__file__).parents[2]
FAST = ("--real-time-factor", "0")
ALONE = ("--no-mcap", "--console", "off")
"""Options without the processes beside the graph, which tests of the graph do not need."""
TOLD = ("--detectors", "groundtruth")
"""Detectors that are always right: what a test of the graph sees does not depend on weights."""
SIMULATED = ("deploy_sim.py", *FAST, *TOLD)
"""Program of a simulated robot, and its options."""
REAL = ("deploy_robot.py",)
"""Program of a real robot."""


class Deployment:
    """A deployment with its output in a file; use as a context manager."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        program: Sequence[str] = SIMULATED,
        through: Callable[[list[str]], list[str]] = list,
    ) -> None:
        """``through`` may put something before the command, such as a way to another host."""
        self.folder = folder
        self.output_file = folder / "output.txt"
        command = [sys.executable, program[0], "--record", str(folder), *ALONE, *program[1:], *arguments]
        self._command = through(command)

    def __enter__(self) -> "Deployment":
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.output_file.open("w") as out:
            self.process = subprocess.Popen(
                self._command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )
        self._family = [psutil.Process(self.process.pid)]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(timeout=5.0)
        for process in self.family():
            if process.is_running():
                process.kill()

    @property
    def output(self) -> str:
        """Everything it printed so far."""
        return self.output_file.read_text(errors="replace")

    def wait(self, timeout: float) -> int:
        """Its exit code."""
        try:
            return self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"no end within {timeout:.0f} s; its output:\n{self.output}") from error

    def wait_until_printed(self, words: str, timeout: float) -> None:
        """Wait until it printed these words."""
        until(lambda: words in self.output or self.process.poll() is not None, timeout, lambda: self.output)
        assert words in self.output, self.output

    def family(self) -> Sequence[psutil.Process]:
        """Every process it ever was seen to have started, and itself."""
        known = {process.pid: process for process in self._family}
        if psutil.pid_exists(self.process.pid):
            known |= {p.pid: p for p in psutil.Process(self.process.pid).children(recursive=True)}
        self._family = list(known.values())
        return self._family

    def pids(self, *words: str) -> list[int]:
        """Running processes whose command line, or their parent's, has all these words."""
        return [process.pid for process in self.family() if all(word in _lineage(process) for word in words)]

    def kill(self, *words: str) -> int:
        """Kill these processes outright; how many there were."""
        pids = self.pids(*words)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return len(pids)


@contextmanager
def foreign_robot(log: Path, **parameters: float) -> Iterator[None]:
    """Run the simulated robot behind the interfaces of Nav2, MoveIt and ros2_control, in the scene `home`."""
    settings = {"scene": ROOT / "scenes" / "deploy" / "home.yaml", **parameters}
    command = [sys.executable, "-P", "-m", "openral_testing.foreign_robot.ros.node", "--ros-args"]
    command += [word for name, value in settings.items() for word in ("-p", f"{name}:={value}")]
    with log.open("wb") as output:
        environment = {**os.environ, **rmw_environment(os.environ, LARGE_IMAGES)}
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=15.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def until(condition: Callable[[], bool], timeout: float, describe: Callable[[], str] = str) -> None:
    """Wait for a condition of the outside world, bounded."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout:.0f} s; {describe()}"
        time.sleep(0.05)


def alive(processes: Sequence[psutil.Process]) -> list[str]:
    """Command lines of those still running."""
    return [line for line in map(_command_line, processes) if line]


def _command_line(process: psutil.Process) -> str:
    """Return its processes; empty once it has ended, also between two calls."""
    try:
        running = process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        return " ".join(process.cmdline()) if running else ""
    except psutil.NoSuchProcess:
        return ""


def _lineage(process: psutil.Process) -> str:
    try:
        parent = process.parent()
        return " ".join([*process.cmdline(), *(parent.cmdline() if parent is not None else [])])
    except psutil.NoSuchProcess:
        return ""
