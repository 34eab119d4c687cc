from pathlib import Path

from typer.testing import CliRunner

from openral_sim.scene.scene_files import find_scene
from openral_sim.scene.validation import find_problems
from openral_training.homes.cli import app


def test_draws_a_home_with_nothing_wrong(tmp_path: Path) -> None:
    written = CliRunner().invoke(app, ["--seed", "3", "--rooms", "1", "--out", str(tmp_path)])
    assert Path(written.output.strip()) == tmp_path / "deploy" / "generated_3.yaml", written.output
    assert list(find_problems(find_scene("generated_3", tmp_path), 0)) == []
