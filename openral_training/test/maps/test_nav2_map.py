"""Map files of Nav2."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from openral_core.documents import InvalidDocument
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, MapTooLarge
from openral_core.home_map import Pose2
from openral_training.maps.nav2_map import load_nav2_map

YAML = "image: a.png\nresolution: 0.1\norigin: [1.0, 2.0, 0.5]\n"


def load(folder: Path, pixels: list[list[int]], extra: str = "") -> list[list[int]]:
    Image.fromarray(np.array(pixels, np.uint8)).save(folder / "a.png")
    (folder / "map.yaml").write_text(YAML + extra)
    return load_nav2_map(folder / "map.yaml").cells.tolist()


def test_the_top_row_of_the_image_has_the_largest_y(tmp_path: Path) -> None:
    assert load(tmp_path, [[0, 254], [254, 254]]) == [[FREE, FREE], [OCCUPIED, FREE]]
    loaded = load_nav2_map(tmp_path / "map.yaml")
    assert (loaded.resolution, loaded.origin) == (0.1, Pose2(x=1.0, y=2.0, yaw=0.5))


@pytest.mark.parametrize(
    ("extra", "pixels", "cells"),
    [
        ("", [0, 80, 130, 205, 254], [OCCUPIED, OCCUPIED, UNKNOWN, UNKNOWN, FREE]),
        ("negate: 1\n", [0, 50, 130, 255], [FREE, FREE, UNKNOWN, OCCUPIED]),
        ("mode: scale\n", [0, 128, 205, 255], [OCCUPIED, UNKNOWN, FREE, FREE]),
        ("mode: raw\n", [0, 24, 50, 66, 100, 101, 255], [FREE, FREE, UNKNOWN, OCCUPIED, OCCUPIED, -1, -1]),
        ("occupied_thresh: 0.9\nfree_thresh: 0.1\n", [0, 50, 200, 254], [OCCUPIED, UNKNOWN, UNKNOWN, FREE]),
    ],
)
def test_modes_and_thresholds(extra: str, pixels: list[int], cells: list[int], tmp_path: Path) -> None:
    assert load(tmp_path, [pixels], extra) == [cells]


def test_transparent_pixels_are_unknown_and_colours_their_mean(tmp_path: Path) -> None:
    pixels = np.array(
        [[[0, 0, 0, 255], [255, 255, 255, 255], [255, 255, 255, 0], [250, 0, 0, 255]]], np.uint8
    )
    Image.fromarray(pixels).save(tmp_path / "a.png")
    (tmp_path / "map.yaml").write_text(YAML)
    assert load_nav2_map(tmp_path / "map.yaml").cells.tolist() == [[OCCUPIED, FREE, UNKNOWN, OCCUPIED]]


def test_what_map_saver_writes_is_loaded(tmp_path: Path) -> None:
    shades = {0: OCCUPIED, 254: FREE, 205: UNKNOWN}
    written = "mode: trinary\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
    assert load(tmp_path, [list(shades)], written) == [list(shades.values())]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (YAML.replace("0.1", "0"), "resolution"),
        (YAML.replace("[1.0, 2.0, 0.5]", "[1.0, .nan, 0.5]"), "origin"),
        (YAML + "mode: heatmap\n", "mode"),
        (YAML + "occupied_thresh: 0.1\n", "must not exceed"),
        (YAML.replace("a.png", "absent.png"), "absent.png"),
        (YAML.replace("a.png", "text.png"), "cannot be read"),
        (YAML.replace("0.1", "1e-300"), "resolution"),
        (YAML.replace("0.1", "1e300"), "resolution"),
        (YAML.replace("a.png", "/dev/zero"), "no regular file"),
        (YAML.replace("a.png", "pipe.png"), "no regular file"),
        (YAML.replace("a.png", "."), "no regular file"),
        (YAML.replace("a.png", "cut.png"), "cannot be read"),
        (YAML.replace("a.png", "huge.pgm"), "cannot be read"),
        (YAML.replace("a.png", "float.tif"), "save it as PNG or PGM"),
        (YAML.replace("a.png", "deep.tif"), "save it as PNG or PGM"),
        (YAML.replace("a.png", "unclear.bmp"), "save it as PNG or PGM"),
        (YAML.replace("a.png", "deep.png") + "mode: raw\n", "more than 8 bits"),
    ],
)
def test_a_file_that_is_no_map_is_refused_by_name(text: str, problem: str, tmp_path: Path) -> None:
    Image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / "a.png")
    deep = Image.fromarray(np.full((2, 2), 100, np.uint16))
    (tmp_path / "text.png").write_text("no image")
    (tmp_path / "cut.png").write_bytes((tmp_path / "a.png").read_bytes()[:45])
    (tmp_path / "huge.pgm").write_bytes(b"P5 1000000 1000000 255\n0")
    os.mkfifo(tmp_path / "pipe.png")
    Image.fromarray(np.zeros((2, 2), np.float32)).save(tmp_path / "float.tif")
    Image.fromarray(np.zeros((2, 2, 4), np.uint8)).save(tmp_path / "unclear.bmp")
    deep.save(tmp_path / "deep.tif")
    deep.save(tmp_path / "deep.png")
    (tmp_path / "map.yaml").write_text(text)
    with pytest.raises(InvalidDocument, match=problem) as refusal:
        load_nav2_map(tmp_path / "map.yaml")
    assert len(str(refusal.value).encode()) <= 2_000


def test_an_image_larger_than_any_map_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openral_core.floor_map.MAX_CELLS", 3)
    with pytest.raises(MapTooLarge, match="2x2"):
        load(tmp_path, [[0, 0], [0, 0]])
