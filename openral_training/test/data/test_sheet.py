"""The page shows what a detector found, what it missed and what it took for something else."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from openral_core.detectors import Box, Detection
from openral_core.rskills import InvalidManifest
from openral_training.data.sheet import STYLE, contact_sheet, detector_in

RSKILLS = Path(__file__).parents[3] / "rskills"
MUG, BOWL, CROWD = (40, 60, 60, 80), (200, 60, 80, 80), (340, 200, 100, 100)


@pytest.fixture
def annotations(tmp_path: Path) -> Path:
    """Return a data set of one grey image of 480x360 with a mug, a bowl and a region to ignore."""
    Image.new("RGB", (480, 360), (128, 128, 128)).save(tmp_path / "1.png")
    boxes = [(1, MUG, 0), (2, BOWL, 0), (1, CROWD, 1)]
    content = {
        "images": [{"id": 1, "file_name": "1.png"}],
        "categories": [{"id": 1, "name": "mug"}, {"id": 2, "name": "bowl"}],
        "annotations": [
            {"image_id": 1, "category_id": number, "bbox": box, "iscrowd": crowd}
            for number, box, crowd in boxes
        ],
    }
    file = tmp_path / "annotations.json"
    file.write_text(json.dumps(content))
    return file


def seen(label: str, box: tuple[int, int, int, int]) -> Detection:
    x, y, width, height = box
    return Detection(Box(x, y, x + width, y + height), label, 0.9)


def corner(page: Image.Image, box: tuple[int, int, int, int]) -> object:
    return page.getpixel((box[0], box[1] + box[3] - 1))


def test_hits_misses_and_errors_have_their_colours(annotations: Path) -> None:
    elsewhere = (120, 250, 60, 60)

    def find(rgb: NDArray[np.uint8]) -> Sequence[Detection]:
        assert rgb.shape == (360, 480, 3)
        return [seen("mug", MUG), seen("mug", elsewhere), seen("mug", CROWD)]

    page = contact_sheet(annotations, 1, None, find)
    assert corner(page, MUG) == STYLE.hit
    assert corner(page, BOWL) == STYLE.missed
    assert corner(page, elsewhere) == STYLE.wrong
    assert corner(page, CROWD) == (128, 128, 128)


def test_a_box_with_another_label_is_a_miss_and_an_error(annotations: Path) -> None:
    page = contact_sheet(annotations, 1, None, lambda _rgb: [seen("bowl", MUG)])
    assert corner(page, MUG) == STYLE.wrong
    assert corner(page, BOWL) == STYLE.missed


def test_the_shipped_detector_can_be_drawn_and_a_skill_is_refused(annotations: Path) -> None:
    page = contact_sheet(annotations, 1, None, detector_in(RSKILLS / "home-tiny"))
    assert corner(page, BOWL) == STYLE.missed
    with pytest.raises(InvalidManifest, match="expected a detector with a closed vocabulary"):
        detector_in(RSKILLS / "grasp")
