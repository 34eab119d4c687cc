"""`colcon test` runs the tests of each package that `make test` runs, and nothing that needs more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTHING_COLLECTED = 5
PACKAGES = sorted(manifest.parent.name for manifest in ROOT.glob("*/setup.py"))
FAST = ("openral_core", "openral_recorder")
"""Packages compared in each run; the others cost a minute together."""
BY_PACKAGE = [
    pytest.param(name, marks=() if name in FAST else pytest.mark.slow)
    for name in PACKAGES
    if (ROOT / name / "test").is_dir()
]


def collected(folder: Path, *arguments: str) -> set[str]:
    """Return the ids that pytest collects from a folder."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode in (0, NOTHING_COLLECTED), done.stdout[-2000:]
    return {line for line in done.stdout.splitlines() if "::" in line and " " not in line.partition("::")[0]}


def test_the_package_of_interfaces_has_its_tests_registered() -> None:
    registered = (ROOT / "build" / "openral_msgs" / "CTestTestfile.cmake").read_text()
    assert "add_test(" in registered


@pytest.mark.timeout(400)
@pytest.mark.parametrize("package", BY_PACKAGE)
def test_colcon_and_make_run_the_same_tests_of_a_package(package: str) -> None:
    by_make = collected(ROOT, f"{package}/test")
    assert by_make
    assert collected(ROOT / package) == by_make


@pytest.mark.slow
def test_a_conformance_kit_tries_nothing_unless_its_subject_is_named() -> None:
    tests = collected(ROOT / "openral_testing")
    assert not [line for line in tests if line.startswith("openral_testing/openral_testing/")]
