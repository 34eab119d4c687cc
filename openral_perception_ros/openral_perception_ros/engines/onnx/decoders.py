"""Decoders: a model's outputs as scored boxes, which are computed only where a score counts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array32, Indices
from openral_perception_ros.engines.errors import BadDetections
from openral_perception_ros.engines.image_processing import Candidates
from openral_perception_ros.engines.onnx.layouts import (
    FINAL_COLUMNS,
    Activation,
    BoxFormat,
    BoxUnit,
    DecodeKind,
    OutputLayout,
)

Columns = Indices | slice
MAX_CANDIDATES = 1000
"""Candidates of one image before non-maximum suppression [count], as in YOLOX and NanoDet."""
MAX_EXPONENT = 20.0
"""Largest logarithm of a size [1]: a box of 5e8 cells is wrong, infinity would be an error of its own."""
ROUNDING = 1e-3
"""Excess over 1 of a score that is rounding, as of float16 [1]."""
OBJECTNESS_POWER, CLASS_POWER = 0.6, 0.4
"""Exponents of FastestDet's two scores [1]."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """All predictions of one image.

    ``scores`` has the shape (N, C), or (N, 1) with ``classes`` (N,). A score is the product of objectness and
    class score, to ``power``. ``boxes`` maps rows to four numbers each, shape (n, 4).
    """

    scores: Array32
    boxes: Callable[[Indices], Array32]
    objectness: Array32 | None = None
    classes: Array32 | None = None
    power: float = 1.0


Decoder = Callable[[Sequence[Array32], OutputLayout, tuple[int, int]], Predictions]


def _matrix(array: Array32) -> Array32:
    return array.reshape(array.shape[-2:])


def _table(array: Array32, layout: OutputLayout) -> Array32:
    matrix = _matrix(array)
    return matrix.T if layout.transposed else matrix


@lru_cache(maxsize=8)
def grid(size: tuple[int, int], strides: tuple[int, ...], offset: float) -> Array32:
    """Return x and y of the cells in units of their stride, and the stride [px], shape (N, 3)."""
    parts = []
    for stride in strides:
        rows, columns = np.mgrid[: -(-size[1] // stride), : -(-size[0] // stride)]
        cells = np.stack([columns.ravel() + offset, rows.ravel() + offset], 1)
        parts.append(np.hstack([cells, np.full((len(cells), 1), stride)]))
    return np.concatenate(parts).astype(np.float32)


def _detr(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    boxes = _matrix(arrays[1])
    return Predictions(_matrix(arrays[0]), lambda rows: boxes[rows])


def _yolov5(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    table = _table(arrays[0], layout)
    return Predictions(table[:, 5:], lambda rows: table[rows, :4], table[:, 4])


def _yolov8(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    table = _table(arrays[0], layout)
    return Predictions(table[:, 4:], lambda rows: table[rows, :4])


def _yolox(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    table, cells = _table(arrays[0], layout), grid(size, layout.strides, 0.0)

    def boxes(rows: Indices) -> Array32:
        centres = table[rows, :2] + cells[rows, :2]
        sides = np.exp(np.minimum(table[rows, 2:4], MAX_EXPONENT))
        return np.hstack([centres, sides]) * cells[rows, 2:]

    return Predictions(table[:, 5:], boxes, table[:, 4])


def _end_to_end(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    table = _matrix(arrays[0])
    if table.shape[1] == FINAL_COLUMNS[1]:
        table = table[:, [1, 2, 3, 4, 6, 5]]
    return Predictions(table[:, 4:5], lambda rows: table[rows, :4], classes=table[:, 5])


def _nanodet(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    """Decode NanoDet; its first generation, of three strides, has its cells' centres at half a stride."""
    half = len(arrays) // 2
    if half:
        scores = np.concatenate([_matrix(each) for each in arrays[:half]])
        distances = np.concatenate([_matrix(each) for each in arrays[half:]])
    else:
        table = _matrix(arrays[0])
        scores, distances = table[:, : layout.classes], table[:, layout.classes :]
    cells = grid(size, layout.strides, 0.5 if len(layout.strides) == 3 else 0.0)

    def boxes(rows: Indices) -> Array32:
        bins = distances[rows].reshape(len(rows), 4, distances.shape[1] // 4)
        weights = np.exp(bins - bins.max(axis=2, keepdims=True))
        sides = weights @ np.arange(weights.shape[2], dtype=weights.dtype) / weights.sum(axis=2)
        centres = cells[rows, :2]
        return np.hstack([centres - sides[:, :2], centres + sides[:, 2:]]) * cells[rows, 2:]

    return Predictions(scores, boxes)


def _fastestdet(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    channels, height, width = arrays[0].shape[-3:]
    table, cells = arrays[0].reshape(channels, -1).T, grid((width, height), (1,), 0.0)

    def boxes(rows: Indices) -> Array32:
        centres = (cells[rows, :2] + np.tanh(table[rows, 1:3])) / np.array([width, height], np.float32)
        return np.hstack([centres, 1.0 / (1.0 + np.exp(-table[rows, 3:5]))])

    objectness = np.maximum(table[:, 0], np.float32(0.0)) ** np.float32(OBJECTNESS_POWER / CLASS_POWER)
    return Predictions(table[:, 5:], boxes, objectness, power=CLASS_POWER)


def _boxes(arrays: Sequence[Array32], layout: OutputLayout, size: tuple[int, int]) -> Predictions:
    boxes, classes = _matrix(arrays[0]), arrays[1].reshape(-1)
    has_scores = boxes.shape[1] == 4
    scores = arrays[2].reshape(-1) if has_scores else boxes[:, 4]
    counts = arrays[3 if has_scores else 2 :]
    count = int(counts[0].reshape(-1)[0]) if counts else len(scores)
    return Predictions(scores[:count, None], lambda rows: boxes[rows, :4], classes=classes[:count])


DECODERS: Mapping[DecodeKind, Decoder] = {
    DecodeKind.DETR: _detr,
    DecodeKind.YOLOV5: _yolov5,
    DecodeKind.YOLOV8: _yolov8,
    DecodeKind.YOLOX: _yolox,
    DecodeKind.END_TO_END: _end_to_end,
    DecodeKind.NANODET: _nanodet,
    DecodeKind.FASTESTDET: _fastestdet,
    DecodeKind.SSD: _detr,
    DecodeKind.BOXES: _boxes,
}


def decode(
    outputs: Sequence[NDArray[np.generic]], layout: OutputLayout, size: tuple[int, int]
) -> Predictions:
    """Read a model's outputs.

    Args:
        outputs: All of them, in the model's order.
        size: (width, height) of the model's input [px].
    """
    arrays = [np.asarray(outputs[index], np.float32) for index in layout.outputs]
    return DECODERS[layout.kind](arrays, layout, size)


def activated(values: NDArray[np.floating], activation: Activation) -> NDArray[np.floating]:
    """Turn outputs into scores."""
    if activation is Activation.SIGMOID:
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -60.0, 60.0).astype(np.float64))))
    if activation is Activation.SOFTMAX:
        weights = np.exp(values - values.max(axis=-1, keepdims=True))
        return np.asarray((weights / weights.sum(axis=-1, keepdims=True))[..., :-1])
    return values


