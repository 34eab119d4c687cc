"""Checks of a model's outputs on test pictures: what a wrong file, unit or activation gives away.

Each check looks for one mistake that would leave a detector active and wrong; none guesses what was meant.
"""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_perception_ros.engines.errors import EngineError, FailureKind
from openral_perception_ros.engines.onnx.decoders import ROUNDING, Predictions, activated, corners
from openral_perception_ros.engines.onnx.layouts import (
    Activation,
    BoxFormat,
    BoxUnit,
    DecodeKind,
    OutputLayout,
)

SEED = 20
"""Of the test picture [1]."""
SHAPES = 24
"""Rectangles and ellipses of the test picture [count]."""
EDGE = 2.0
"""Largest coordinate of a box in fractions of the input, and smallest sum of those in pixels [1]."""
FEWEST = 8
"""Predictions from which their distribution says something [count]."""
MANY = 0.5
"""Share of predictions that shows a mistake [1]."""
NOISE = 1e-9
"""Score that is none, and difference of two that are the same [1]: background has some 1e-7."""
REVERSED = 0.2
"""Share of boxes without area from which they are no corners [1]."""


class ImplausibleOutputs(EngineError):
    """Outputs that the layout explains in form but not in value."""

    kind = FailureKind.BAD_DETECTIONS

    def __init__(self, layout: OutputLayout, problem: str) -> None:
        super().__init__(f"the outputs are not those of decode kind {layout.kind.value!r}: {problem}")


