"""Boxes of visible pixels."""

import numpy as np

from openral_training.data.annotation import MIN_PIXELS, annotate
from openral_training.data.home_renderer import LabelledImage
from openral_training.data.labels import CATEGORIES, HomeLabels, Instance


def labels_of(*instances: Instance) -> HomeLabels:
    labels = HomeLabels.__new__(HomeLabels)
    labels.instances = list(instances)
    return labels


MUG = Instance("red_mug", CATEGORIES["mug"])
BOOKS = Instance("shelf_books", CATEGORIES["book"], ignored=True)


def test_a_box_encloses_exactly_the_visible_pixels() -> None:
    instances = np.zeros((240, 320), np.int32)
    instances[10:20, 30:45] = 1
    (found,) = annotate(instances, np.array([0.0, 0.75]), labels_of(MUG))
    assert found.bbox == (30.0, 10.0, 15.0, 10.0)
    assert (found.area, found.visible_share, found.ignore, found.instance) == (150, 0.75, 0, 1)
    assert found.category_id == CATEGORIES["mug"].id


def test_what_is_too_small_too_hidden_or_no_object_is_ignored() -> None:
    instances = np.zeros((240, 320), np.int32)
    instances[0, : MIN_PIXELS - 1] = 1
    instances[5:15, 0:10] = 2
    instances[20:30, 0:10] = 3
    shares = np.array([0.0, 1.0, 0.05, 1.0])
    found = annotate(instances, shares, labels_of(MUG, MUG, BOOKS))
    assert [each.iscrowd for each in found] == [each.ignore for each in found] == [1, 1, 1]


def test_as_many_pixels_per_image_are_needed_at_any_resolution() -> None:
    instances = np.zeros((480, 640), np.int32)
    instances[0, : 4 * MIN_PIXELS - 1] = 1
    (found,) = annotate(instances, np.array([0.0, 1.0]), labels_of(MUG))
    assert found.ignore == 1
    instances[1, 0] = 1
    (found,) = annotate(instances, np.array([0.0, 1.0]), labels_of(MUG))
    assert found.ignore == 0


def test_an_object_in_full_view_is_visible_and_one_at_the_edge_is_not_wholly(
    images: list[LabelledImage],
) -> None:
    inside, cut = list[float](), list[float]()
    for image in images:
        height, width = image.rgb.shape[:2]
        for each in image.annotations:
            x, y, w, h = each.bbox
            at_edge = x == 0 or y == 0 or x + w == width or y + h == height
            if not each.ignore:
                (cut if at_edge else inside).append(each.visible_share)
    assert max(inside) > 0.97
    assert np.mean(cut) < np.mean(inside)
    assert all(0.1 <= share <= 1.0 for share in inside + cut)
