"""Tests of when the environment of the engines' tests is made anew."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from workspace import tool_environments
from workspace.paths import Layout
from workspace.shell import StepFailed
from workspace.tool_environments import (
    REQUIREMENTS,
    ensure_engine_environment,
    ensure_training_environment,
)


class FakeCommands:
    """Takes the place of starting programs; fails when it is told to."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.fails = ""

    def __call__(
        self, title: str, command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self.titles.append(title)
        if title == self.fails:
            raise StepFailed(title, 1, log)
        if title == "python -m venv":
            (Path(command[-1]) / "bin").mkdir(parents=True, exist_ok=True)
            (Path(command[-1]) / "bin" / "python").touch()


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    for name in REQUIREMENTS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("torch==1\n")
    return Layout(tmp_path)


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> FakeCommands:
    commands = FakeCommands()
    monkeypatch.setattr(tool_environments, "run", commands)
    return commands


def test_it_is_made_once(layout: Layout, commands: FakeCommands) -> None:
    ensure_engine_environment(layout)
    ensure_engine_environment(layout)
    assert commands.titles == ["python -m venv", "pip install (engines)"]


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_other_requirements_make_it_anew(layout: Layout, commands: FakeCommands, name: str) -> None:
    ensure_engine_environment(layout)
    (layout.root / name).write_text("torch==2\n")
    ensure_engine_environment(layout)
    assert commands.titles == ["python -m venv", "pip install (engines)"] * 2


def test_what_broke_off_is_made_anew(layout: Layout, commands: FakeCommands) -> None:
    commands.fails = "pip install (engines)"
    with pytest.raises(StepFailed):
        ensure_engine_environment(layout)
    commands.fails = ""
    ensure_engine_environment(layout)
    assert len(commands.titles) == 4


def test_the_tests_of_engines_have_one_per_python(
    layout: Layout, commands: FakeCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for version in ((3, 11), (3, 12), (3, 11)):
        monkeypatch.setattr(sys, "version_info", (*version, 1))
        ensure_engine_environment(layout)
        made.append(layout.engine_environment.name)
    assert made == ["tests-3.11", "tests-3.12", "tests-3.11"]
    assert len(commands.titles) == 4


def test_one_made_by_another_python_serves_until_that_python_is_gone(
    layout: Layout, commands: FakeCommands, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_training_environment(layout)
    monkeypatch.setattr(sys, "version", "3.99.1 (elsewhere)")
    ensure_training_environment(layout)
    assert len(commands.titles) == 2
    (layout.training_environment / "bin" / "python").unlink()
    ensure_training_environment(layout)
    assert len(commands.titles) == 4
