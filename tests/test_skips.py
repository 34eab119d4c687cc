"""Tests that are skipped are declared: `make test` fails the others."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETTINGS = """[pytest]
declared_skips =
    no camera
"""
MODULE = """import pytest
def test_declared(): pytest.skip("no camera is connected")
def test_undeclared(): pytest.skip("no lidar is connected")
@pytest.mark.xfail(reason="no lidar", strict=True)
def test_expected_failure(): assert False
"""
SKIPPED_MODULE = 'import pytest\npytest.importorskip("no_such_module")\ndef test_any(): ...\n'


def outcome(folder: Path, *options: str) -> str:
    """Run the tests of a folder with the fixtures and options of this repository."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    return run.stdout


def test_a_skip_for_an_undeclared_reason_fails_in_a_strict_run(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "test_sensors.py").write_text(MODULE)
    (tmp_path / "test_missing.py").write_text(SKIPPED_MODULE)
    assert "3 skipped, 1 xfailed" in outcome(tmp_path)
    strict = outcome(tmp_path, "--strict-skips", "--continue-on-collection-errors")
    assert "1 failed, 1 skipped, 1 xfailed, 1 error" in strict
    assert "test_undeclared was skipped, and nothing declares that it may be: no lidar is connected" in strict
    assert "test_missing.py was skipped, and nothing declares that it may be: could not import" in strict
