"""Tests of two Pythons that take turns in one checkout."""

import sys
from pathlib import Path

import pytest

from workspace.interpreter_switch import switch_interpreter
from workspace.paths import Layout

FOLDERS = (".venv", "build", "install")


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """A checkout with the set-up of Python 3.11, entered with Python 3.12."""
    layout = Layout(tmp_path)
    set_up(layout, "3.11.7")
    monkeypatch.setattr(sys, "version_info", (3, 12, 1))
    return layout


def set_up(layout: Layout, version: str) -> None:
    for name in FOLDERS:
        (layout.root / name).mkdir()
        (layout.root / name / "made_by").write_text(version)
    (layout.venv / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}\n")


def made_by(top: Path) -> dict[str, str]:
    return {name: (top / name / "made_by").read_text() for name in FOLDERS if (top / name).exists()}


def all_by(version: str) -> dict[str, str]:
    return dict.fromkeys(FOLDERS, version)


def test_the_set_up_of_the_other_python_is_kept(layout: Layout) -> None:
    switch_interpreter(layout)
    assert made_by(layout.root) == {}
    assert made_by(layout.aside("3.11")) == all_by("3.11.7")


def test_each_python_finds_its_set_up_again(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    switch_interpreter(layout)
    set_up(layout, "3.12.1")
    for running, version, other in (((3, 11, 7), "3.11.7", "3.12"), ((3, 12, 1), "3.12.1", "3.11")) * 2:
        monkeypatch.setattr(sys, "version_info", running)
        switch_interpreter(layout)
        assert made_by(layout.root) == all_by(version)
        assert len(made_by(layout.aside(other))) == len(FOLDERS)


def test_the_same_python_moves_nothing(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 11, 9))
    switch_interpreter(layout)
    assert made_by(layout.root) == all_by("3.11.7")
    assert not (layout.root / ".pythons").exists()


@pytest.mark.parametrize("renames", range(6))
@pytest.mark.parametrize("then", [(3, 11, 7), (3, 12, 1)])
def test_an_interrupted_switch_loses_nothing(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, renames: int, then: tuple[int, int, int]
) -> None:
    layout.aside("3.12").mkdir(parents=True)
    set_up(Layout(layout.aside("3.12")), "3.12.1")
    done: list[Path] = []
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> None:
        if len(done) == renames:
            raise KeyboardInterrupt
        done.append(path)
        rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            switch_interpreter(layout)
    monkeypatch.setattr(sys, "version_info", then)
    switch_interpreter(layout)
    here, other, aside = ("3.11.7", "3.12.1", "3.12") if then < (3, 12) else ("3.12.1", "3.11.7", "3.11")
    assert made_by(layout.root) == all_by(here)
    assert made_by(layout.aside(aside)) == all_by(other)


def test_a_shared_environment_is_put_aside_as_the_link_that_it_is(layout: Layout, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    layout.venv.rename(shared)
    layout.venv.symlink_to(shared)
    switch_interpreter(layout)
    kept = layout.aside("3.11") / ".venv"
    assert kept.is_symlink()
    assert kept.resolve() == shared
    assert not layout.venv.is_symlink()
