"""Shared memory of killed participants goes, that of live ones stays."""

import fcntl
import mmap
import os
from pathlib import Path

import pytest

from openral_bringup.deploy import shared_memory
from openral_bringup.deploy.shared_memory import remove_stale_segments


def test_a_segment_in_use_stays_and_an_orphan_goes(tmp_path: Path) -> None:
    names = (
        "fastrtps_dead",
        "fastrtps_dead_el",
        "fastrtps_live",
        "fastrtps_live_el",
        "sem.fastrtps_dead_mutex",
    )
    for name in (*names, "somebody_elses"):
        (tmp_path / name).touch()
    with (tmp_path / "fastrtps_live_el").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_stale_segments(tmp_path) == 1
        left = {file.name for file in tmp_path.iterdir()}
    assert left == {"fastrtps_live", "fastrtps_live_el", "somebody_elses"}


def test_a_port_with_listeners_stays(tmp_path: Path) -> None:
    for name in ("fastrtps_port7411", "fastrtps_port7411_el", "fastrtps_port7411_sl"):
        (tmp_path / name).touch()
    with (tmp_path / "fastrtps_port7411_sl").open() as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        assert remove_stale_segments(tmp_path) == 0
    assert remove_stale_segments(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_outlived_its_reader_goes_once_nobody_has_mapped_it(tmp_path: Path) -> None:
    port, mutex = tmp_path / "fastrtps_port7413", tmp_path / "sem.fastrtps_port7413_mutex"
    mutex.touch()
    port.write_bytes(b"0" * mmap.PAGESIZE)
    assert remove_stale_segments(tmp_path) == 0, "it may have been made just now"
    os.utime(port, (0.0, 0.0))
    with port.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        os.utime(port, (0.0, 0.0))
        assert remove_stale_segments(tmp_path) == 0
    assert remove_stale_segments(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_nobodys_processes_are_looked_at_while_every_file_has_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []
    monkeypatch.setattr(
        shared_memory, "mapped_names", lambda folder: looked.append(folder) or {"fastrtps_port7415"}
    )
    for name in ("fastrtps_dead", "fastrtps_dead_el"):
        (tmp_path / name).touch()
    assert remove_stale_segments(tmp_path) == 1
    assert looked == []
    for name in ("fastrtps_port7415", "fastrtps_port7417"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0.0, 0.0))
    assert remove_stale_segments(tmp_path) == 1
    assert looked == [tmp_path], "once, however many there are"
    assert [file.name for file in tmp_path.iterdir()] == ["fastrtps_port7415"]
