"""Command line and environment of a worker process, in the Python environment its rSkill names."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from openral_core.environment import node_environment, worker_environment
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest

WORKER_MODULE = "openral_perception_ros.inference.worker"
MAIN_ENVIRONMENT = "main"
MODULES_VARIABLE = "HF_MODULES_CACHE"


class MissingEnvironment(OpenRALError):
    """A Python environment that has not been prepared."""

    def __init__(self, manifest: DetectorManifest, interpreter: Path) -> None:
        super().__init__(
            f"{manifest.id!r} needs the Python environment {manifest.environment.name!r}, "
            f"but {interpreter} does not exist: run `openral weights prepare {manifest.id}`"
        )


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """Command line without the descriptors, and environment variables."""

    line: tuple[str, ...]
    variables: Mapping[str, str]


def worker_command(
    manifest: DetectorManifest, environments: Path, module: str = WORKER_MODULE
) -> WorkerCommand:
    """Build the command of a detector's worker.

    Packages of this project are appended to the interpreter's path, so that its own libraries take
    precedence. A worker gets only variables on an allow-list, so that no key reaches a model; in its own
    environment it may run code that came with weights, and gets fewer. transformers copies such code to a
    folder before it imports it: each rSkill has one of its own there, so that workers neither overwrite nor
    import the code of each other.

    Raises:
        MissingEnvironment: If the manifest names an environment that has not been prepared.
    """
    bootstrap = (
        f"import runpy, sys; sys.path += {package_roots(module)!r}; "
        f"runpy.run_module({module!r}, run_name='__main__')"
    )
    modules = {MODULES_VARIABLE: str(modules_cache(os.environ) / manifest.id)}
    if manifest.environment.name == MAIN_ENVIRONMENT:
        return WorkerCommand((sys.executable, "-c", bootstrap), {**node_environment(os.environ), **modules})
    interpreter = environments / manifest.environment.name / "bin" / "python"
    if not interpreter.exists():
        raise MissingEnvironment(manifest, interpreter)
    variables = {**worker_environment(os.environ), **modules, **_named_variables(manifest)}
    return WorkerCommand((str(interpreter), "-s", "-c", bootstrap), variables)


def _named_variables(manifest: DetectorManifest) -> dict[str, str]:
    """Return the variables of this project that the options name, such as the address of an endpoint."""
    named = (str(value) for key, value in manifest.options.items() if key.endswith("_variable"))
    return {name: os.environ[name] for name in named if name.startswith("OPENRAL_") and name in os.environ}


def modules_cache(environment: Mapping[str, str]) -> Path:
    """Return the folder to which transformers copies code that comes with weights, by its own variables."""
    if cache := environment.get(MODULES_VARIABLE):
        return Path(cache).expanduser()
    return Path(environment.get("HF_HOME") or "~/.cache/huggingface").expanduser() / "modules"


def package_roots(module: str = WORKER_MODULE) -> list[str]:
    """Return the folders of the packages that a worker ``module`` imports, for another interpreter's path."""
    names = ("openral_core", "openral_perception_ros", module.partition(".")[0])
    origins = [spec.origin for spec in map(find_spec, names) if spec is not None and spec.origin]
    return list(dict.fromkeys(str(Path(origin).parents[1]) for origin in origins))
