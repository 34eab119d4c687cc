"""Every folder of openral_rskills is an rSkill that the graph can be given."""

from pathlib import Path

import pytest

from openral_core.rskills import Registry

RSKILLS = Path(__file__).parents[2] / "rskills"
MANIFESTS = sorted(RSKILLS.glob("*/rskill.yaml"))


def test_every_folder_has_a_manifest() -> None:
    folders = {
        path.name
        for path in RSKILLS.iterdir()
        if path.is_dir() and not path.name.startswith(("test", "_", "."))
    }
    assert {manifest.parent.name for manifest in MANIFESTS} == folders


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_every_manifest_is_valid_and_named_after_its_folder(manifest: Path) -> None:
    registry = Registry.load([RSKILLS])
    known = {detector.id for detector in (*registry.detectors, *registry.skills)}
    assert manifest.parent.name in known
