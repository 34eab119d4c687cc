"""Command `openral waterfall`."""

import json
from pathlib import Path

import pytest

pytest.importorskip("rclpy")
from PIL import Image
from typer.testing import CliRunner

from openral_console.ros.waterfall_cli import commands

SPAN = {
    "name": "invoke_agent openral",
    "context": {"span_id": "0x1"},
    "start_time": "2026-11-25T10:00:00Z",
    "end_time": "2026-11-25T10:00:09Z",
    "resource": {"attributes": {"service.name": "reasoner"}},
}


def test_draws_the_spans_of_a_run_folder(tmp_path: Path) -> None:
    folder = tmp_path / "recording" / "spans"
    folder.mkdir(parents=True)
    (folder / "reasoner.jsonl").write_text(json.dumps(SPAN) + "\n{broken\n", encoding="utf-8")
    out = tmp_path / "picture.png"
    done = CliRunner().invoke(commands, [str(tmp_path), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "1 spans" in done.output
    with Image.open(out) as image:
        assert image.width > 1000


def test_a_run_without_spans_is_refused_with_a_hint(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, [str(tmp_path), "--service", "reasoner"])
    assert done.exit_code == 2
    assert "--record" in done.output
