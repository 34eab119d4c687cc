from pathlib import Path

import pytest
from typer.testing import CliRunner

from openral_training.homes.cli import commands

SCENES = Path(__file__).parents[3] / "scenes"
RUNNER = CliRunner()


def test_draws_a_home_and_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    written = RUNNER.invoke(
        commands, ["scene", "generate", "--seed", "3", "--rooms", "1", "--out", str(tmp_path)]
    )
    assert Path(written.output.strip()) == tmp_path / "deploy" / "generated_3.yaml", written.output
    checked = RUNNER.invoke(commands, ["scene", "check", "generated_3", "--folder", str(tmp_path)])
    assert checked.exit_code == 0, checked.output
    assert "generated_3: 0 problems" in checked.output


def test_writes_a_contact_sheet(tmp_path: Path) -> None:
    out = tmp_path / "pictures" / "sheet.png"
    drawn = RUNNER.invoke(commands, ["scene", "render", "studio", "--folder", str(SCENES), "--out", str(out)])
    assert drawn.exit_code == 0, drawn.output
    assert out.stat().st_size > 100_000


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
