"""The Python environment with PyTorch that some benchmarks need, or why they are skipped."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from openral_perception_ros.inference.worker_process import package_roots

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = Path(os.environ.get("OPENRAL_ENVIRONMENTS", ROOT / ".environments"))
NAME = "transformers-5"
PYTHON = ENVIRONMENTS / NAME / "bin" / "python"
SKIPPED = "" if PYTHON.exists() else f"no {PYTHON}: run `openral weights prepare rtdetr-v2-r50vd`"


def in_environment(*arguments: str, words: Sequence[str] = ()) -> str:
    """Return the output of one of our modules there."""
    paths = os.pathsep.join([str(ROOT / "lab"), *package_roots()])
    variables = {**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1"}
    command, given = [str(PYTHON), "-m", *arguments], "\n".join(words)
    done = subprocess.run(command, env=variables, input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout
