"""Hashes of sources: the same for the same code, another one for a changed, renamed or moved file."""

import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest

from openral_household_benchmark.source_hash import digest, hash_of_packages


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "measured"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "inner" / "limits.yaml").write_text("reach: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "measured", raising=False)
    invalidate_caches()
    return folder


def renewed() -> str:
    hash_of_packages.cache_clear()
    return hash_of_packages("measured")


def test_changed_contents_and_names_change_the_hash(package: Path) -> None:
    before = renewed()
    assert renewed() == before
    (package / "inner" / "limits.yaml").write_text("reach: 1.1\n")
    changed = renewed()
    (package / "inner" / "limits.yaml").rename(package / "limits.yaml")
    assert len({before, changed, renewed()}) == 3


def test_caches_and_notes_do_not_count(package: Path) -> None:
    before = renewed()
    (package / "__pycache__").mkdir(exist_ok=True)
    (package / "__pycache__" / "stale.py").write_text("old")
    (package / "notes.md").write_text("text")
    assert renewed() == before


def test_the_bounds_between_texts_count() -> None:
    assert digest(["ab", "c"]) != digest(["a", "bc"])
