"""Export an RT-DETR checkpoint to ONNX and compare the boxes of both.

``python -m openral_training.weights.onnx_export <checkpoint> <folder>``, in an environment that has
PyTorch, transformers, onnx and ONNX Runtime.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from transformers import AutoModelForObjectDetection

from openral_perception_ros.engines.checkpoints import PREPROCESSOR_FILE
from openral_perception_ros.engines.image_processing import Preprocessing, make_candidates

MODEL_FILE = "model.onnx"
DEFAULT_SIZE = (640, 640)
"""Image whose input size is exported if the checkpoint fixes none [px]: that of its training."""
OPSET = 17
"""Version of the ONNX operator set: the oldest with LayerNormalization."""
THRESHOLD = 0.05
"""Score above which boxes are compared: low, because noise images score low."""
MAX_DIFFERENCE = 1e-3
"""Largest accepted difference of a box edge or score, relative to the image and to 1."""


class OutputHeads(torch.nn.Module):
    """Wrapper that outputs only logits and boxes, as the engine reads them."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, pixel_values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits and boxes."""
        output = self.model(pixel_values=pixel_values)
        return output.logits, output.pred_boxes


def export(checkpoint: Path, folder: Path) -> tuple[Path, float, int]:
    """Write ``model.onnx`` and its preprocessing; return file, largest difference and number of boxes."""
    model = AutoModelForObjectDetection.from_pretrained(checkpoint, local_files_only=True)
    heads = OutputHeads(model.eval()).eval()  # train mode of the wrapper would propagate to the model
    width, height = Preprocessing.read(checkpoint).size.of(DEFAULT_SIZE)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / MODEL_FILE
    with torch.inference_mode():
        torch.onnx.export(
            heads,
            (torch.zeros(1, 3, height, width),),
            str(path),
            input_names=["pixel_values"],
            output_names=["logits", "pred_boxes"],
            opset_version=OPSET,
            dynamo=False,
        )
    if checkpoint.resolve() != folder.resolve():
        shutil.copy(checkpoint / PREPROCESSOR_FILE, folder / PREPROCESSOR_FILE)
    return (path, *largest_difference(heads, path, (height, width)))


def largest_difference(heads: OutputHeads, path: Path, size: tuple[int, int]) -> tuple[float, int]:
    """Compare boxes and scores on noise images; return the largest difference and the number of boxes."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    worst, compared = 0.0, 0
    for seed in range(3):
        pixels = np.random.default_rng(seed).random((1, 3, *size), np.float32)
        with torch.inference_mode():
            reference = [head.numpy() for head in heads(torch.from_numpy(pixels))]
        exported = session.run(["logits", "pred_boxes"], {"pixel_values": pixels})
        ours = make_candidates(exported[0][0], exported[1][0], THRESHOLD)
        theirs = make_candidates(reference[0][0], reference[1][0], THRESHOLD)
        if len(ours.scores) != len(theirs.scores):
            return float("inf"), compared
        rows_ours, rows_theirs = (np.column_stack([item.corners, item.scores]) for item in (ours, theirs))
        worst = max(worst, float(np.abs(rows_ours - rows_theirs).max(initial=0.0)))
        compared += len(ours.scores)
    return worst, compared


def main(arguments: Sequence[str] | None = None) -> int:
    """Export one checkpoint; return 1 if the boxes differ."""
    parser = argparse.ArgumentParser(description="Export an RT-DETR checkpoint to ONNX.")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args(arguments)
    path, difference, compared = export(chosen.checkpoint, chosen.folder)
    agrees = difference <= MAX_DIFFERENCE and compared > 0
    report = {
        "file": str(path),
        "boxes_compared": compared,
        "largest_difference": difference,
        "agrees": agrees,
    }
    sys.stdout.write(json.dumps(report) + "\n")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
