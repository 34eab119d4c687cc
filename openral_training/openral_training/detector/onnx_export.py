"""Export to ONNX with a proof: the file gives the boxes and scores of PyTorch on images of the data."""

import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_training.detector.matching import Detections, overlap_matrix
from openral_training.detector.network import OUTER_LAYERS
from openral_training.detector.postprocessing import NOTHING, ExportedDetector
from openral_training.detector.prediction import LEAST_SCORE, select

OPSET = 17
"""Version of the ONNX operator set; that of the other exports."""
MAX_DIFFERENCE = 0.02
"""Largest accepted difference of a score [1]; boxes must overlap by 1 minus this."""
COMPARED_SCORE = 0.1
"""Score from which boxes are compared [1]: near the limit of candidates either may drop one."""


class ExportDiffers(OpenRALError):
    """An exported file whose boxes are not those of the network."""

    def __init__(self, difference: str) -> None:
        super().__init__(f"the exported ONNX file does not give the boxes of the network: {difference}")


@dataclass(frozen=True, slots=True)
class Parity:
    """Comparison of the file with the network: boxes [count] and the largest difference of a score."""

    boxes: int
    largest_difference: float


def write_onnx(model: ExportedDetector, size: tuple[int, int], file: Path) -> None:
    """Write the graph with its post-processing."""
    model.eval()
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # the tracer warns of every shape it makes constant, as intended
        torch.onnx.export(
            model,
            (torch.zeros(1, 3, size[1], size[0]),),
            str(file),
            input_names=["pixel_values"],
            output_names=["logits", "pred_boxes"],
            opset_version=OPSET,
            dynamo=False,
        )


class OnnxDetector:
    """An exported file on one core of the CPU."""

    def __init__(self, file: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def detect(self, image: NDArray[np.float32]) -> Detections:
        """Return the detections of one image (1, 3, H, W)."""
        logits, boxes = self._session.run(["logits", "pred_boxes"], {"pixel_values": image})
        best = logits[0].max(axis=1)
        likely = best > max(NOTHING / 2, np.log(LEAST_SCORE / (1 - LEAST_SCORE)))
        centre, half = boxes[0][likely, :2], boxes[0][likely, 2:] / 2
        corners = np.hstack([centre - half, centre + half]) * np.tile(image.shape[:1:-1], 2)
        scores = 1.0 / (1.0 + np.exp(-best[likely]))
        return Detections(
            corners.astype(np.float32), scores.astype(np.float32), logits[0][likely].argmax(axis=1)
        )


def check_parity(model: ExportedDetector, file: Path, images: Sequence[NDArray[np.float32]]) -> Parity:
    """Compare the file with the network and the post-processing of the training.

    Raises:
        ExportDiffers: If a box or score differs, or no image has any.
    """
    exported, compared, worst = OnnxDetector(file), 0, 0.0
    for image in images:
        with torch.inference_mode():
            logits, boxes = model.raw(torch.from_numpy(image))
        ours, theirs = exported.detect(image), select(logits.numpy(), boxes.numpy())
        ours, theirs = _strong(ours), _strong(theirs)
        if len(ours.scores) != len(theirs.scores):
            raise ExportDiffers(f"{len(ours.scores)} boxes instead of {len(theirs.scores)}")
        if not len(ours.scores):
            continue
        shared = overlap_matrix(theirs.boxes, ours.boxes) * (theirs.classes[:, None] == ours.classes)
        partner = shared.argmax(axis=1)
        difference = float(np.abs(theirs.scores - ours.scores[partner]).max())
        worst = max(worst, difference, float((1.0 - shared.max(axis=1)).max()))
        compared += len(ours.scores)
    if compared == 0 or worst > MAX_DIFFERENCE:
        raise ExportDiffers(f"largest difference {worst:.4f} over {compared} boxes")
    return Parity(compared, worst)


def _strong(detections: Detections) -> Detections:
    strong = detections.scores > COMPARED_SCORE
    return Detections(detections.boxes[strong], detections.scores[strong], detections.classes[strong])


def quantised(file: Path, images: Sequence[NDArray[np.float32]], target: Path) -> None:
    """Write the file with convolutions in int8 but for the outer layers, ranges taken from images.

    Those would cost most: the stem alone 0.02 of AP50.
    """
    from onnxruntime.quantization import (
        CalibrationDataReader,
        CalibrationMethod,
        QuantFormat,
        quant_pre_process,
        quantize_static,
    )

    class Reader(CalibrationDataReader):
        def __init__(self) -> None:
            self._images = iter(images)

        def get_next(self) -> dict[str, NDArray[np.float32]] | None:
            image = next(self._images, None)
            return None if image is None else {"pixel_values": image}

    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(file), str(prepared), skip_symbolic_shape=True)
        outer = [name for name in _convolutions(prepared) if any(layer in name for layer in OUTER_LAYERS)]
        quantize_static(
            str(prepared),
            str(target),
            Reader(),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv"],
            nodes_to_exclude=outer,
            per_channel=True,
            calibrate_method=CalibrationMethod.MinMax,
        )


def _convolutions(file: Path) -> list[str]:
    import onnx

    return [node.name for node in onnx.load(file).graph.node if node.op_type == "Conv"]
