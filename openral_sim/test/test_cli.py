from pathlib import Path

import pytest
from typer.testing import CliRunner

from openral_sim.cli import commands

SCENES = Path(__file__).parents[2] / "scenes"
RUNNER = CliRunner()


def test_lists_the_shipped_scenes_with_what_is_hidden_in_them() -> None:
    reported = RUNNER.invoke(commands, ["scene", "list", "--folder", str(SCENES)])
    assert reported.exit_code == 0
    lines = {line.split()[0]: line for line in reported.output.splitlines()}
    assert set(lines) == {"studio", "home", "flat", "house"}
    assert "kitchen, living room: 2 containers" in lines["home"]


def test_the_shipped_scenes_are_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ament_index_python")
    monkeypatch.chdir(tmp_path)
    reported = RUNNER.invoke(commands, ["scene", "list"])
    assert reported.exit_code == 0, reported.output
    assert "home" in [line.split()[0] for line in reported.output.splitlines()]
