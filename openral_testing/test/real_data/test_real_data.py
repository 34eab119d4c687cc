"""Real data: the folders that are searched, the list of sources, and the files themselves."""

import hashlib
import json
from pathlib import Path

import cv2
import onnxruntime
import pytest

from openral_testing.real_data import RealDataMissing, find_real_data, real_data
from openral_testing.real_data.fetching import CONVERTED, SOURCES, sources
from openral_testing.real_data.location import PROOF

PHOTOGRAPHS, BOXES = 47, 406


def test_the_named_folder_goes_before_the_checkout_s_neighbour_and_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, neighbour = tmp_path / "checkout", tmp_path / "shared" / "real"
    monkeypatch.delenv("OPENRAL_REAL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert find_real_data(checkout) is None
    for folder in (tmp_path / "cache" / "openral" / "real", neighbour):
        (folder / PROOF).parent.mkdir(parents=True)
        (folder / PROOF).touch()
        assert find_real_data(checkout) == folder
    monkeypatch.setenv("OPENRAL_REAL_DATA", str(tmp_path / "nothing"))
    with pytest.raises(RealDataMissing, match="make real-data"):
        real_data(checkout)


def test_every_public_file_has_a_target_of_its_own() -> None:
    targets = [target for source in sources() for target in source.files]
    assert len(targets) == len(set(targets)) > 100
    assert all(len(entry.sha256) == 64 for source in sources() for entry in source.files.values())


@pytest.mark.real
def test_every_file_is_the_pinned_one(real_data: Path) -> None:
    differing = [
        target
        for source in sources()
        for target, entry in source.files.items()
        if not target.startswith(f"{SOURCES}/")
        and hashlib.sha256((real_data / target).read_bytes()).hexdigest() != entry.sha256
    ]
    assert differing == []


@pytest.mark.real
def test_the_photographs_have_their_ground_truth(real_data: Path) -> None:
    truth = json.loads((real_data / PROOF).read_text("utf-8"))
    assert (len(truth["images"]), len(truth["annotations"])) == (PHOTOGRAPHS, BOXES)
    for image in truth["images"]:
        height, width = cv2.imread(str(real_data / "photos" / "images" / image["file_name"])).shape[:2]
        assert (width, height) == (image["width"], image["height"])


@pytest.mark.real
@pytest.mark.parametrize("name", CONVERTED)
def test_a_converted_network_loads_with_its_input(real_data: Path, name: str) -> None:
    file = real_data / "weights" / f"{name}.onnx"
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    assert session.get_inputs()[0].shape == [1, 3, CONVERTED[name], CONVERTED[name]]
