"""Data sets in COCO format: what is read, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openral_training.coco import ClassesDiffer, NotCoco, read_split, trained_labels

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


def test_coco_s_own_layout_is_read(tmp_path: Path, shapes: Shapes) -> None:
    data, own = shapes(), tmp_path / "own"
    (own / "annotations").mkdir(parents=True)
    (data / "val" / "annotations.json").rename(own / "annotations" / "instances_val2017.json")
    (data / "val" / "images").rename(own / "val2017")
    assert len(read_split(own, "val").images) == 4


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