def test_pictures(size: tuple[int, int]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a grey picture and one with shapes, gradients and noise, each (H, W, 3).

    Args:
        size: (width, height) [px].
    """
    random = np.random.default_rng(SEED)
    width, height = size
    ramp = np.linspace(40.0, 215.0, width)[None, :, None] * np.ones((height, 1, 3))
    picture = np.ascontiguousarray(ramp + random.normal(0.0, 8.0, (height, width, 3))).clip(0, 255)
    picture = picture.astype(np.uint8)
    for index in range(SHAPES):
        centre = (int(random.integers(0, width)), int(random.integers(0, height)))
        axes = tuple(int(random.integers(4, max(5, side // 5))) for side in size)
        colour = tuple(int(level) for level in random.integers(0, 256, 3))
        if index % 2:
            cv2.ellipse(picture, centre, axes, float(random.integers(0, 180)), 0.0, 360.0, colour, -1)
        else:
            corner = (centre[0] + axes[0], centre[1] + axes[1])
            cv2.rectangle(picture, centre, corner, colour, -1)
    return np.full((height, width, 3), 114, np.uint8), picture


def check(predictions: Sequence[Predictions], layout: OutputLayout, size: tuple[int, int]) -> None:
    """Check the predictions of the test pictures.

    Args:
        predictions: Of the grey picture and the one with shapes.
        size: (width, height) of the model's input [px].

    Raises:
        ImplausibleOutputs: Naming the mistake, and the option that would explain the values.
    """
    for problem in _problems(predictions, layout, size):
        raise ImplausibleOutputs(layout, problem)


def _problems(
    predictions: Sequence[Predictions], layout: OutputLayout, size: tuple[int, int]
) -> Iterator[str]:
    for each in predictions:
        yield from _score_problems(each, layout)
    if layout.classes:
        yield from _distribution_problems(predictions, layout)
    else:
        yield from _final_problems(predictions)
    for each in predictions:
        rows = np.arange(len(each.scores))
        if not layout.classes:
            rows = rows[each.scores[:, 0] > NOISE]
        if len(rows):
            yield from _box_problems(each.boxes(rows), layout, size)


def _score_problems(predictions: Predictions, layout: OutputLayout) -> Iterator[str]:
    arrays = [predictions.scores] + ([] if predictions.objectness is None else [predictions.objectness])
    for values in arrays:
        if not values.size:
            continue
        low, high = float(values.min()), float(values.max())
        if not np.isfinite([low, high]).all():
            yield "scores are not finite"
        elif layout.activation is Activation.NONE and not -ROUNDING <= low <= high <= 1.0 + ROUNDING:
            yield f"scores are {low:.3g} to {high:.3g}, no probabilities; 'activation: sigmoid' if logits"
        elif layout.activation is Activation.SIGMOID and low >= 0.0 and high <= 1.0:
            yield (
                f"logits are {low:.3g} to {high:.3g}, like probabilities, of which a second sigmoid "
                "makes objects everywhere; 'activation: none' if they are"
            )


def _distribution_problems(predictions: Sequence[Predictions], layout: OutputLayout) -> Iterator[str]:
    best = [_best_scores(each, layout) for each in predictions]
    low, high = min(each.min() for each in best), max(each.max() for each in best)
    if high - low < NOISE and len(best[0]) >= FEWEST:
        yield f"every one of {len(best[0])} predictions has the score {low:.3g} whatever the picture"
    elif len(best[0]) >= FEWEST and np.mean(best[0] >= 0.5) > MANY:
        share = f"{np.count_nonzero(best[0] >= 0.5)} of {len(best[0])}"
        yield f"{share} predictions score 0.5 or more in an empty picture, as after a second sigmoid"


def _final_problems(predictions: Sequence[Predictions]) -> Iterator[str]:
    scores = np.concatenate([each.scores[:, 0] for each in predictions])
    positive = scores[scores > NOISE]
    if len(positive) >= FEWEST and positive.max() - positive.min() < NOISE:
        yield f"every one of {len(positive)} objects in two pictures has the score {positive[0]:.3g}"


def finds_nothing(predictions: Sequence[Predictions]) -> bool:
    """Test if no object of any score was found, so that units and order of boxes could not be checked."""
    return not any((each.scores > NOISE).any() for each in predictions)


def _best_scores(predictions: Predictions, layout: OutputLayout) -> NDArray[np.floating]:
    """Return each prediction's best score, shape (N,)."""
    best = activated(predictions.scores, layout.activation)[:, layout.background :].max(axis=1)
    if predictions.objectness is not None:
        best = best * activated(predictions.objectness, layout.activation)
    return np.asarray(best)


def _box_problems(boxes: NDArray[np.floating], layout: OutputLayout, size: tuple[int, int]) -> Iterator[str]:
    if not np.isfinite(boxes).all():
        yield "boxes are not finite"
        return
    relative = corners(boxes, layout, size)
    if problem := unit_problem(relative, layout, size):
        yield problem
    elif len(boxes) >= FEWEST and np.mean(np.abs(relative).max(axis=1) > EDGE) > MANY:
        decoded = "; 'decode: yolov5' if decoded already" if layout.kind is DecodeKind.YOLOX else ""
        yield f"most boxes lie far outside the picture{decoded}"
    elif layout.box_format is BoxFormat.CENTRE and _are_corners(boxes):
        yield "all boxes look like corners; 'boxes: xyxy' if they are"
    elif layout.box_format is not BoxFormat.CENTRE and _are_centres(relative):
        yield "boxes end before they begin, so they are no corners; 'boxes: cxcywh' if centre and size"


def unit_problem(relative: NDArray[np.float64], layout: OutputLayout, size: tuple[int, int]) -> str:
    """Return what shows that boxes have another unit than the layout says; empty if nothing does.

    Args:
        relative: Corners as fractions of the input, shape (N, 4).
        size: (width, height) of the model's input [px].
    """
    if not len(relative):
        return ""
    highest = float(relative.max())
    if layout.unit is BoxUnit.PIXEL and highest * max(size) <= EDGE:
        return f"no coordinate exceeds {highest * max(size):.3g} px; 'unit: relative' if fractions"
    if layout.unit is BoxUnit.RELATIVE and np.mean(relative.max(axis=1) > EDGE) > MANY:
        return f"coordinates reach {highest:.3g}, no fractions of the input; 'unit: pixel' if pixels"
    return ""


def _are_corners(boxes: NDArray[np.floating]) -> bool:
    """Test if no box is narrower or lower than its centre is far: not so of boxes all over a picture."""
    return len(boxes) >= FEWEST and bool((boxes[:, 2:] >= boxes[:, :2]).all())


def _are_centres(relative: NDArray[np.float64]) -> bool:
    ends_early = (relative[:, 2:] < relative[:, :2]).any(axis=1)
    return bool(np.mean(ends_early) > REVERSED)
