"""The journal goes on with its list, refuses another one, and says when it cannot be written."""

from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
from openral_fleet.errands import parse_errands
from openral_fleet.records import ErrandState, FleetState
from openral_fleet.ros.journal import JOURNAL_FILE, FleetJournal, UnusableJournal
from openral_reasoner_ros.journal import MissionClock

LIST = parse_errands({"errands": ["find the mug", "bring me the bowl"]}).errands
OTHER = parse_errands({"errands": ["find the spoon"]}).errands


def journal(folder: Path, log: list[str] | None = None) -> FleetJournal:
    return FleetJournal(folder, MissionClock(), (log if log is not None else []).append)


def test_a_list_goes_on_where_it_was(tmp_path: Path) -> None:
    first = journal(tmp_path)
    state = first.begin(LIST)
    changed = state.with_record(state.records[0].having(state=ErrandState.DONE, lease=12.5))
    assert first.write(changed)
    assert journal(tmp_path).begin(LIST) == changed


def test_a_list_that_has_ended_begins_anew(tmp_path: Path) -> None:
    state = journal(tmp_path).begin(LIST)
    for record in state.records:
        state = state.with_record(record.having(state=ErrandState.DONE))
    journal(tmp_path).write(state)
    again = journal(tmp_path).begin(LIST)
    assert again.run != state.run
    assert {each.state for each in again.records} == {ErrandState.QUEUED}


def test_the_journal_of_another_list_is_refused(tmp_path: Path) -> None:
    journal(tmp_path).write(FleetState.of("run", LIST, 0.0))
    with pytest.raises(UnusableJournal, match="another list"):
        journal(tmp_path).begin(OTHER)


@pytest.mark.parametrize("content", [b"", b"\xff", b'{"journal": 2}', b"[]"])
def test_a_damaged_journal_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / JOURNAL_FILE).write_bytes(content)
    with pytest.raises(UnusableJournal, match="cannot be read"):
        journal(tmp_path).begin(LIST)


def test_a_journal_that_cannot_be_written_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log: list[str] = []
    broken = journal(tmp_path / "file" / "folder", log)
    assert not broken.write(FleetState.of("run", LIST, 0.0))
    assert not broken.write(FleetState.of("run", LIST, 0.0))
    assert len(log) == 1
    assert "Nothing is dispatched" in log[0]


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    none = FleetJournal(None, MissionClock(), print)
    assert none.write(none.begin(LIST))
    assert list(tmp_path.iterdir()) == []
