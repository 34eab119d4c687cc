"""A worker process of pytest that crashes costs one rerun, and neither tests nor the end of the run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CRASHING = """
import os
from pathlib import Path

import pytest

FLAG = Path(__file__).with_suffix(".crashed")


@pytest.mark.parametrize("number", range(60))
def test_number(number: int) -> None:
    if number == 30 and not FLAG.exists():
        FLAG.touch()
        os.abort()
"""


@pytest.mark.slow
def test_a_worker_that_crashes_once_costs_one_rerun(tmp_path: Path) -> None:
    (tmp_path / "test_crashing.py").write_text(CRASHING)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    options = ("-p", "conftest", "-p", "no:cacheprovider", "-n", "2", "--dist=loadgroup", "--reruns", "1")
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", *options, str(tmp_path)],
        cwd=tmp_path,
        env={**own, "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))},
        capture_output=True,
        text=True,
        timeout=100.0,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "60 passed, 1 rerun" in done.stdout
