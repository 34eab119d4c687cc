"""A file is replaced as a whole, or stays as it was."""

import os
from pathlib import Path

import pytest

from openral_core.files import replace_file, sync_folder


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    for text in ("one", "zwei: ä"):
        replace_file(file, text)
        assert file.read_text(encoding="utf-8") == text
    sync_folder(tmp_path)
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_written_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "state.json"
    replace_file(file, "one")

    def full(descriptor: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(file, "two")
    assert file.read_text() == "one"
    assert list(tmp_path.iterdir()) == [file]
