"""Data sets in COCO format: what is read, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import ExifTags, Image

from openral_training.detector.coco import NotCoco, read_split
from openral_training.detector.image_cache import decode
from openral_training.detector.splits import ClassesDiffer, trained_labels

Shapes = Callable[..., Path]


def first_annotation(**changes: object) -> Callable[[dict[str, Any]], object]:
    return lambda content: content["annotations"][0].update(changes)


def test_boxes_are_corners_and_classes_count_from_zero(shapes: Shapes) -> None:
    data = shapes(change=first_annotation(bbox=[10, 20, 30, 40], category_id=20))
    split = read_split(data, "train")
    assert split.labels == ("square", "disc")
    assert split.images[0].objects.boxes[0].tolist() == [10, 20, 40, 60]
    assert split.images[0].objects.classes[0] == 1
    assert split.counts().sum() == 24


def test_a_box_is_clipped_to_its_image_and_one_outside_is_dropped(shapes: Shapes) -> None:
    def change(content: dict[str, Any]) -> None:
        content["annotations"][0]["bbox"] = [80, 50, 100, 100]
        content["annotations"][1]["bbox"] = [200, 0, 10, 10]

    objects = read_split(shapes(change=change), "train").images[0].objects
    assert objects.boxes.tolist() == [[80, 50, 96, 64]]


def test_a_crowd_is_a_region_to_ignore_and_not_counted(shapes: Shapes) -> None:
    split = read_split(shapes(change=first_annotation(iscrowd=1)), "train")
    assert split.images[0].objects.ignored.tolist() == [True, False]
    assert split.counts().sum() == 23


def test_a_picture_that_is_repeated_with_its_boxes_is_read_each_time(shapes: Shapes) -> None:
    def repeat(content: dict[str, Any]) -> None:
        first = content["images"][0]
        content["images"].append(first | {"id": 900})
        own = [each for each in content["annotations"] if each["image_id"] == first["id"]]
        content["annotations"] += [
            each | {"id": 900 + number, "image_id": 900} for number, each in enumerate(own)
        ]

    first, *_, last = read_split(shapes(change=repeat), "train").images
    assert (first.file, first.objects.boxes.tolist()) == (last.file, last.objects.boxes.tolist())


def test_coco_s_own_layout_is_read(tmp_path: Path, shapes: Shapes) -> None:
    data, own = shapes(), tmp_path / "own"
    (own / "annotations").mkdir(parents=True)
    (data / "val" / "annotations.json").rename(own / "annotations" / "instances_val2017.json")
    (data / "val" / "images").rename(own / "val2017")
    assert len(read_split(own, "val").images) == 4


def moved(shapes: Shapes, root: Path, annotations: str, images: str, content: bytes | None = None) -> Path:
    """Write one split of a data set where the export of another tool has it."""
    source = shapes() / "train"
    file, folder = root / annotations, root / images
    file.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    for image in (source / "images").iterdir():
        image.rename(folder / image.name)
    file.write_bytes(content or (source / "annotations.json").read_bytes())
    return root


@pytest.mark.parametrize(
    ("split", "annotations", "images"),
    [
        ("train", "train/_annotations.coco.json", "train"),
        ("val", "valid/_annotations.coco.json", "valid"),
        ("train", "annotations/instances_default.json", "images/default"),
        ("val", "annotations/instances_Validation.json", "images/Validation"),
        ("train", "result.json", "images"),
        ("train", "annotations/instances_train2017.json", "images/train2017"),
        ("train2014", "annotations/instances_train2014.json", "train2014"),
    ],
)
def test_exports_of_annotation_tools_are_read_where_they_lie(
    shapes: Shapes, tmp_path: Path, split: str, annotations: str, images: str
) -> None:
    data = moved(shapes, tmp_path / "export", annotations, images)
    assert read_split(data, split).counts().sum() == 24
    (data / annotations).with_name("instances_train-backup.json").write_text("{}")
    assert read_split(data, split).counts().sum() == 24


def test_an_export_without_splits_is_not_its_own_validation(shapes: Shapes, tmp_path: Path) -> None:
    data = moved(shapes, tmp_path / "export", "result.json", "images")
    with pytest.raises(NotCoco, match="no annotations of split 'val'"):
        read_split(data, "val")


@pytest.mark.parametrize("other", ["annotations/instances_train2014.json", "train/annotations.json"])
def test_which_of_two_files_is_meant_is_not_guessed(shapes: Shapes, tmp_path: Path, other: str) -> None:
    data = moved(shapes, tmp_path / "export", "annotations/instances_train2017.json", "train2017")
    (data / other).parent.mkdir(exist_ok=True)
    (data / other).write_bytes((data / "annotations" / "instances_train2017.json").read_bytes())
    with pytest.raises(NotCoco, match="several annotations of split 'train'") as refused:
        read_split(data, "train")
    assert other in str(refused.value)
    assert read_split(data, "train2017").counts().sum() == 24


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(info=None),
        lambda content: content.update(info=[]),
        lambda content: content["annotations"][0].update(iscrowd=None, ignore=0, area=float("nan")),
        lambda content: content["annotations"].append({"image_id": 0, "category_id": 10, "bbox": []}),
        lambda content: content["annotations"].append({"image_id": 0, "category_id": 10, "attributes": {}}),
        lambda content: content["categories"].append({"id": 0, "name": "disc", "supercategory": "none"}),
        lambda content: content["images"][0].update(id="0", width=None, height=None),
        lambda content: content["images"][0].update(file_name="images\\0.png"),
        lambda content: content["images"][0].update(file_name="D:\\work\\set 1\\0.png"),
        lambda content: content["images"][0].update(file_name="https://tool.example/data/%30.png?sig=1"),
    ],
)
def test_what_other_tools_write_is_no_reason_to_refuse(
    shapes: Shapes, change: Callable[[dict[str, Any]], object]
) -> None:
    split = read_split(shapes(change=change), "train")
    assert split.labels == ("square", "disc")
    assert split.counts().sum() == 24


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_encodings_of_windows_are_read(shapes: Shapes, encoding: str) -> None:
    file = shapes() / "train" / "annotations.json"
    file.write_bytes(file.read_text().encode(encoding))
    assert read_split(file.parent.parent, "train").counts().sum() == 24


def test_a_box_contains_its_outline_or_its_rotated_corners(shapes: Shapes) -> None:
    outline = {"bbox": [], "segmentation": [[10, 20, 40, 20, 40, 50], [12, 8, 14, 8, 14, 22]]}
    split = read_split(shapes(change=first_annotation(**outline)), "train")
    assert split.images[0].objects.boxes[0].tolist() == [10, 8, 40, 50]


def test_a_rotated_box_of_cvat_is_read_as_its_hull(shapes: Shapes) -> None:
    turned = {"bbox": [20, 10, 20, 40], "attributes": {"rotation": 90.0}}
    split = read_split(shapes(change=first_annotation(**turned)), "train")
    assert split.images[0].objects.boxes[0] == pytest.approx([10, 20, 50, 40])


@pytest.mark.parametrize("orientation", [3, 6])
def test_a_turned_image_is_read_as_its_annotated_size_tells_or_refused(
    shapes: Shapes, orientation: int
) -> None:
    data = shapes()
    path = data / "train" / "images" / "0.png"
    with Image.open(path) as image:
        tag = Image.Exif()
        tag[ExifTags.Base.Orientation] = orientation
        image.save(path, exif=tag)
    if orientation == 3:
        with pytest.raises(NotCoco, match="EXIF"):
            read_split(data, "train")
        return
    images = read_split(data, "train").images
    assert (
        decode(images[0], (96, 64))[:, :96].tolist()
        == cv2.imread(str(path), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION).tolist()
    )


def test_only_classes_with_objects_are_learned(shapes: Shapes) -> None:
    def change(content: dict[str, Any]) -> None:
        content["categories"].append({"id": 99, "name": "ghost"})

    split = read_split(shapes(change=change), "train")
    assert tuple(trained_labels(split)) == ("square", "disc")


def test_classes_are_numbered_as_asked_and_others_are_background(shapes: Shapes) -> None:
    split = read_split(shapes(), "train")
    discs = split.relabelled(("disc",), "the checkpoint")
    assert discs.counts().tolist() == [split.counts()[1]]
    assert all(np.all(image.objects.classes == 0) for image in discs.images)
    with pytest.raises(ClassesDiffer, match="do not match those of the checkpoint: missing 'star'"):
        split.relabelled(("disc", "star"), "the checkpoint")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: content.pop("categories"), "missing key 'categories'"),
        (lambda content: content.update(images=[]), "images"),
        (first_annotation(bbox=[1, 2, 3]), "annotations.0.bbox"),
        (first_annotation(bbox=[1, 2, -3, 4]), "annotations.0.bbox"),
        (first_annotation(bbox=[], segmentation={"counts": "a1", "size": [64, 96]}), "a mask without 'bbox'"),
        (
            lambda content: [each.update(bbox=[0.1, 0.2, 0.3, 0.4]) for each in content["annotations"]],
            "shares",
        ),
        (lambda content: content["images"][0].update(file_name="1.png"), "two images are the same file"),
        (first_annotation(image_id=77), "image 77"),
        (first_annotation(category_id=77), "category 77"),
        (lambda content: content["images"][0].update(file_name="gone.png"), "'gone.png'"),
        (lambda content: content["images"][0].update(id=1), "same id"),
        (lambda content: content["categories"][0].update(name="disc"), "same name or id"),
    ],
)
def test_an_error_names_file_and_problem(
    shapes: Shapes, change: Callable[[dict[str, Any]], object], problem: str
) -> None:
    data = shapes(change=change)
    with pytest.raises(NotCoco) as caught:
        read_split(data, "train")
    assert problem in str(caught.value)
    assert str(data / "train" / "annotations.json") in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "{", json.dumps({"images": 3})])
def test_other_files_are_refused(shapes: Shapes, content: str) -> None:
    data = shapes()
    (data / "train" / "annotations.json").write_text(content)
    with pytest.raises(NotCoco):
        read_split(data, "train")


def test_a_folder_without_the_split_is_refused_with_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    with pytest.raises(NotCoco, match="no annotations of split 'train' among 'photos'"):
        read_split(tmp_path, "train")
