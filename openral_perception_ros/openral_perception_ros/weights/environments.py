"""Python environments of engines, created by an explicit command.

Run as a module inside an environment, it imports the engine and its packages to check that they work
together.
"""

import importlib
import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import engine_loader
from openral_perception_ros.inference.worker_command import worker_command

Run = Callable[[Sequence[str]], int]
IMPORTS = "openral_perception_ros.weights.environments"


class NoEnvironmentNeeded(OpenRALError):
    """A detector that runs in the main environment."""

    def __init__(self, manifest: DetectorManifest) -> None:
        super().__init__(f"{manifest.id!r} runs in the main environment; nothing to prepare")


class EnvironmentNotMade(OpenRALError):
    """A Python environment that could not be created."""

    def __init__(self, home: Path, reason: object) -> None:
        super().__init__(
            f"could not create a Python environment in {home}: {reason}; Debian and Ubuntu need python3-venv"
        )


class InstallationFailed(OpenRALError):
    """Packages that could not be installed."""

    def __init__(self, requirements: Path, status: int) -> None:
        super().__init__(f"pip could not install {requirements} (exit code {status}); see its output above")


class EngineNotImportable(OpenRALError):
    """Installed packages that do not work together on this machine."""

    def __init__(self, manifest: DetectorManifest, home: Path) -> None:
        super().__init__(
            f"engine {manifest.engine!r} cannot be imported in {home} although all packages are installed; "
            "see the reason above"
        )


def run_visibly(command: Sequence[str]) -> int:
    """Run another interpreter with its output visible; return the exit code.

    ``PYTHON*`` variables are dropped, or pip would count this environment's packages as installed.
    """
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(list(command), env=variables, check=False).returncode


def prepare(manifest: DetectorManifest, folder: Path, environments: Path, run: Run = run_visibly) -> Path:
    """Create or update a detector's environment and return its interpreter.

    An interrupted installation resumes on the next call.

    Raises:
        NoEnvironmentNeeded: If the detector has no environment of its own.
        EnvironmentNotMade: If the environment cannot be created.
        InstallationFailed: If a package cannot be installed.
        EngineNotImportable: If the engine cannot be imported.
    """
    environment = manifest.environment
    if not environment.requirements:
        raise NoEnvironmentNeeded(manifest)
    home, requirements = environments.absolute() / environment.name, folder / environment.requirements
    if not (
        home / "bin" / "pip"
    ).exists():  # pip is written last: without it an earlier attempt was interrupted
        _make(home, environment.name)
    interpreter = home / "bin" / "python"
    status = run([str(interpreter), "-m", "pip", "install", "--requirement", str(requirements)])
    if status != 0:
        raise InstallationFailed(requirements, status)
    check = worker_command(manifest, environments.absolute(), IMPORTS).line
    if run([*check, manifest.engine, str(requirements)]) != 0:
        raise EngineNotImportable(manifest, home)
    return interpreter


def _make(home: Path, name: str) -> None:
    try:
        venv.create(home, with_pip=True, symlinks=True, prompt=name)
    except (OSError, subprocess.CalledProcessError) as error:
        raise EnvironmentNotMade(home, error) from error


_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_.-]*")


def packages_of(requirements: str) -> list[str]:
    """Return the packages of a requirements file that are importable by the same name."""
    names = (match[0] for line in requirements.splitlines() if (match := _NAME.match(line)))
    return [name for name in names if find_spec(name) is not None]


def main() -> None:
    """Import the packages and the engine with visible progress; the first failure ends the process.

    transformers imports model classes lazily, so errors there would only show up at run time.
    """
    sys.tracebacklimit = 0
    engine, requirements = sys.argv[-2:]
    for name in packages_of(Path(requirements).read_text(encoding="utf-8")):
        _print(f"import {name}")
        importlib.import_module(name)
    _print(f"engine {engine}")
    engine_loader(engine)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
