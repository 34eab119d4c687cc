"""Tests of one deployment: run folders, and an interruption ends it with its report."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

pytest.importorskip("rclpy")
from openral_bringup.deploy.main import INTERRUPTED, conclude, interruptible, make_folder, run_folder
from openral_bringup.deploy.mission_runner import RunOutcome
from openral_bringup.deploy.monitor_node import MissionSnapshot


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_request_to_end_ends_it_in_order(number: signal.Signals) -> None:
    cleaned: list[str] = []

    async def scenario() -> int:
        async def work() -> int:
            try:
                os.kill(os.getpid(), number)
                await asyncio.sleep(30.0)
            finally:
                cleaned.append("up")
            return 0

        return await interruptible(work())

    assert asyncio.run(scenario()) == INTERRUPTED
    assert cleaned == ["up"]


def test_the_outcome_is_saved_although_the_terminal_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("/dev/full").open("w") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        conclude(RunOutcome("find the mug", MissionSnapshot(), 1.0, 2.0, 2.0, "interrupted"), tmp_path)
        with pytest.raises(OSError, match="No space"):
            gone.close()
    assert json.loads((tmp_path / "outcomes.jsonl").read_text())["goal"] == "find the mug"


def test_the_report_is_printed_although_the_disk_is_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outcomes.jsonl").symlink_to("/dev/full")
    conclude(RunOutcome("find the mug", MissionSnapshot(), 1.0, 2.0, 2.0, "interrupted"), tmp_path)
    printed = capsys.readouterr().out
    assert "goal       find the mug" in printed
    assert "not saved: " in printed


def test_latest_points_to_the_newest_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for goal in ("find the mug", "Bring me -- the \u00e9clair!"):
        folder = run_folder([goal], None)
        make_folder(folder)
        assert Path("runs/latest").resolve() == folder
    assert folder.name.endswith("-bring-me-the-clair")
    assert sorted(path.name for path in Path("runs").iterdir() if path.is_symlink()) == ["latest"]


def test_a_folder_chosen_by_hand_moves_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_folder(run_folder(["find the mug"], Path("elsewhere/mine")))
    assert Path("elsewhere/mine").is_dir()
    assert not Path("runs/latest").is_symlink()
