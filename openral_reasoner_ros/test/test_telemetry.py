"""A recording that fails is logged once, and never ends a mission."""

import os
from pathlib import Path

import pytest

from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Cancelled, PromptReceived
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.dispatcher import EventDispatcher
from openral_reasoner_ros.telemetry import PREVIOUS_RECORDING_FILE, RECORDING_FILE, Recorder
from openral_ros.callback_guard import CallbackGuard
from openral_testing.recordings.lives import read_lives
from openral_testing.recordings.replay import replay, stories

pytest.importorskip("rclpy")


SETTINGS = MissionSettings()


def steps(file: Path) -> list[list[str]]:
    with file.open() as lines:
        return [[step.event.kind for step in life.steps] for life in read_lives(lines)]


class Silent:
    """A node without a log."""


def test_a_disk_that_is_full_ends_the_recording_and_not_the_mission(tmp_path: Path) -> None:
    (tmp_path / RECORDING_FILE).symlink_to("/dev/full")
    logged: list[str] = []
    core = Core(SETTINGS)
    recorder = Recorder(tmp_path, core, logged.append)
    dispatcher = EventDispatcher(core, recorder.record, logged.append, CallbackGuard(Silent()))
    carried: list[object] = []
    dispatcher.register(dict.fromkeys(_kinds(), carried.append))
    for number in range(3):
        dispatcher.post(PromptReceived(id=f"p{number}", text="find the mug"))
    assert carried
    assert len(logged) == 1
    assert "No space left on device. Missions continue unrecorded." in logged[0]
    recorder.close()


def _kinds() -> tuple[type, ...]:
    from openral_reasoner import commands

    return tuple(var for var in vars(commands).values() if isinstance(var, type))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    logged: list[str] = []
    recorder = Recorder(tmp_path / "file" / "below", Core(SETTINGS), logged.append)
    recorder.record(0.0, Cancelled(reason="x"), ())
    assert len(logged) == 1


def test_the_file_is_bounded_and_what_was_written_stays_readable(tmp_path: Path) -> None:
    logged: list[str] = []
    recorder = Recorder(tmp_path, Core(SETTINGS), logged.append, max_size=20_000)
    for number in range(1000):
        recorder.record(float(number), Cancelled(reason=f"{number} " + "x" * 100), ())
    assert (tmp_path / RECORDING_FILE).stat().st_size <= 20_000
    assert len(logged) == 1
    assert "it has reached its limit" in logged[0]
    (life,) = steps(tmp_path / RECORDING_FILE)
    assert len(life) > 50
    again = Recorder(tmp_path, Core(SETTINGS), logged.append, max_size=20_000)
    again.record(0.0, Cancelled(reason="a new one"), ())
    again.close()
    assert steps(tmp_path / RECORDING_FILE) == [["cancelled"]]
    assert steps(tmp_path / PREVIOUS_RECORDING_FILE) == [life]


def test_a_recording_goes_on_when_there_is_room_and_the_core_was_idle(tmp_path: Path) -> None:
    file, logged, core = tmp_path / RECORDING_FILE, list[str](), Core(SETTINGS)
    recorder = Recorder(tmp_path, core, logged.append)
    dispatcher = EventDispatcher(core, recorder.record, logged.append, CallbackGuard(Silent()))
    dispatcher.register(dict.fromkeys(_kinds(), lambda command: None))

    def say(number: int, text: str) -> None:
        dispatcher.post(PromptReceived(id=f"p{number}", text=text))

    say(1, "find the mug")
    recorder.close()
    recorder._file = Path("/dev/full").open("w")  # noqa: SIM115 - the disk fills up in mid-mission
    say(2, "find the spoon")
    say(3, "stop")
    assert "stopped" in logged[-1]
    say(4, "find the cup")
    say(5, "stop")
    recorder.close()
    assert "goes on" in logged[-1]
    assert len(logged) == 2
    with file.open() as lines:
        lives = list(read_lives(lines))
    assert [len(life.steps) for life in lives] == [1, 2]
    assert [life.interrupted for life in lives] == [False, True]
    assert all(replay(life.settings, life.steps, idle=life.idle) is None for life in lives)
    story = "\n".join(stories(lives))
    assert "mission 'find the mug' was active: its recording was interrupted" in story
    assert "--- recording goes on after an interruption" in story


def test_a_new_life_begins_on_a_line_of_its_own(tmp_path: Path) -> None:
    first = Recorder(tmp_path, Core(SETTINGS), print)
    first.record(0.0, Cancelled(reason="one"), ())
    first.record(1.0, Cancelled(reason="torn by the kill"), ())
    first.close()
    os.truncate(tmp_path / RECORDING_FILE, (tmp_path / RECORDING_FILE).stat().st_size - 9)
    second = Recorder(tmp_path, Core(SETTINGS), print)
    second.record(0.0, Cancelled(reason="two"), ())
    second.close()
    assert steps(tmp_path / RECORDING_FILE) == [["cancelled"], ["cancelled"]]
