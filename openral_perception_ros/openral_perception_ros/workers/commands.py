"""How a worker is started: which interpreter, which module, which libraries it sees."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import openral_core
import openral_perception_ros
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_core.variables import for_worker

WORKER_MODULE = "openral_perception_ros.workers.main"
MAIN_ENVIRONMENT = "main"


class MissingEnvironment(OpenRALError):
    """A Python environment that was not prepared."""

    def __init__(self, manifest: DetectorManifest, interpreter: Path) -> None:
        super().__init__(
            f"{manifest.id!r} runs in its own Python environment {manifest.environment.name!r}, "
            f"and there is no {interpreter}: run `openral weights prepare {manifest.id}`"
        )


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """A command line without the descriptors, and the environment variables it runs in."""

    line: tuple[str, ...]
    variables: Mapping[str, str]


def worker_command(
    manifest: DetectorManifest, environments: Path, module: str = WORKER_MODULE
) -> WorkerCommand:
    """The command of one detector's worker.

    The packages of this project are appended to the interpreter's own path, so that its libraries win. In an
    environment of its own it may run code that came with weights, and gets only variables that it needs.

    Raises:
        MissingEnvironment: If the manifest names an environment that was not prepared.
    """
    bootstrap = (
        f"import runpy, sys; sys.path += {package_roots()!r}; "
        f"runpy.run_module({module!r}, run_name='__main__')"
    )
    if manifest.environment.name == MAIN_ENVIRONMENT:
        return WorkerCommand((sys.executable, "-c", bootstrap), dict(os.environ))
    interpreter = environments / manifest.environment.name / "bin" / "python"
    if not interpreter.exists():
        raise MissingEnvironment(manifest, interpreter)
    return WorkerCommand((str(interpreter), "-s", "-c", bootstrap), for_worker(os.environ))


def package_roots() -> list[str]:
    """Folders that hold the packages a worker runs, for another interpreter's path."""
    packages = (openral_core, openral_perception_ros)
    return list(dict.fromkeys(str(Path(str(package.__file__)).parents[1]) for package in packages))
