"""The jobs of `openral train`, run where PyTorch is: training, evaluation, export."""

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openral_core.files import replace_file
from openral_training.detector.calibration import Calibration, fit_calibration
from openral_training.detector.checkpoints import EXPORTED, Checkpoint, read_checkpoint
from openral_training.detector.coco import NotCoco, read_split
from openral_training.detector.evaluation import Evaluation, evaluate
from openral_training.detector.image_cache import DecodedImages, open_cache
from openral_training.detector.matching import Detections, match
from openral_training.detector.onnx_export import OnnxDetector, check_parity, quantised, write_onnx
from openral_training.detector.options import (
    OPTIONS_FILE,
    EvaluationOptions,
    ExportOptions,
    TrainingOptions,
    cache_of,
)
from openral_training.detector.postprocessing import ExportedDetector
from openral_training.detector.prediction import detect_all, input_size, predictor
from openral_training.detector.rskill_folder import Exported, check_id, write_rskill
from openral_training.detector.trainer import Say, Stopped, TrainingRun, load_data

COMPARED = 16
"""Images on which the export is compared with the network [count]."""
QUANTISATION_IMAGES = 64
"""Images from which the ranges of int8 are taken [count]."""
INT8_LOSS = 0.01
"""Largest accepted loss of AP50 by int8 [1]."""
TIMED = 10
"""Images whose median time is the latency [count]."""


