"""Nothing is downloaded unless the user said so, and then only what is missing."""

from pathlib import Path

import pytest

from openral_bringup.deploy.weights import fetch_missing
from openral_bringup.graphs import Choices
from openral_perception_ros.weights.fetching import LicenceNotAccepted

ROOT = Path(__file__).parents[3]
RSKILLS = ROOT / "rskills"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def choices(folder: Path, **changes: object) -> Choices:
    scene = ROOT / "scenes" / "deploy" / "home.yaml"
    return Choices(scene=scene, weights_dir=str(folder), **changes)


class Hub:
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, repository: str, revision: str, folder: Path) -> str:
        self.asked.append(repository)
        (folder / "config.json").write_text("{}")
        return revision or COMMIT


@pytest.fixture(autouse=True)
def no_hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def test_what_is_missing_is_fetched_once_and_its_licence_told(tmp_path: Path) -> None:
    hub, told = Hub(), list[str]()
    one = choices(tmp_path, continuous=("omdet-turbo-indoor",), on_demand=("sim-groundtruth-locator",))
    fetch_missing(one, [RSKILLS], hub, told.append)
    fetch_missing(one, [RSKILLS], hub, told.append)
    assert hub.asked == ["omlab/omdet-turbo-swin-tiny-hf"]
    assert "Apache-2.0" in told[0]


def test_a_licence_that_was_not_accepted_fetches_nothing(tmp_path: Path) -> None:
    hub = Hub()
    one = choices(tmp_path, on_demand=("locateanything-3b-nf4",))
    with pytest.raises(LicenceNotAccepted, match="nvidia-non-commercial"):
        fetch_missing(one, [RSKILLS], hub, print)
    assert not hub.asked
