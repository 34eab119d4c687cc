"""The interpreter of the jobs, and what is said where there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from openral_training import environment
from openral_training.environment import TrainingEnvironmentMissing, job_command


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "find_spec", lambda _name: None)


@pytest.mark.usefixtures("without_torch")
def test_a_missing_environment_names_the_commands_that_make_it(tmp_path: Path) -> None:
    with pytest.raises(TrainingEnvironmentMissing) as caught:
        job_command(tmp_path, "detector", "{}")
    assert "`make training`" in str(caught.value)
    assert f"{tmp_path}/training/bin/pip install -r requirements/training.txt" in str(caught.value)


@pytest.mark.usefixtures("without_torch")
def test_the_job_runs_in_the_environment_with_our_packages(tmp_path: Path) -> None:
    interpreter = tmp_path / "training" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.symlink_to(sys.executable)
    command = job_command(tmp_path, "detector", '{"a": 1}')
    assert command[0] == str(interpreter)
    assert command[-2:] == ["detector", '{"a": 1}']
    assert "openral_training" in command[3]


def test_an_interpreter_that_has_pytorch_is_used_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "find_spec", lambda _name: object())
    assert job_command(tmp_path, "detector", "{}")[0] == sys.executable


def test_becoming_a_command_keeps_its_exit_code_and_drops_python_s_variables() -> None:
    program = "import os, sys; sys.exit(7 if 'PYTHONPATH' not in os.environ else 8)"
    code = (
        "import sys; sys.path += " + repr(sys.path) + "; from openral_training.environment import become; "
        f"become([sys.executable, '-c', {program!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": "/x"}, timeout=60, check=False)
    assert done.returncode == 7
