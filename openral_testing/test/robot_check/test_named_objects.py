"""Objects that a detector names, and the verdict on them."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

import openral_testing
from openral_core.detectors import Box, Detection
from openral_core.rskills import DetectorManifest
from openral_testing.robot_check.command import commands
from openral_testing.robot_check.named_objects import (
    FolderWithoutImages,
    NamedObjects,
    NeedsWords,
    finding_of,
    name_objects,
    read_images,
)

RSKILLS = Path(__file__).parents[3] / "rskills"
GOLDENS = Path(openral_testing.__file__).parent / "detectors" / "goldens"


def manifest_of(**changes: object) -> DetectorManifest:
    content = {
        "kind": "detector",
        "id": "eye",
        "description": "d",
        "engine": "onnx",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "labels": ["cup"]},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
    }
    return DetectorManifest.model_validate({**content, **changes})


class Eye:
    """A detector that boxes what is brighter than a level; one that makes things up takes every speck."""

    def __init__(self, makes_up: bool, manifest: DetectorManifest) -> None:
        self._level, self.setup = 254 if makes_up else 127, SimpleNamespace(manifest=manifest)

    def detect(self, image: np.ndarray) -> SimpleNamespace:
        rows, columns = np.nonzero(image[..., 0] > self._level)
        if not len(rows):
            return SimpleNamespace(detections=[])
        box = Box(float(columns.min()), float(rows.min()), float(columns.max()), float(rows.max()))
        return SimpleNamespace(detections=[Detection(box, "cup", 0.9)])


@pytest.mark.parametrize(("makes_up", "share"), [(False, 1.0), (True, 0.0)])
def test_what_is_seen_recurs_after_a_blur_and_what_is_made_up_does_not(makes_up: bool, share: float) -> None:
    image = np.zeros((400, 640, 3), np.uint8)
    image[100:300, 50:250] = 240
    image[150:152, 100:102] = 255
    named = name_objects(Eye(makes_up, manifest_of()), [image, image])
    assert (named.labels, named.share, named.images) == (Counter(cup=2), share, 2)


def test_a_detector_is_believed_for_what_recurs() -> None:
    good = finding_of(manifest_of(), NamedObjects(Counter(cup=8, bowl=2), 9, 4))
    assert not good.failed
    assert good.note == "cup 8, bowl 2; 90% recur in the blurred image"
    bad = finding_of(manifest_of(imagery="renders"), NamedObjects(Counter(cup=10), 4, 4))
    assert bad.failed
    assert "names nothing here" in bad.problem
    assert "trained on rendered images" in bad.problem
    assert "--detectors real" in bad.mend
    assert finding_of(manifest_of(), NamedObjects(Counter(), 0, 4)).failed


def test_a_detector_without_classes_is_refused() -> None:
    manifest = manifest_of(mode="on_demand", vocabulary={"kind": "open"})
    with pytest.raises(NeedsWords, match="coco-nano"):
        name_objects(Eye(False, manifest), [np.zeros((4, 4, 3), np.uint8)])


def test_a_folder_without_images_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.jpg").write_text("no image")
    with pytest.raises(FolderWithoutImages, match="has no images"):
        read_images(tmp_path)


def test_a_detector_that_cannot_be_loaded_is_not_checked(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((8, 8, 3), 128, np.uint8))
    words = ["robot", "check", "--images", str(tmp_path), "--rskills", str(RSKILLS)]
    result = CliRunner().invoke(commands, [*words, "--weights-dir", str(tmp_path / "none")])
    assert result.exit_code == 3, result.output
    assert "openral weights fetch coco-nano" in result.output


@pytest.mark.real
def test_photographs_tell_a_detector_of_photographs_from_one_of_renders(
    real_data: Path, tmp_path: Path
) -> None:
    (tmp_path / "coco-nano" / "weights").mkdir(parents=True)
    model = real_data / "weights" / "nanodet-plus-m-416.onnx"
    (tmp_path / "coco-nano" / "weights" / "model.onnx").symlink_to(model)
    shipped = (RSKILLS / "coco-nano" / "rskill.yaml").read_text().splitlines()
    first = next(number for number, line in enumerate(shipped) if line.startswith("weights:"))
    last = next(number for number, line in enumerate(shipped) if line.startswith("licence:"))
    manifest = [*shipped[:first], 'weights: {uri: "file://weights"}', *shipped[last:]]
    (tmp_path / "coco-nano" / "rskill.yaml").write_text("\n".join(manifest))
    for folder, expected in (("photos/images", "person"), ("rgbd_lounge", "chair"), ("rgbd_table", "bottle")):
        for name in tmp_path.glob("*.png"):
            name.unlink()
        for file in (real_data / folder).glob("*"):
            if "color" in file.name or file.suffix == ".jpg":
                (tmp_path / f"{file.stem}.png").symlink_to(file)
        images = ["robot", "check", "--images", str(tmp_path)]
        known = CliRunner().invoke(commands, [*images, "--rskills", str(tmp_path)])
        assert known.exit_code == 0, known.output
        assert expected in known.output
        words = [*images, "--rskills", str(RSKILLS), "--detector", "home-tiny"]
        unknown = CliRunner().invoke(commands, words)
        assert unknown.exit_code == 1, unknown.output
        assert "images: names nothing here" in unknown.output


def test_a_detector_of_renders_is_believed_for_renders(tmp_path: Path) -> None:
    for file in GOLDENS.glob("*.rgb.png"):
        (tmp_path / file.name).symlink_to(file)
    words = [
        "robot",
        "check",
        "--images",
        str(tmp_path),
        "--rskills",
        str(RSKILLS),
        "--detector",
        "home-tiny",
    ]
    known = CliRunner().invoke(commands, words)
    assert known.exit_code == 0, known.output
    assert "recur in the blurred image" in known.output
