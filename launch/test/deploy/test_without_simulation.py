"""A real robot's bring-up needs neither the simulation nor MuJoCo."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys
for module in {modules!r}:
    sys.modules[module] = None
from openral_bringup.deploy.main import {entry}
sys.exit({entry}())
"""


def run_without(modules: tuple[str, ...], entry: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process in which modules cannot be imported."""
    code = BLOCKED.format(modules=modules, entry=entry)
    command = [sys.executable, "-P", "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100.0, check=False)


def test_a_real_robot_is_described_without_the_simulation() -> None:
    absent = ("openral_sim", "mujoco", "mink", "ompl")
    done = run_without(absent, "robot_main", "--robot", "mobile_manipulator", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "skill_server" in done.stdout


@pytest.mark.parametrize("absent", ["openral_sim", "mujoco"])
def test_a_simulated_robot_says_what_it_needs(absent: str) -> None:
    done = run_without((absent,), "main", "--scene", "generated:3", "--dry-run")
    assert done.returncode == 2
    assert done.stderr.startswith(f"the simulation needs {absent!r}, which is not in this environment")
