"""Preparation of images by the families of detectors, which a file itself does not tell.

Sources: the exporters' own inference code: Ultralytics `LetterBox`, YOLOX `preproc`, the configurations of
NanoDet, FastestDet's `main.py`, the export scripts of RT-DETR and RF-DETR, TensorFlow's detection API.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from openral_core.arrays import Image
from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError, format_choices
from openral_core.rskills import OptionValue
from openral_perception_ros.engines.onnx.layouts import DecodeKind, OutputLayout

Options = dict[str, OptionValue]
IMAGENET: Options = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
LEVELS: Options = {
    "colour": "bgr",
    "range": 255.0,
    "mean": (103.53, 116.28, 123.675),
    "std": (57.375, 57.12, 58.395),
}
PREPARATIONS: Mapping[str, Options] = {
    "ultralytics": {"fit": "letterbox_centred"},
    "yolox": {"fit": "letterbox", "colour": "bgr", "range": 255.0},
    "yolox-legacy": {"fit": "letterbox", **IMAGENET},
    "nanodet-plus": {"fit": "stretch", **LEVELS},
    "nanodet": {"fit": "letterbox_centred", "pad": 0, **LEVELS},
    "fastestdet": {"fit": "stretch", "colour": "bgr"},
    "rt-detr": {"fit": "stretch"},
    "imagenet": {"fit": "stretch", **IMAGENET},
    "levels": {"fit": "stretch", "range": 255.0},
}
"""Options of the engine ``onnx`` by name of the family."""
USUAL: Mapping[DecodeKind, Sequence[str]] = {
    DecodeKind.DETR: ("rt-detr", "imagenet"),
    DecodeKind.YOLOV5: ("ultralytics", "yolox"),
    DecodeKind.YOLOV8: ("ultralytics",),
    DecodeKind.YOLOX: ("yolox", "yolox-legacy"),
    DecodeKind.END_TO_END: ("ultralytics", "rt-detr"),
    DecodeKind.NANODET: ("nanodet-plus", "nanodet"),
    DecodeKind.FASTESTDET: ("fastestdet",),
    DecodeKind.SSD: ("levels", "rt-detr", "imagenet"),
    DecodeKind.BOXES: ("rt-detr", "ultralytics", "levels"),
}
"""Preparations that exports of a kind use, the commonest first."""
OVERLAP = 0.5
"""Intersection over union from which two boxes are of one object [1], as in PASCAL VOC."""


class UnknownPreparation(OpenRALError):
    """A preparation that does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown preparation {name!r}: expected one of {format_choices(PREPARATIONS)}")


def options_of(name: str) -> Options:
    """Return the options of a preparation.

    Raises:
        UnknownPreparation: If there is none of this name.
    """
    if name not in PREPARATIONS:
        raise UnknownPreparation(name)
    return PREPARATIONS[name]


def usual(layout: OutputLayout) -> Sequence[str]:
    """Return the preparations of a model, the likeliest first; NanoDet's generations differ in strides."""
    names = USUAL[layout.kind]
    return names[::-1] if layout.kind is DecodeKind.NANODET and len(layout.strides) == 3 else names


def mirror_consistency(detect: Callable[[Image], Sequence[Detection]], images: Sequence[Image]) -> float:
    """Sum the scores of what a detector sees in images and in their mirror images, minus those of the rest.

    A detector that is fed as it was trained sees the same objects in a mirror; one that is fed otherwise sees
    few, or many that are not there.
    """
    total = 0.0
    for rgb in images:
        mirrored = [
            replace(each, box=_mirrored(each.box, rgb.shape[1]))
            for each in detect(np.ascontiguousarray(rgb[:, ::-1]))
        ]
        for own in detect(rgb):
            agrees = any(each.label == own.label and each.box.iou(own.box) > OVERLAP for each in mirrored)
            total += own.score if agrees else -own.score
    return total


def _mirrored(box: Box, width: int) -> Box:
    return Box(width - box.x_max, box.y_min, width - box.x_min, box.y_max)
