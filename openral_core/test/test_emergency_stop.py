"""A stop outlives the process that got it, and a state that is in doubt is a stop."""

from pathlib import Path

import pytest

from openral_core.emergency_stop import NO_REASON, REASON_CHARACTERS, StopFile, StopState

NOW = 1000.0


def test_without_a_file_there_is_no_stop(tmp_path: Path) -> None:
    assert StopFile(tmp_path / "stop.json").read(NOW) == StopState()
    assert StopFile(None).read(NOW) == StopState()


def test_a_stop_and_its_release_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "stop.json"
    stopped = StopState.stopped("person on the floor", NOW)
    StopFile(path).write(stopped)
    assert StopFile(path).read(NOW + 9.0) == stopped
    StopFile(path).write(StopState())
    assert StopFile(path).read(NOW + 9.0) == StopState()
    assert [each.name for each in path.parent.iterdir()] == ["stop.json"]


@pytest.mark.parametrize("content", ["", "{", '{"reason": 3}', '{"reason": "", "level": 1}', "\0" * 40])
def test_a_file_that_cannot_be_read_is_a_stop(tmp_path: Path, content: str) -> None:
    path = tmp_path / "stop.json"
    path.write_text(content)
    found = StopFile(path).read(NOW)
    assert str(path) in found.reason or len(found.reason) == REASON_CHARACTERS
    assert found.since == NOW


@pytest.mark.parametrize("name", ["", "x" * 5000, "a\0b"])
def test_a_path_that_cannot_be_read_is_a_stop(tmp_path: Path, name: str) -> None:
    assert StopFile(tmp_path / name).read(NOW).reason


@pytest.mark.parametrize("reason", ["", " \n", "x" * 10_000, "two\nlines"])
def test_every_reason_makes_a_stop_of_one_bounded_line(reason: str) -> None:
    found = StopState.stopped(reason, NOW).reason
    assert 0 < len(found) <= REASON_CHARACTERS
    assert "\n" not in found
    assert (found == NO_REASON) is (not reason.strip())
