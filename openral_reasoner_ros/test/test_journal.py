"""The journal on disk: it survives a full or read-only disk, and says so once."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openral_reasoner.commands import PublishReceipt
from openral_reasoner.core.journal import InvalidJournal, replay_journal
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import PromptReceived
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.journal import JOURNAL_FILE, MissionClock, MissionJournal

GOAL = PromptReceived(id="p", text="find the mug")


OPEN: list[MissionJournal] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def opened(folder: Path | None, log: list[str], **options: Any) -> MissionJournal:
    OPEN.append(MissionJournal(folder, log.append, **options))
    return OPEN[-1]


def journaled(folder: Path, log: list[str], core: Core, **options: Any) -> MissionJournal:
    journal = opened(folder, log, **options)
    journal.attach(core, lambda: "server")
    return journal


def handle(journal: MissionJournal, core: Core, event: Any, now: float) -> None:
    journal.before(now, event)
    journal.after(core.handle(event, now))


def test_a_mission_is_read_back_as_it_was(tmp_path: Path) -> None:
    log, core = list[str](), Core(MissionSettings())
    handle(journaled(tmp_path, log, core), core, GOAL, 1.0)
    again = opened(tmp_path, log)
    read = again.read()
    assert read is not None
    assert replay_journal(read).core.report(1.0) == core.report(1.0)
    assert again.id == read.header.id
    assert log == []


def test_the_journal_of_an_ended_mission_begins_anew(tmp_path: Path) -> None:
    log, core = list[str](), Core(MissionSettings())
    journal = journaled(tmp_path, log, core)
    handle(journal, core, GOAL, 1.0)
    handle(journal, core, PromptReceived(id="q", text="stop"), 2.0)
    read = opened(tmp_path, log).read()
    assert read is not None
    assert read.events == []
    assert read.header.idle == core.idle_state


def test_a_second_start_without_progress_is_counted(tmp_path: Path) -> None:
    log, core = list[str](), Core(MissionSettings())
    handle(journaled(tmp_path, log, core), core, GOAL, 1.0)
    attempts = [opened(tmp_path, log).read() for _ in range(3)]
    assert [read.attempts for read in attempts if read is not None] == [0, 1, 2]


def test_a_torn_line_is_cut_off_before_more_is_written(tmp_path: Path) -> None:
    log, core = list[str](), Core(MissionSettings())
    handle(journaled(tmp_path, log, core), core, GOAL, 1.0)
    with (tmp_path / JOURNAL_FILE).open("ab") as file:
        file.write(b'{"now":2.0,"ev')
    journal = opened(tmp_path, log)
    read = journal.read()
    assert read is not None
    assert len(read.events) == 1
    journal.attach(core, lambda: "server")
    handle(journal, core, PromptReceived(id="r", text="find the cup"), 3.0)
    later = opened(tmp_path, log).read()
    assert later is not None
    assert len(later.events) == 2


def test_a_full_disk_costs_the_journal_and_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, core = list[str](), Core(MissionSettings())
    journal = journaled(tmp_path, log, core)

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        for number in range(3):
            handle(journal, core, PromptReceived(id=f"p{number}", text="find the mug"), float(number))
            handle(journal, core, PromptReceived(id=f"s{number}", text="stop"), number + 0.5)
    assert [line.split(":")[0].split(" stopped")[0] for line in log] == [f"Journal {tmp_path / JOURNAL_FILE}"]
    assert not (tmp_path / JOURNAL_FILE).exists(), "a journal that lacks events would be resumed from"
    handle(journal, core, GOAL, 9.0)
    handle(journal, core, PromptReceived(id="stop", text="stop"), 9.5)
    assert "is written again" in log[-1]
    handle(journal, core, PromptReceived(id="p9", text="find the cup"), 10.0)
    read = opened(tmp_path, log).read()
    assert read is not None
    assert replay_journal(read).is_running


def test_an_idle_reasoner_journals_again_as_soon_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, core = list[str](), Core(MissionSettings())

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        journal = journaled(tmp_path, log, core)
    assert list(tmp_path.iterdir()) == []
    handle(journal, core, GOAL, 1.0)
    read = opened(tmp_path, log).read()
    assert read is not None
    assert replay_journal(read).is_running
    assert len(log) == 2


def test_an_accepted_prompt_is_on_the_disk_before_its_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core, synced = Core(MissionSettings()), list[int]()
    journal = journaled(tmp_path, [], core)
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(os.fstat(number).st_size))
    journal.before(1.0, GOAL)
    assert synced == []
    commands = core.handle(GOAL, 1.0)
    assert any(isinstance(command, PublishReceipt) for command in commands)
    journal.after(commands)
    assert synced == [(tmp_path / JOURNAL_FILE).stat().st_size]


def test_a_journal_has_a_largest_size(tmp_path: Path) -> None:
    log, core = list[str](), Core(MissionSettings())
    journal = journaled(tmp_path, log, core, max_size=20_000)
    handle(journal, core, GOAL, 1.0)
    for number in range(200):
        handle(journal, core, PromptReceived(id=f"q{number}", text="find the cup " * 20), 2.0)
    assert len(log) == 1
    assert "it has reached its limit of 0 MB" in log[0]
    assert not (tmp_path / JOURNAL_FILE).exists()


def test_a_folder_that_cannot_be_written_is_told_and_nothing_raises(tmp_path: Path) -> None:
    log, core = list[str](), Core(MissionSettings())
    (tmp_path / "file").write_text("")
    journal = journaled(tmp_path / "file", log, core)
    handle(journal, core, GOAL, 1.0)
    assert len(log) == 1
    assert "Missions continue, but do not survive a restart" in log[0]


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_FILE).write_bytes(b"\xff\xfe\n\x00\n")
    with pytest.raises(InvalidJournal, match="line 1"):
        opened(tmp_path, []).read()


def test_without_a_folder_nothing_is_written(tmp_path: Path) -> None:
    core = Core(MissionSettings())
    journal = opened(None, [])
    journal.attach(core, lambda: "server")
    handle(journal, core, GOAL, 1.0)
    assert journal.read() is None


def test_the_clock_goes_on_from_an_earlier_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openral_reasoner_ros.journal.time.time", lambda: 1010.0)
    clock = MissionClock()
    assert clock.continue_from(500.0, 1000.0) == 10.0
    assert 510.0 <= clock() < 520.0
    assert clock.continue_from(500.0, 2000.0) == 0.0
