"""Tests of the interpreter that the Makefile's targets start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"
SET_BY_MAKE = {"PYTHON", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL"}


def interpreter(checkout: Path, *arguments: str) -> str:
    """Return the interpreter with which `make setup` would start in a checkout."""
    environment = {name: value for name, value in os.environ.items() if name not in SET_BY_MAKE}
    command = ["make", "--no-print-directory", "-n", "-f", MAKEFILE, "setup", *arguments]
    recipe = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=True
    ).stdout
    return recipe.removeprefix("cd tools && ").partition(" -m workspace setup")[0]


def record_of_venv(checkout: Path, executable: str | Path) -> None:
    record = checkout / ".venv" / "pyvenv.cfg"
    record.parent.mkdir()
    record.write_text(f"home = {Path(executable).parent}\nversion = 3.12.1\nexecutable = {executable}\n")


def test_starts_python3_in_a_new_checkout(tmp_path: Path) -> None:
    assert interpreter(tmp_path) == "python3"


def test_stays_with_the_python_that_made_the_virtual_environment(tmp_path: Path) -> None:
    record_of_venv(tmp_path, sys.executable)
    assert interpreter(tmp_path) == sys.executable


def test_another_python_is_named_in_the_call(tmp_path: Path) -> None:
    record_of_venv(tmp_path, sys.executable)
    assert interpreter(tmp_path, "PYTHON=python3.11") == "python3.11"


@pytest.mark.parametrize("executable", ["/removed/bin/python3.12", ""])
def test_starts_python3_if_the_one_of_the_virtual_environment_is_gone(
    tmp_path: Path, executable: str
) -> None:
    record_of_venv(tmp_path, executable)
    assert interpreter(tmp_path) == "python3"
