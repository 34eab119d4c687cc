"""Command line `openral data`."""

import json
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from openral_core.errors import OpenRALError
from openral_training.data.cli import app


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--size", "640"], "--size 640: expected WIDTHxHEIGHT"),
        (["--size", "9999x10"], "--size 9999x10"),
        (["--split", "training"], r"--split training: expected one of 'train'"),
        (["--sensors", "kinect"], r"--sensors kinect: expected one of 'off', 'mild', 'realsense'"),
    ],
)
def test_options_that_cannot_be_used_are_refused(tmp_path: Path, options: list[str], problem: str) -> None:
    result = CliRunner().invoke(app, ["render", str(tmp_path), *options])
    assert isinstance(result.exception, OpenRALError)
    assert problem in str(result.exception)


def test_a_page_shows_boxes_in_green_and_ignored_ones_in_red(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    Image.new("RGB", (64, 48)).save(tmp_path / "images" / "000001.jpg")
    box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [8, 8, 20, 20], "iscrowd": 0}
    content = {
        "images": [{"id": 1, "file_name": "images/000001.jpg"}],
        "annotations": [box, {**box, "id": 2, "bbox": [40, 8, 10, 10], "iscrowd": 1}],
        "categories": [{"id": 1, "name": "mug"}],
    }
    (tmp_path / "annotations.json").write_text(json.dumps(content))
    page = tmp_path / "pages" / "page.png"
    result = CliRunner().invoke(app, ["show", str(tmp_path), "--out", str(page), "--count", "3"])
    assert result.exit_code == 0, result.output
    picture = Image.open(page).convert("RGB")
    scale = picture.width / 64
    assert picture.getpixel((round(8 * scale), round(20 * scale)))[1] > 200
    assert picture.getpixel((round(40 * scale), round(14 * scale)))[0] > 200


def test_a_page_of_a_folder_without_data_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["show", str(tmp_path)])
    assert isinstance(result.exception, OpenRALError)
    assert "annotations.json" in str(result.exception)