def train(options: TrainingOptions, say: Say, stopped: Stopped) -> bool:
    """Run or resume a training; return False if it was stopped and can be resumed.

    Raises:
        OpenRALError: One leaf per condition; what was saved before is unchanged.
    """
    options.out.mkdir(parents=True, exist_ok=True)
    run = TrainingRun(options, load_data(options, say), say)
    stored = options.model_dump_json(exclude={"resume", "new_data"}, indent=1)
    replace_file(options.out / OPTIONS_FILE, stored)
    complete = run.run(stopped)
    say("done" if complete else f"stopped; go on with: --out {options.out} --resume")
    return complete


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Detections of a checkpoint on one split, in the pixels of the cache."""

    cache: DecodedImages
    detections: list[Detections]

    def evaluation(
        self, labels: tuple[str, ...], threshold: float | None, calibration: Calibration | None = None
    ) -> Evaluation:
        """Compute the metrics, with calibrated scores if a calibration is given."""
        detections = self.detections if calibration is None else calibration.apply(self.detections)
        objects = [self.cache.view(index).objects for index in range(len(self.cache))]
        return evaluate(detections, objects, labels, threshold)


def judge(checkpoint: Checkpoint, data: Path, split: str, cache: Path, say: Say) -> Judged:
    """Detect on all images of a split.

    Raises:
        NotCoco, ClassesDiffer, UnreadableImage, CacheNotWritten: If the data do not allow it.
    """
    images = read_split(data, split).relabelled(checkpoint.labels, "the checkpoint").images
    opened = open_cache(cache / f"{split}.u8", images, checkpoint.size, lambda _decoded, _total: None)
    say(f"{split}: {len(images)} images")
    predict = predictor(checkpoint.network(), "cpu")
    return Judged(opened, detect_all(predict, opened, range(len(opened))))


def calibrate(checkpoint: Checkpoint, validation: Judged) -> tuple[Calibration, float]:
    """Fit the calibration on the validation split; return it and the threshold with the best F1 score."""
    objects = [validation.cache.view(index).objects for index in range(len(validation.cache))]
    calibration = fit_calibration(match(validation.detections, objects), len(checkpoint.labels))
    return calibration, match(calibration.apply(validation.detections), objects).operating_point()


def evaluate_run(options: EvaluationOptions, say: Say) -> Evaluation:
    """Evaluate a run on one split, calibrated on the validation split, and print the tables."""
    checkpoint, cache = read_checkpoint(options.run), cache_of(options.run, options.cache)
    calibration, threshold = calibrate(checkpoint, judge(checkpoint, options.data, "val", cache, say))
    judged = judge(checkpoint, options.data, options.split, cache, say)
    chosen = threshold if options.threshold is None else options.threshold
    before = judged.evaluation(checkpoint.labels, chosen)
    result = judged.evaluation(checkpoint.labels, chosen, calibration)
    for line in _summary(result):
        say(line)
    say(f"before calibration: expected calibration error {before.calibration_error:.3f}")
    for line in _table(result):
        say(line)
    if options.save is not None:
        replace_file(options.save, json.dumps(asdict(result), indent=1))
    return result


def _summary(result: Evaluation) -> tuple[str, ...]:
    return (
        f"{result.images} images: AP50 {result.ap50:.3f}  AP {result.ap:.3f}  small {result.ap_small:.3f}",
        f"at threshold {result.threshold:.2f}: recall {result.recall:.3f}  precision {result.precision:.3f}",
        f"expected calibration error {result.calibration_error:.3f}",
    )


def _table(result: Evaluation) -> list[str]:
    sizes = [
        f"  {size.size:<14} {size.objects:6d} objects  recall {size.recall:.2f}  "
        f"at any score {size.recall_at_any_score:.2f}"
        for size in result.sizes
    ]
    worst_first = sorted(result.classes, key=lambda each: each.ap50)
    return sizes + [
        f"  {row.label:<20} {row.objects:6d} objects  AP50 {row.ap50:.2f}  recall {row.recall:.2f}"
        for row in worst_first
    ]


def export_run(options: ExportOptions, say: Say) -> Exported:
    """Write the rSkill of a run, proven equal to the network and judged on held-out images.

    Raises:
        OpenRALError: One leaf per condition.
    """
    check_id(options.out)
    checkpoint, cache = read_checkpoint(options.run), cache_of(options.run, options.cache)
    size = input_size(options.size or checkpoint.size)
    validation = judge(checkpoint, options.data, "val", cache, say)
    calibration, threshold = calibrate(checkpoint, validation)
    split, held_out = _held_out(checkpoint, options, validation, say)
    images = _spread(validation.cache, size)
    model = ExportedDetector(checkpoint.network(), calibration, size).eval()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.onnx"
        write_onnx(model, size, file)
        parity = check_parity(model, file, images[:COMPARED])
        say(f"ONNX: {parity.boxes} boxes equal those of PyTorch within {parity.largest_difference:.4f}")
        judged = _judged_onnx(file, held_out.cache, size, checkpoint.labels, threshold)
        precision = "float32"
        if options.quantise:
            small = Path(folder) / "int8.onnx"
            quantised(file, images, small)
            other = _judged_onnx(small, held_out.cache, size, checkpoint.labels, threshold)
            say(f"int8: AP50 {other.ap50:.3f} instead of {judged.ap50:.3f}")
            if other.ap50 >= judged.ap50 - INT8_LOSS:
                file, judged, precision = small, other, "int8"
        latency = _latency(file, images)
        content = file.read_bytes()
    exported = Exported(
        labels=checkpoint.labels,
        size=size,
        threshold=threshold,
        latency=latency,
        parity=parity,
        judged=judged,
        split=split,
        precision=precision,
        licence=options.licence,
        facts=checkpoint.facts,
        data=read_split(options.data, "train").info if (options.data / "train").is_dir() else {},
    )
    write_rskill(options.out, content, exported)
    checkpoint.halved().save(options.out / EXPORTED)
    say(f"{options.out}: {len(content) / 1e6:.1f} MB {precision}, {1000 * latency:.1f} ms on one core")
    say("\n".join(_summary(judged)))
    return exported


def _spread(cache: DecodedImages, size: tuple[int, int]) -> list[NDArray[np.float32]]:
    """Return inputs from all over a split, whose neighbouring images are of one home."""
    apart = max(1, len(cache) // QUANTISATION_IMAGES)
    shown = range(0, len(cache), apart)[:QUANTISATION_IMAGES]
    return [_letterboxed(cache.padded(index), size) for index in shown]


def _held_out(
    checkpoint: Checkpoint, options: ExportOptions, validation: Judged, say: Say
) -> tuple[str, Judged]:
    """Return the test split, or the validation split where there is none."""
    cache = cache_of(options.run, options.cache)
    try:
        return "test", judge(checkpoint, options.data, "test", cache, say)
    except NotCoco as error:
        say(f"judged on the validation split, on which the scores are calibrated: {error}")
        return "val", validation


def _letterboxed(pixels: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return an image as the engine prepares it, shape (1, 3, H, W)."""
    from openral_perception_ros.engines.image_processing import ModelSize, Preprocessing, ResizeMode

    preparation = Preprocessing(size=ModelSize(width=size[0], height=size[1]))
    return preparation.apply(pixels, ResizeMode.LETTERBOX)[0]


def _judged_onnx(
    file: Path, cache: DecodedImages, size: tuple[int, int], labels: tuple[str, ...], threshold: float
) -> Evaluation:
    """Evaluate an exported file on a split, in the pixels of the cache."""
    detector, detections = OnnxDetector(file), []
    scale = min(size[0] / cache.size[0], size[1] / cache.size[1])
    for index in range(len(cache)):
        each = detector.detect(_letterboxed(cache.padded(index), size))
        detections.append(Detections(each.boxes / np.float32(scale), each.scores, each.classes))
    objects = [cache.view(index).objects for index in range(len(cache))]
    return evaluate(detections, objects, labels, threshold)


def _latency(file: Path, images: Sequence[NDArray[np.float32]]) -> float:
    """Return the median time of one image on one core [s]."""
    detector, times = OnnxDetector(file), []
    for image in (list(images) * TIMED)[: TIMED + 1]:
        begun = time.thread_time()
        detector.detect(image)
        times.append(time.thread_time() - begun)
    return float(np.median(times[1:]))
