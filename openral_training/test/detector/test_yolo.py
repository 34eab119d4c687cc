"""Exports for YOLO: folders of Ultralytics and Roboflow, outlines, and what is refused."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from openral_training.detector.coco import NotCoco, read_split
from openral_training.detector.yolo import NotYolo

ULTRALYTICS = (
    "path: /datasets/home\ntrain: images/train\nval: images/val\nnames: {0: mug, 1: jar}",
    "images/train",
)
ROBOFLOW = ("train: ../train/images\nval: ../valid/images\nnc: 2\nnames: ['mug', 'jar']", "train/images")
LISTED = ("train: [train.txt]\nnames: [mug, jar]", "data/images")


def export(folder: Path, description: str, images: str, *lines: str) -> Path:
    """Two images of 200x100, the first with the text of ``lines``."""
    (folder / images).mkdir(parents=True)
    for name in "ab":
        cv2.imwrite(str(folder / images / f"{name}.jpg"), np.zeros((100, 200, 3), np.uint8))
    text = folder / images.replace("images", "labels") / "a.txt"
    text.parent.mkdir(parents=True, exist_ok=True)
    text.write_text("\n".join(lines))
    (folder / "train.txt").write_text("./data/images/a.jpg\n./data/images/b.jpg\n")
    (folder / "data.yaml").write_text(description)
    return folder


@pytest.mark.parametrize(("description", "images"), [ULTRALYTICS, ROBOFLOW, LISTED])
def test_boxes_are_in_pixels_of_their_image(tmp_path: Path, description: str, images: str) -> None:
    split = read_split(export(tmp_path, description, images, "1 0.5 0.5 0.2 0.4", ""), "train")
    assert split.labels == ("mug", "jar")
    assert [image.file.name for image in split.images] == ["a.jpg", "b.jpg"]
    assert split.images[0].objects.boxes == pytest.approx(np.array([[80, 30, 120, 70]]))
    assert split.counts().tolist() == [0, 1]


def test_an_outline_becomes_the_box_around_it(tmp_path: Path) -> None:
    data = export(tmp_path, *ULTRALYTICS, "0 0.1 0.2 0.3 0.2 0.3 0.8 0.1 0.9")
    assert read_split(data, "train").images[0].objects.boxes == pytest.approx(np.array([[20, 20, 60, 90]]))


@pytest.mark.parametrize(
    "line",
    [
        "2 0.5 0.5 0.2 0.4",
        "0 100 50 40 40",
        "0 0.5 0.5 0.2",
        "0 0.5 0.5 0.2 0.4 0.9",
        "mug 0.5 0.5 0.2 0.4",
        "0 nan 0 0 0",
    ],
)
def test_a_line_that_is_no_object_is_refused_by_its_place(tmp_path: Path, line: str) -> None:
    with pytest.raises(NotYolo, match=r"a\.txt.*line 2"):
        read_split(export(tmp_path, *ULTRALYTICS, "0 0.5 0.5 0.2 0.4", line), "train")


def test_an_export_without_texts_or_split_is_refused(tmp_path: Path) -> None:
    data = export(tmp_path, *ULTRALYTICS)
    (data / "labels/train/a.txt").unlink()
    with pytest.raises(NotYolo, match="none of the 2 images"):
        read_split(data, "train")
    with pytest.raises(NotYolo, match="'images/val' does not exist"):
        read_split(data, "val")
    with pytest.raises(NotYolo, match="no split 'test'"):
        read_split(data, "test")


def test_two_formats_in_one_folder_are_not_chosen_from(tmp_path: Path) -> None:
    data = export(tmp_path, *ROBOFLOW, "0 0.5 0.5 0.2 0.4")
    (data / "train" / "_annotations.coco.json").write_text("{}")
    with pytest.raises(NotCoco, match="several annotations"):
        read_split(data, "train")
