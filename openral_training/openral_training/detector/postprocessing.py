"""Decoding, calibration and non-maximum suppression as part of the exported graph.

The graph has the outputs of an RT-DETR, the kind ``detr`` of the engine ``onnx``: ``logits`` (1, Q, C), in
which each row has one class, and ``pred_boxes`` (1, Q, 4).
"""

import torch
from torch import nn

from openral_training.detector.calibration import Calibration
from openral_training.detector.network import DetectionNetwork
from openral_training.detector.prediction import CANDIDATES, KEPT, NMS_OVERLAP

NOTHING = -20.0
"""Logit of what is not detected: a score of 2e-9."""
APART = 4096.0
"""Offset between the boxes of two classes [px], larger than any input: only boxes of one class overlap."""


class _Suppression(torch.autograd.Function):
    """The operator NonMaxSuppression of ONNX, which PyTorch itself lacks."""

    @staticmethod
    def forward(ctx: object, boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return all boxes, for tracing alone."""
        rows = torch.arange(boxes.shape[1])
        return torch.stack([torch.zeros_like(rows), torch.zeros_like(rows), rows], 1)

    @staticmethod
    def symbolic(graph: torch.Graph, boxes: torch.Value, scores: torch.Value) -> torch.Value:
        """Add the operator to the graph."""
        limits = [
            graph.op("Constant", value_t=torch.tensor([CANDIDATES])),
            graph.op("Constant", value_t=torch.tensor([NMS_OVERLAP])),
            graph.op("Constant", value_t=torch.tensor([NOTHING])),
        ]
        return graph.op("NonMaxSuppression", boxes, scores, *limits)


class ExportedDetector(nn.Module):
    """A detector with calibrated scores and one box per object.

    Args:
        network: The trained network.
        calibration: Calibration of its scores.
        size: (width, height) of the input [px].
    """

    def __init__(self, network: DetectionNetwork, calibration: Calibration, size: tuple[int, int]) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("slopes", torch.tensor(calibration.slopes, dtype=torch.float32))
        self.register_buffer("offsets", torch.tensor(calibration.offsets, dtype=torch.float32))
        self.register_buffer("scale", torch.tensor([*size, *size], dtype=torch.float32))

    def forward(self, pixel_values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (1, Q, C) and boxes centre x, centre y, width, height in [0, 1] (1, Q, 4).

        Args:
            pixel_values: RGB in [0, 1], shape (1, 3, H, W).
        """
        logits, boxes = self.raw(pixel_values)
        rows = logits.amax(1).topk(min(CANDIDATES, logits.shape[0])).indices
        classes = logits.shape[1]
        best = logits[rows].reshape(-1).topk(min(CANDIDATES, rows.shape[0] * classes))
        corners, labels = boxes[rows[best.indices // classes]], best.indices % classes
        uncovered = self._uncovered(corners, labels, best.values)
        scores = torch.where(uncovered, best.values, torch.full_like(best.values, NOTHING))
        top = scores.topk(min(KEPT, scores.shape[0]))
        column = torch.arange(classes)[None] == labels[top.indices][:, None]
        single = torch.where(column, top.values[:, None], torch.full_like(top.values[:, None], NOTHING))
        return single[None], self._relative(corners[top.indices])[None]

    def raw(self, pixel_values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return calibrated logits (A, C) and corners [px] (A, 4) of all predictions."""
        logits, boxes = self.network(pixel_values)
        return logits[0] * self.slopes + self.offsets, boxes[0]

    def _uncovered(self, corners: torch.Tensor, labels: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Test which boxes no better box of their class covers, shape (N,)."""
        moved = corners + labels[:, None].to(torch.float32) * torch.tensor(APART, dtype=torch.float32)
        chosen = _Suppression.apply(moved[None], scores[None, None])[:, 2]
        return torch.zeros_like(scores).index_fill(0, chosen, 1.0) > 0

    def _relative(self, corners: torch.Tensor) -> torch.Tensor:
        centre, sides = (corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2]
        return torch.cat([centre, sides], 1) / self.scale
