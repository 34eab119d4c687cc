"""Python environments with PyTorch: the one of `make test`, or those prepared in OPENRAL_ENVIRONMENTS."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PREPARED = os.environ.get("OPENRAL_ENVIRONMENTS")
FOLDER = Path(PREPARED or ROOT / ".environments")
OF_TESTS = "tests-{}.{}".format(*sys.version_info[:2])
DETECTION = "transformers-5" if PREPARED else OF_TESTS
GROUNDING = "locateanything" if PREPARED else OF_TESTS
TRAINING = "training" if PREPARED else OF_TESTS
PATIENCE = 90.0
PACKAGES = ("openral_core", "openral_perception_ros", "openral_testing", "openral_training")


def needs(name: str) -> pytest.MarkDecorator:
    """Skip where an environment is missing."""
    made_by = "weights prepare" if PREPARED else "make test ENGINES=yes"
    return pytest.mark.skipif(not _python(name).exists(), reason=f"no environment {name!r}: {made_by}")


def in_environment(*arguments: str, name: str = DETECTION, patience: float = PATIENCE) -> str:
    """Return the output of Python there, run with these arguments and our packages on its path."""
    paths = os.pathsep.join(str(ROOT / package) for package in PACKAGES)
    variables = {**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    command = [str(_python(name)), *arguments]
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=patience, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _python(name: str) -> Path:
    return FOLDER / name / "bin" / "python"