def select(
    predictions: Predictions, layout: OutputLayout, size: tuple[int, int], columns: Columns, threshold: float
) -> Candidates:
    """Select the candidates above a threshold, best first.

    Args:
        columns: Columns of the scores that count, in order.
        size: (width, height) of the model's input [px].

    Raises:
        BadDetections: If a score is not finite, or greater than 1.
    """
    scores: NDArray[np.floating] = predictions.scores
    objectness, activation = predictions.objectness, layout.activation
    least = threshold ** (1.0 / predictions.power)
    if activation is Activation.SOFTMAX:
        scores, activation = activated(scores, activation), Activation.NONE
    scores = scores[:, columns]
    best = scores.max(axis=1, initial=-np.inf) if objectness is None else activated(objectness, activation)
    if not np.isfinite(best).all():
        raise BadDetections("scores that are not finite", f"{len(best)} predictions")
    is_logit = objectness is None and activation is Activation.SIGMOID
    limit = np.log(max(least, 1e-12) / max(1.0 - least, 1e-12)) if is_logit else least
    rows = np.flatnonzero(best > limit)
    values = activated(scores[rows], activation)
    if objectness is not None:
        values = values * best[rows, None]
        if not np.isfinite(values).all():
            raise BadDetections("scores that are not finite", f"{len(best)} predictions")
    row, column = np.nonzero(values > least)
    final = values[row, column].astype(np.float64) ** predictions.power
    count = len(scores) if layout.kind is DecodeKind.DETR else MAX_CANDIDATES
    order = np.argsort(-final, kind="stable")[:count]
    row, column, final = rows[row[order]], column[order], final[order]
    if final.max(initial=0.0) > 1.0 + ROUNDING:
        raise BadDetections("scores greater than 1", final.max())
    classes = column if predictions.classes is None else np.rint(predictions.classes[row]).astype(np.int64)
    return Candidates(corners(predictions.boxes(row), layout, size), final.clip(0.0, 1.0), classes)


def corners(boxes: Array32, layout: OutputLayout, size: tuple[int, int]) -> NDArray[np.float64]:
    """Convert boxes to x_min, y_min, x_max, y_max relative to the model's input, shape (N, 4)."""
    values = boxes.astype(np.float64)
    if layout.box_format is BoxFormat.CENTRE:
        values[:, :2] -= values[:, 2:] / 2.0
        values[:, 2:] += values[:, :2]
    elif layout.box_format is BoxFormat.TENSORFLOW:
        values = values[:, [1, 0, 3, 2]]
    return values / (*size, *size) if layout.unit is BoxUnit.PIXEL else values
