"""Detections of the network in PyTorch: the best scores, and non-maximum suppression per class."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from openral_perception_ros.engines.image_processing import Candidates, non_max_suppression
from openral_training.detector.image_cache import DecodedImages
from openral_training.detector.matching import Detections
from openral_training.detector.network import DetectionNetwork

CANDIDATES = 300
"""Predictions considered per image [count]."""
KEPT = 100
"""Detections kept per image [count], as in COCO's metrics."""
NMS_OVERLAP = 0.6
"""Intersection over union above which the weaker of two boxes of a class is dropped."""
STRIDE = 32
"""Sizes of inputs are multiples of the last stride [px]."""
LEAST_SCORE = 0.01
"""Score below which a detection is not kept for metrics [1]."""


def input_size(size: tuple[int, int]) -> tuple[int, int]:
    """Round (width, height) up to what the network accepts [px]."""
    return -(-size[0] // STRIDE) * STRIDE, -(-size[1] // STRIDE) * STRIDE


def as_input(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Convert images (B, H, W, 3) to the network's input, in [0, 1], padded with grey."""
    batch, height, width, _ = pixels.shape
    size = input_size((width, height))
    padded = np.full((batch, size[1], size[0], 3), 114, np.uint8)
    padded[:, :height, :width] = pixels
    return np.ascontiguousarray(padded.transpose(0, 3, 1, 2), np.float32) / np.float32(255.0)


Predict = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]


def predictor(network: DetectionNetwork, device: str) -> Predict:
    """Return the network as a function of arrays."""
    network.eval()

    def predict(images: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        with torch.inference_mode():
            tensor = torch.from_numpy(images).to(device)
            logits, boxes = network(tensor.contiguous(memory_format=torch.channels_last))
        return logits.cpu().numpy(), boxes.cpu().numpy()

    return predict


def select(logits: NDArray[np.float32], boxes: NDArray[np.float32]) -> Detections:
    """Select the detections of one image from all predictions.

    Args:
        logits: Shape (A, C).
        boxes: Corners [px], shape (A, 4).
    """
    count = min(CANDIDATES, len(logits))
    rows = np.argpartition(-logits.max(axis=1), count - 1)[:count]
    flat = logits[rows].reshape(-1)
    order = np.argsort(-flat, kind="stable")[:CANDIDATES]
    scores = 1.0 / (1.0 + np.exp(-flat[order].astype(np.float64)))
    order, scores = order[scores > LEAST_SCORE], scores[scores > LEAST_SCORE]
    corners = boxes[rows[order // logits.shape[1]]].astype(np.float64)
    candidates = Candidates(corners, scores, order % logits.shape[1])
    final = non_max_suppression(candidates, NMS_OVERLAP, across_classes=False)
    best = np.argsort(-final.scores, kind="stable")[:KEPT]
    return Detections(
        final.corners[best].astype(np.float32), final.scores[best].astype(np.float32), final.classes[best]
    )


def detect_all(
    predict: Predict, cache: DecodedImages, indices: Sequence[int], batch: int = 4
) -> list[Detections]:
    """Return the detections of images of a cache, in its pixels."""
    detections: list[Detections] = []
    for start in range(0, len(indices), batch):
        pixels = np.stack([cache.padded(index) for index in indices[start : start + batch]])
        logits, boxes = predict(as_input(pixels))
        detections += [select(one, corners) for one, corners in zip(logits, boxes, strict=True)]
    return detections
