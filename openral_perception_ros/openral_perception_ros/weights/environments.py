"""Python environments of engines, made by an explicit command."""

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
from openral_perception_ros.inference.worker_process import worker_command

Run = Callable[[Sequence[str]], int]
IMPORTS = "openral_perception_ros.weights.environments"


class NoEnvironmentNeeded(OpenRALError):
    """A detector that runs in the main environment."""

    def __init__(self, manifest: DetectorManifest) -> None:
        super().__init__(f"{manifest.id!r} runs in the main environment: nothing to prepare")


class EnvironmentNotMade(OpenRALError):
    """A folder that could not become a Python environment."""

    def __init__(self, home: Path, reason: object) -> None:
        super().__init__(
            f"no Python environment could be made in {home}: {reason}; Debian and Ubuntu need python3-venv"
        )


class InstallationFailed(OpenRALError):
    """Packages that could not be installed."""

    def __init__(self, requirements: Path, status: int) -> None:
        super().__init__(f"pip could not install {requirements} (exit code {status}): see its output above")


class EngineNotImportable(OpenRALError):
    """Packages that were installed and do not work together on this machine."""

    def __init__(self, manifest: DetectorManifest, home: Path) -> None:
        super().__init__(
            f"everything is installed in {home}, but it does not work together there: "
            f"engine {manifest.engine!r} cannot run, see the reason above"
        )


def shown(command: Sequence[str]) -> int:
    """Run a command of another interpreter in sight of the user; its exit code.

    Variables that lead Python to this environment's packages would have pip count them as installed.
    """
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(list(command), env=variables, check=False).returncode


def prepare(manifest: DetectorManifest, folder: Path, environments: Path, run: Run = shown) -> Path:
    """Make or bring up to date the environment of one detector; its interpreter.

    What broke off goes on when it is called again; what is complete is only looked through.

    Raises:
        NoEnvironmentNeeded: If it has none of its own.
        EnvironmentNotMade: If there is no folder to install into.
        InstallationFailed: If a package cannot be had.
        EngineNotImportable: If the packages do not work here.
    """
    environment = manifest.environment
    if not environment.requirements:
        raise NoEnvironmentNeeded(manifest)
    home, requirements = environments.absolute() / environment.name, folder / environment.requirements
    if not (home / "bin" / "pip").exists():  # written last: without it an earlier attempt broke off
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
    """Packages a requirements file names and that are modules of the same name."""
    names = (match[0] for line in requirements.splitlines() if (match := _NAME.match(line)))
    return [name for name in names if find_spec(name) is not None]


def main() -> None:
    """Import them and the engine, in sight of the user; the first that breaks ends the process.

    transformers imports a model's class when it is loaded: what breaks there has to be tried here.
    """
    sys.tracebacklimit = 0
    engine, requirements = sys.argv[-2:]
    for name in packages_of(Path(requirements).read_text(encoding="utf-8")):
        _say(f"import {name}")
        importlib.import_module(name)
    _say(f"engine {engine}")
    engine_loader(engine)


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
