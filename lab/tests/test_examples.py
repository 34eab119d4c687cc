"""The examples of the laboratory run."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_errands_are_shared_by_two_robots(tmp_path: Path) -> None:
    program = EXAMPLES / "share_errands.py"
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fridge done by" in done.stdout
