"""The conformance kit of skill servers in a process of its own, as a user runs it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

RSKILLS = Path(__file__).parents[1] / "rskills"
LONGEST = 100.0
"""Longest run of the kit [s]."""


class Kit:
    """A run of the kit in a ROS domain; the caller spins the server until it has ended."""

    def __init__(self, folder: Path, goals: Mapping[str, object], *options: str, domain: int) -> None:
        self._output = folder / "kit.txt"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "/"]
        command += ["--openral-skill-server", "/", "--openral-skill-goals", str(write_goals(folder, goals))]
        with self._output.open("w") as output:
            self._process = subprocess.Popen(
                [*command, "--openral-skill-manifests", str(RSKILLS), *options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={
                    **os.environ,
                    "ROS_DOMAIN_ID": str(domain),
                    "PYTEST_ADDOPTS": "",
                },  # colcon's are of its run
                cwd="/",
            )

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def wait(self, timeout: float) -> None:
        """Wait until it has ended, for a server that spins in another process."""
        self._process.wait(timeout)

    @property
    def passed(self) -> bool:
        return self._process.returncode == 0

    @property
    def output(self) -> str:
        return self._output.read_text()


def write_goals(folder: Path, goals: Mapping[str, object]) -> Path:
    file = folder / "goals.yaml"
    file.write_text(yaml.safe_dump(dict(goals)))
    return file
