"""Tests of when the environment of the engines' tests is made anew."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from workspace import tool_environments
from workspace.paths import Layout
from workspace.shell import StepFailed
from workspace.tool_environments import REQUIREMENTS, ensure_engine_environment


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
            Path(command[-1]).mkdir(parents=True, exist_ok=True)


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
