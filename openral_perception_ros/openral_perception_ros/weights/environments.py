"""Python environments of engines, made by an explicit command."""

import subprocess
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest

Run = Callable[[Sequence[str]], int]


class NoEnvironmentNeeded(OpenRALError):
    """A detector that runs in the main environment."""

    def __init__(self, manifest: DetectorManifest) -> None:
        super().__init__(f"{manifest.id!r} runs in the main environment: nothing to prepare")


class InstallationFailed(OpenRALError):
    """Packages that could not be installed."""

    def __init__(self, requirements: Path, status: int) -> None:
        super().__init__(f"pip could not install {requirements} (exit code {status}): see its output above")


def shown(command: Sequence[str]) -> int:
    """Run a command in sight of the user; its exit code."""
    return subprocess.run(list(command), check=False).returncode


def prepare(manifest: DetectorManifest, folder: Path, environments: Path, run: Run = shown) -> Path:
    """Make or bring up to date the environment of one detector; its interpreter.

    Raises:
        NoEnvironmentNeeded: If it has none of its own.
        InstallationFailed: If a package cannot be had.
    """
    environment = manifest.environment
    if not environment.requirements:
        raise NoEnvironmentNeeded(manifest)
    home, requirements = environments / environment.name, folder / environment.requirements
    if not (home / "bin" / "python").exists():
        venv.create(home, with_pip=True, symlinks=True, prompt=environment.name)
    interpreter = home / "bin" / "python"
    status = run([str(interpreter), "-m", "pip", "install", "--requirement", str(requirements)])
    if status != 0:
        raise InstallationFailed(requirements, status)
    return interpreter
