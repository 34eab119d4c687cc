"""Fixtures of the bring-up tests."""

import shutil
from pathlib import Path

import pytest

RSKILLS = Path(__file__).parents[2] / "rskills"


@pytest.fixture
def own_rskills(tmp_path: Path) -> Path:
    """Return a folder of the user's with one rSkill, `my-finder`."""
    folder = tmp_path / "mine" / "my-finder"
    folder.mkdir(parents=True)
    manifest = (RSKILLS / "sim-groundtruth" / "rskill.yaml").read_text()
    manifest = manifest.replace("id: sim-groundtruth", "id: my-finder").replace("[sim-gt]", "[mine]")
    (folder / "rskill.yaml").write_text(manifest)
    shutil.copy(RSKILLS / "sim-groundtruth" / "vocabulary.yaml", folder)
    return folder.parent
