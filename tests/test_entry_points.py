"""Entry points answer at once and in plain words."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TARGETS = (
    *("setup", "build", "lab", "format", "lint", "type", "test", "lab-test", "bench", "docs", "sim", "clean"),
)


def output_of(*command: str | Path, cwd: Path = ROOT) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout


@pytest.fixture
def fresh_clone(tmp_path: Path) -> Path:
    """The entry points without anything set up or built."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "env", tmp_path / "tools" / "env")
    shutil.copy(ROOT / "deploy_sim.py", tmp_path)
    return tmp_path


def test_make_help_lists_every_target() -> None:
    status, words = output_of("make", "help")
    assert status == 0
    assert [target for target in TARGETS if f"make {target} " not in words] == []


def test_before_the_build_deploy_sim_says_what_to_run(fresh_clone: Path) -> None:
    status, words = output_of(sys.executable, "deploy_sim.py", "--help", cwd=fresh_clone)
    assert status != 0
    assert "run: make build" in words


def test_an_exit_status_passes_through_the_environment() -> None:
    status, _ = output_of(ROOT / "tools" / "env", "sh", "-c", "exit 3")
    assert status == 3
