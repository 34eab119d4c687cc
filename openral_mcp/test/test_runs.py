"""Recorded runs: explained page by page; nothing outside their folder is read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_mcp import runs
from openral_mcp.runs import RunFolder
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Cancelled, PromptReceived
from openral_reasoner.recording import LineWriter
from openral_reasoner.settings import MissionSettings

FILE = "reasoner.jsonl"


def record(folder: Path, prompts: int = 1) -> None:
    """A recording of goals that are cancelled at once."""
    folder.mkdir(parents=True)
    settings, writer = MissionSettings(), LineWriter()
    core, lines = Core(settings), [writer.settings(settings)]
    for number in range(prompts):
        events = (PromptReceived(id=str(number), text=f"find mug {number}"), Cancelled(reason="enough"))
        now = float(number)
        lines += [writer.step(now, event, core.handle(event, now)) for event in events]
    (folder / FILE).write_text("\n".join(lines) + "\n")


def test_a_run_is_explained_in_words(tmp_path: Path) -> None:
    record(tmp_path / "one" / "recording")
    (tmp_path / "latest").symlink_to("one")
    reply = RunFolder(tmp_path).explain("latest", 0)
    assert reply.status == "FOUND"
    assert "find mug 0" in reply.lines[0]
    assert reply.next_offset is None
    assert set(reply.runs) == {"one", "latest"}


def test_pages_put_together_are_the_whole_explanation(tmp_path: Path) -> None:
    record(tmp_path / "long", prompts=120)
    folder, lines, offset = RunFolder(tmp_path), list[str](), 0
    while True:
        reply = folder.explain("long", offset)
        assert len(reply.lines) <= runs.PAGE
        lines += reply.lines
        if reply.next_offset is None:
            break
        offset = reply.next_offset
    assert sum("the operator says" in line for line in lines) == 120


@pytest.mark.parametrize("name", ["..", "../secret", "/etc", "", ".hidden", "a/b", "out", "no such"])
def test_other_folders_are_not_read(tmp_path: Path, name: str) -> None:
    record(tmp_path / "secret")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "out").symlink_to(tmp_path / "secret")
    assert RunFolder(tmp_path / "runs").explain(name, 0).status == "UNKNOWN_RUN"


@given(content=st.binary(max_size=300))
def test_any_file_gives_a_typed_reply(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "one").mkdir()
    (folder / "one" / FILE).write_bytes(content)
    assert RunFolder(folder).explain("one", 0).status in ("FOUND", "UNREADABLE")


def test_a_large_recording_is_left_to_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(tmp_path / "one")
    monkeypatch.setattr(runs, "MAX_RECORDING", 10)
    reply = RunFolder(tmp_path).explain("one", 0)
    assert reply.status == "TOO_LARGE"
    assert "openral explain" in reply.message


def test_only_the_newest_runs_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MAX_RUNS", 2)
    for number in range(4):
        record(tmp_path / f"run-{number}")
    assert len(RunFolder(tmp_path).names()) == 2
    assert RunFolder(tmp_path / "none").names() == ()
