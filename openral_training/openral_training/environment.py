"""The Python environment with PyTorch, in which the jobs of this package run."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_perception_ros.inference.worker_command import package_roots

NAME = "training"
"""Folder of the environment; `make training` creates it."""
MODULE = "openral_training"


class TrainingEnvironmentMissing(OpenRALError):
    """Neither this interpreter nor the environment of trainings has PyTorch."""

    def __init__(self, interpreter: Path) -> None:
        home = interpreter.parents[1]
        super().__init__(
            f"training needs PyTorch: {sys.executable} lacks it, and {interpreter} does not exist. Run "
            f"`make training` in the checkout, or `python3 -m venv {home}` and `{home}/bin/pip install -r "
            "requirements/training.txt`; --environments names another folder"
        )


def job_command(environments: Path, job: str, options: str, module: str = MODULE) -> Sequence[str]:
    """Return the command line of a job of a module for the interpreter that has PyTorch.

    Raises:
        TrainingEnvironmentMissing: If there is none.
    """
    interpreter = Path(sys.executable)
    if find_spec("torch") is None:
        interpreter = environments.absolute() / NAME / "bin" / "python"
        if not interpreter.exists():
            raise TrainingEnvironmentMissing(interpreter)
    bootstrap = (
        f"import runpy, sys; sys.path += {package_roots(module)!r}; "
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [str(interpreter), "-s", "-c", bootstrap, job, options]


def become(command: Sequence[str]) -> None:
    """Replace this process by a command, which thereby gets its signals and gives its exit code."""
    sys.stdout.flush()
    os.execve(command[0], list(command), _variables())


def run(command: Sequence[str]) -> int:
    """Run a command and return its exit code; it alone gets an interrupt from the keyboard."""
    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.run(list(command), env=_variables(), check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def _variables() -> dict[str, str]:
    """Return the environment of a job.

    ``PYTHON*`` variables are dropped: they name the packages of this environment. Threads of OpenMP wait
    without spinning, which on a busy machine costs more than the training.
    """
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return {"OMP_WAIT_POLICY": "PASSIVE", **variables}
