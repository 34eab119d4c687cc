"""A stop outlives the process that got it, and a state that is in doubt is a stop."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from openral_core.emergency_stop import (
    NO_REASON,
    REASON_CHARACTERS,
    StopNotKept,
    StopRecord,
    StopState,
    write_first_record,
)

NOW = 1000.0
NAME = "/skill_server"
STOPPED = StopState.stopped("person on the floor", NOW)
RELEASED = StopState()


class Robot:
    """Starts and ends of the skill server of one robot; ``file`` is that of its stop."""

    def __init__(self, folder: Path) -> None:
        self.memory, self.file = folder / "memory", folder / "state" / "stop.json"
        self.memory.mkdir()
        write_first_record(self.file, NAME)
        self.record = StopRecord(self.file, NAME, self.memory)

    def start(self) -> StopState:
        return self.record.begin(NOW)

    def restart(self, name: str = NAME) -> StopState:
        """Start another process after the death of this one."""
        self.die()
        self.record = StopRecord(self.file, name, self.memory)
        return self.start()

    def die(self) -> None:
        page, self.record._page = self.record._page, None
        if page is not None:
            os.close(page._descriptor)

    def restart_machine(self) -> StopState:
        shutil.rmtree(self.memory)
        self.memory.mkdir()
        return self.restart()


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    return Robot(tmp_path)


@pytest.fixture
def disk_fails(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    return lambda: monkeypatch.setattr("openral_core.emergency_stop.replace_file", fail)


def test_the_first_start_of_a_robot_and_one_after_an_orderly_end_are_released(robot: Robot) -> None:
    assert robot.start() == RELEASED
    robot.record.end(RELEASED)
    assert robot.restart_machine() == RELEASED


def test_a_stop_outlives_death_orderly_end_and_restart_of_the_machine(robot: Robot) -> None:
    robot.start()
    robot.record.keep(STOPPED)
    assert robot.restart() == STOPPED
    robot.record.end(STOPPED)
    assert robot.restart() == STOPPED
    assert robot.restart_machine() == STOPPED


def test_a_release_is_known_after_death_and_not_after_a_loss_of_power(robot: Robot) -> None:
    robot.start()
    robot.record.keep(STOPPED)
    robot.record.save(STOPPED)
    assert robot.record.release_problem(NOW) == ""
    robot.record.keep(RELEASED)
    assert robot.restart() == RELEASED
    assert "without saying whether it was released" in robot.restart_machine().reason


def test_a_stop_that_no_disk_took_outlives_death_and_restart(
    robot: Robot, disk_fails: Callable[[], None]
) -> None:
    robot.start()
    disk_fails()
    robot.record.keep(STOPPED)
    with pytest.raises(StopNotKept, match="No space left"):
        robot.record.save(STOPPED)
    assert robot.restart() == STOPPED
    assert robot.restart_machine().reason


def test_it_starts_stopped_where_no_stop_could_be_recorded_and_says_so(
    robot: Robot, disk_fails: Callable[[], None]
) -> None:
    disk_fails()
    assert "cannot be kept: No space left on device" in robot.start().reason
    assert robot.record.release_problem(NOW) == ""  # the file that said "released" is gone
    robot.record.keep(RELEASED)
    assert "missing" in robot.restart_machine().reason


def test_it_is_not_released_while_the_file_would_say_so_whatever_happens(
    robot: Robot, disk_fails: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    disk_fails()
    monkeypatch.setattr(Path, "unlink", read_only)
    assert robot.start().reason
    assert "No space left" in robot.record.release_problem(NOW)
    monkeypatch.undo()
    assert robot.record.release_problem(NOW) == ""


@pytest.mark.parametrize("with_page", [True, False])
@pytest.mark.parametrize(
    "content",
    [
        *("", "{", '{"reason": 3}', '{"reason": "", "level": 1}', "\0" * 40, "[]", "null", '{"since": "x"}'),
        *('{"reason": "", "since": NaN}', '{"reason": ""' + " " * 100_000 + "}"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_stop(robot: Robot, content: str, with_page: bool) -> None:
    robot.start()
    robot.file.write_text(content)
    found = robot.restart() if with_page else robot.restart_machine()
    assert "cannot be read" in found.reason
    assert found.since == NOW


def _missing(file: Path) -> None:
    file.unlink()


def _folder_missing(file: Path) -> None:
    shutil.rmtree(file.parent)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _loop(file: Path) -> None:
    file.unlink()
    file.symlink_to(file)


def _endless(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("damage", [_missing, _folder_missing, _folder, _fifo, _loop, _endless])
@pytest.mark.parametrize("ended", [True, False])
def test_whatever_stands_in_place_of_the_file_is_a_stop(
    robot: Robot, damage: Callable[[Path], None], ended: bool
) -> None:
    robot.start()
    if ended:
        robot.record.end(RELEASED)
    damage(robot.file)
    assert robot.restart().reason
    assert robot.record.release_problem(NOW) == ""


def test_a_folder_that_is_there_is_that_of_a_robot_that_ran_before(tmp_path: Path) -> None:
    file = tmp_path / "stop.json"
    assert not write_first_record(file, NAME)
    assert "missing" in StopRecord(file, NAME, tmp_path).begin(NOW).reason


def test_an_empty_folder_is_new_for_a_run_and_not_for_a_robot(tmp_path: Path) -> None:
    file, memory = tmp_path / "state" / "stop.json", tmp_path / "memory"
    file.parent.mkdir()
    memory.mkdir()
    assert not write_first_record(file, NAME)
    assert write_first_record(file, NAME, empty_is_new=True)
    assert StopRecord(file, NAME, memory).begin(NOW) == RELEASED
    file.unlink()
    (file.parent / "mission.journal").touch()
    assert not write_first_record(file, NAME, empty_is_new=True)


def test_a_record_that_exists_is_not_begun_anew(robot: Robot) -> None:
    robot.start()
    robot.record.end(STOPPED)
    assert not write_first_record(robot.file, NAME)
    assert robot.restart() == STOPPED


def test_the_file_of_another_robot_is_a_stop(robot: Robot, tmp_path: Path) -> None:
    copied = tmp_path / "other" / "stop.json"
    copied.parent.mkdir()
    shutil.copy(robot.file, copied)
    assert "its state is that of" in StopRecord(copied, NAME, robot.memory).begin(NOW).reason
    assert "its state is that of" in robot.restart("/robot_2/skill_server").reason


def test_files_of_earlier_versions_are_read(robot: Robot) -> None:
    robot.file.write_text('{"reason": "", "since": 0.0}')
    assert robot.start() == RELEASED
    robot.die()
    robot.file.write_text('{"reason": "red button", "since": 5.0}')
    assert robot.restart() == StopState(reason="red button", since=5.0)


def test_of_two_skill_servers_of_one_robot_the_second_is_stopped(robot: Robot) -> None:
    robot.start()
    second = StopRecord(robot.file, NAME, robot.memory)
    assert "another skill server" in second.begin(NOW).reason
    assert "another skill server" in second.release_problem(NOW)
    second.end(RELEASED)
    robot.record.keep(STOPPED)
    assert robot.restart() == STOPPED


def test_a_page_that_is_damaged_is_a_stop(robot: Robot) -> None:
    for content in (b"", b"{", b"\0" * 4096, json.dumps({"reason": 1}).encode()):
        robot.start()
        (page,) = robot.memory.iterdir()
        page.write_bytes(content)
        assert "shared memory cannot be read" in robot.restart().reason
        robot.record.end(RELEASED)
        robot.record = StopRecord(robot.file, NAME, robot.memory)


def test_a_page_that_is_missing_or_belongs_to_something_else_is_a_stop_after_death(robot: Robot) -> None:
    robot.start()
    (page,) = robot.memory.iterdir()
    page.unlink()
    page.symlink_to(robot.file)
    assert "without saying whether it was released" in robot.restart().reason


def test_without_a_file_a_stop_outlives_death_alone(tmp_path: Path) -> None:
    first = StopRecord(None, NAME, tmp_path)
    assert first.begin(NOW) == RELEASED
    first.keep(STOPPED)
    os.close(first._page._descriptor)  # type: ignore[union-attr]
    second = StopRecord(None, NAME, tmp_path)
    assert second.begin(NOW) == STOPPED
    second.end(STOPPED)
    assert StopRecord(None, NAME, tmp_path).begin(NOW) == RELEASED
    assert StopRecord(None, NAME, tmp_path / "none").begin(NOW).reason


def test_it_starts_released_without_shared_memory_and_is_stopped_after_death(robot: Robot) -> None:
    shutil.rmtree(robot.memory)
    assert robot.start() == RELEASED
    robot.record = StopRecord(robot.file, NAME, robot.memory)
    assert robot.start().reason


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "\udcff"])
def test_a_path_that_cannot_be_read_is_a_stop(tmp_path: Path, name: str) -> None:
    record = StopRecord(tmp_path / name, NAME, tmp_path)
    assert record.begin(NOW).reason
    record.end(RELEASED)


@pytest.mark.parametrize("reason", ["", " \n", "x" * 10_000, "two\nlines", "\ud800"])
def test_every_reason_makes_a_stop_of_one_bounded_line(reason: str) -> None:
    found = StopState.stopped(reason, NOW).reason
    assert 0 < len(found) <= REASON_CHARACTERS
    assert "\n" not in found
    assert (found == NO_REASON) is (not reason.strip())
