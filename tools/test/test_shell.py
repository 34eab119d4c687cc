"""Tests of running a step's command."""

import sys
from pathlib import Path

import pytest

from workspace.shell import StepFailed, run


def test_a_failure_shows_what_the_command_said(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print('no such wheel'); sys.exit(7)"]
    with pytest.raises(StepFailed, match=r"no such wheel\n\npip failed with exit status 7") as failure:
        run("pip", command, tmp_path / "pip.log")
    assert str(tmp_path / "pip.log") in str(failure.value)


def test_output_of_a_success_stays_in_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run("pip", [sys.executable, "-c", "print('fine')"], tmp_path / "logs" / "pip.log")
    assert (tmp_path / "logs" / "pip.log").read_text() == "fine\n"
    assert capfd.readouterr().out == ""
