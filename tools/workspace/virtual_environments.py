"""The virtual environment: pinned wheels, including ROS 2 if the system has none."""

import os
import subprocess
import sys
from pathlib import Path

from workspace.cmake_paths import relocate_wheels
from workspace.errors import WorkspaceError
from workspace.fingerprint import digest, digest_of_files
from workspace.interpreter_switch import switch_interpreter
from workspace.paths import Layout
from workspace.ros_sources import SYSTEM_PYTHON, RosSource
from workspace.shell import run, step

COMMON = ("build.txt", "runtime.txt", "models.txt", "mcp.txt", "sim.txt", "dev.txt")
WHEELS_OF_ROS = ("ros.txt", "ros_robot.txt")
WITHOUT_DEPENDENCIES = "sim_assets.txt"
STAMP = ".openral-installed"
INSTALLING = ".openral-installing"


class InterpreterMismatch(WorkspaceError):
    """ROS 2 of the system is built for another version of Python."""

    def __init__(self, ros: RosSource) -> None:
        found = "{}.{} at {}".format(*sys.version_info[:2], sys.executable)
        needed = "{}.{}".format(*SYSTEM_PYTHON)
        super().__init__(
            f"{ros} needs Python {needed}; found {found}. Run: make PYTHON=/usr/bin/python{needed}"
        )


def ensure_virtual_environment(layout: Layout, ros: RosSource) -> None:
    """Create or update `.venv`; do nothing if its stamp is current. One of another Python version is kept.

    Raises:
        InterpreterMismatch: If ROS 2 of the system is built for another version of Python.
    """
    if ros.is_system and sys.version_info[:2] != SYSTEM_PYTHON:
        raise InterpreterMismatch(ros)
    switch_interpreter(layout)
    wanted = wanted_stamp(layout, ros)
    stamp = layout.venv / STAMP
    if layout.python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    _create_if_unusable(layout, ros)
    stamp.unlink(missing_ok=True)
    installing = layout.venv / INSTALLING
    installing.touch()
    _install(layout, ros)
    installing.unlink()
    stamp.write_text(wanted)


def wanted_stamp(layout: Layout, ros: RosSource) -> str:
    """Return a digest of everything that defines the virtual environment, including its location."""
    files = [layout.requirements / name for name in _files(ros)]
    place = str(layout.venv.resolve())
    return digest([place, sys.base_prefix, sys.version, str(ros), digest_of_files(files)])


def _files(ros: RosSource) -> tuple[str, ...]:
    return (
        (*COMMON, WITHOUT_DEPENDENCIES) if ros.is_system else (*COMMON, *WHEELS_OF_ROS, WITHOUT_DEPENDENCIES)
    )


def _create_if_unusable(layout: Layout, ros: RosSource) -> None:
    """Recreate it after an interrupted installation or a move; a shared environment stays as it is."""
    if layout.venv.is_symlink() or (
        _has_pip(layout.python) and not _interrupted(layout) and not _made_otherwise(layout, ros)
    ):
        return
    with step("Creating the virtual environment .venv"):
        options = ["--system-site-packages"] if ros.is_system else []
        command: list[str | Path] = [base_interpreter(), "-m", "venv", "--clear", *options, layout.venv]
        run("python -m venv", command, layout.logs / "venv.log", clean_environment())


def _has_pip(python: Path) -> bool:
    return (
        python.exists()
        and subprocess.run([python, "-m", "pip", "-V"], capture_output=True, check=False).returncode == 0
    )


def _interrupted(layout: Layout) -> bool:
    return (layout.venv / INSTALLING).exists()


def _made_otherwise(layout: Layout, ros: RosSource) -> bool:
    """Test if it was created elsewhere, to which its scripts point, by another Python or for another ROS."""
    made = (layout.venv / "pyvenv.cfg").read_text()
    expected = (
        str(layout.venv),
        "version = {}.{}.{}".format(*sys.version_info[:3]),
        f"include-system-site-packages = {str(ros.is_system).lower()}",
    )
    return not all(line in made for line in expected)


def _install(layout: Layout, ros: RosSource) -> None:
    pip: list[str | Path] = [
        layout.python,
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
    ]
    together = [name for name in _files(ros) if name != WITHOUT_DEPENDENCIES]
    named: list[str | Path] = [part for name in together for part in ("-r", layout.requirements / name)]
    env = clean_environment()
    with step(f"Installing pinned wheels ({', '.join(together)}); the first time takes a minute or two"):
        run("pip install", [*pip, *named], layout.logs / "pip.log", env)
        assets = [*pip, "--no-deps", "-r", layout.requirements / WITHOUT_DEPENDENCIES]
        run("pip install (assets)", assets, layout.logs / "pip-assets.log", env)
    if not ros.is_system:
        relocate_wheels(_include(layout.python), layout.venv.resolve())


def _include(python: Path) -> Path:
    """Return the header folder of the interpreter of the virtual environment."""
    question = "import sysconfig; print(sysconfig.get_path('include'))"
    return Path(
        subprocess.run([python, "-c", question], capture_output=True, text=True, check=True).stdout.strip()
    )


def base_interpreter() -> Path:
    """Return the interpreter from which the current virtual environment, if any, was created."""
    return Path(sys.base_prefix, "bin", "python{}.{}".format(*sys.version_info[:2]))


def clean_environment() -> dict[str, str]:
    """Return the environment without variables that lead pip to packages outside the virtual environment."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
