"""A recording that fails is logged once, and never ends a mission."""

import os
from pathlib import Path

import pytest

from openral_reasoner.core import Core
from openral_reasoner.events import Cancelled, PromptReceived
from openral_reasoner.recording import read_lives
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.dispatcher import EventDispatcher
from openral_reasoner_ros.telemetry import PREVIOUS_RECORDING_FILE, RECORDING_FILE, Recorder
from openral_ros.callback_guard import CallbackGuard

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
    recorder = Recorder(tmp_path, SETTINGS, logged.append)
    core = Core(SETTINGS)
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
    recorder = Recorder(tmp_path / "file" / "below", SETTINGS, logged.append)
    recorder.record(0.0, Cancelled(reason="x"), ())
    assert len(logged) == 1


def test_the_file_is_bounded_and_what_was_written_stays_readable(tmp_path: Path) -> None:
    logged: list[str] = []
    recorder = Recorder(tmp_path, SETTINGS, logged.append, max_size=20_000)
    for number in range(1000):
        recorder.record(float(number), Cancelled(reason=f"{number} " + "x" * 100), ())
    assert (tmp_path / RECORDING_FILE).stat().st_size <= 20_000
    assert len(logged) == 1
    assert "it has reached its limit" in logged[0]
    (life,) = steps(tmp_path / RECORDING_FILE)
    assert len(life) > 50
    again = Recorder(tmp_path, SETTINGS, logged.append, max_size=20_000)
    again.record(0.0, Cancelled(reason="a new one"), ())
    again.close()
    assert steps(tmp_path / RECORDING_FILE) == [["cancelled"]]
    assert steps(tmp_path / PREVIOUS_RECORDING_FILE) == [life]


def test_a_new_life_begins_on_a_line_of_its_own(tmp_path: Path) -> None:
    first = Recorder(tmp_path, SETTINGS, print)
    first.record(0.0, Cancelled(reason="one"), ())
    first.record(1.0, Cancelled(reason="torn by the kill"), ())
    first.close()
    os.truncate(tmp_path / RECORDING_FILE, (tmp_path / RECORDING_FILE).stat().st_size - 9)
    second = Recorder(tmp_path, SETTINGS, print)
    second.record(0.0, Cancelled(reason="two"), ())
    second.close()
    assert steps(tmp_path / RECORDING_FILE) == [["cancelled"], ["cancelled"]]
