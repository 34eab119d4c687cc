"""`colcon test` runs each package's own tests, and nothing that needs more than the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTHING_COLLECTED = 5


def test_the_package_of_interfaces_has_its_tests_registered() -> None:
    registered = (ROOT / "build" / "openral_msgs" / "CTestTestfile.cmake").read_text()
    assert "add_test(" in registered


@pytest.mark.parametrize("kit", ["detectors", "skills"])
def test_a_conformance_kit_tries_nothing_unless_its_subject_is_named(kit: str) -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    package = ROOT / "openral_testing"
    done = subprocess.run(
        command, cwd=package, env=env, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode in (0, NOTHING_COLLECTED), done.stdout[-2000:]
    assert not [line for line in done.stdout.splitlines() if f"openral_testing/{kit}/test_" in line]
