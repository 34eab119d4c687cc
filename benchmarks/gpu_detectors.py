"""Full-size detectors with random weights on a GPU: memory before, active and after; time of a look.

DEVICE in the environment, else cuda. Without a GPU, or without the environment with PyTorch, one row says so.
"""

import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.detector_rigs import picture, rskill
from benchmarks.language_cache import indoor
from benchmarks.torch_environments import ENVIRONMENTS, NAME, SKIPPED, in_environment
from openral_core.errors import OpenRALError
from openral_detector_conformance.subject import INFERENCE_TIMEOUT, DetectorUnderTest, Setting
from openral_perception_ros.detector import Detector, load_detector
from openral_perception_ros.engines import LoadOptions
from openral_ros.gpu import gpu_total_mb, gpus

LONG = True
LOOKS, WARM = 50, 5
DEVICE = os.environ.get("DEVICE", "cuda")
MODELS = {"rtdetr_r18": 80, "rtdetr_v2_r50": 80, "omdet_turbo": 0}
PRECISIONS = ("fp32", "fp16")
Row = dict[str, object]


def run() -> list[Row]:
    """One row per model and precision."""
    if reason := skipped():
        return [{"skipped": reason}]
    with TemporaryDirectory() as base:
        return [row for model in MODELS for row in rows_of(model, Path(base))]


def skipped() -> str:
    """Reason why nothing can be measured here."""
    if DEVICE.startswith("cuda") and gpu_total_mb() <= 0.0:
        return "no NVIDIA GPU on this machine: memory and times on one are not measured"
    return SKIPPED


def rows_of(model: str, base: Path) -> Iterator[Row]:
    """Both precisions of one model by its PyTorch engine, and its ONNX file if it has one."""
    folder, words = indoor(base) if model == "omdet_turbo" else (base / model.replace("_", "-"), [])
    in_environment("benchmarks.torch.full_checkpoints", model, str(folder / "weights"), words=words)
    for precision in PRECISIONS:
        content = common(folder, model) | {"options": {"precision": precision}}
        yield measured(rskill(folder, **content), f"{model}, PyTorch, {precision}", DEVICE)
    if MODELS[model]:
        in_environment(
            "openral_perception_ros.weights.onnx_export", str(folder / "weights"), str(folder / "weights")
        )
        content = common(folder, model) | {"engine": "rtdetr_onnx", "environment": {}}
        for provider in ("cuda", "tensorrt") if DEVICE.startswith("cuda") else ("cpu",):
            yield measured(rskill(folder, **content), f"{model}, ONNX Runtime, {provider}", provider)


def common(folder: Path, model: str) -> Row:
    """Keys that the manifests of one model share."""
    names = [f"thing {number}" for number in range(MODELS[model])]
    if not names:
        names = list(load_detector(str(folder), [], ("head",), is_default=False).labels)
    return {
        "id": folder.name,
        "engine": "rtdetr_hf" if MODELS[model] else "zeroshot_hf",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "labels": names},
        "weights": {"uri": "file://weights"},
        "environment": {"name": NAME},
    }


def measured(detector: Detector, name: str, device: str) -> Row:
    """Load, look, unload; what cannot be loaded says why."""
    subject = DetectorUnderTest(
        detector, Setting(ENVIRONMENTS, LoadOptions(device=device), INFERENCE_TIMEOUT)
    )
    before = used_mb()
    try:
        times = [_look(subject) for _ in range(WARM + LOOKS)][WARM:]
    except OpenRALError as error:
        return {"detector": name, "not run": str(error)[:120]}
    active = used_mb()
    subject.close()
    return {
        "detector": name,
        "device": device,
        "look_p50_ms": round(1e3 * statistics.median(times), 1),
        "before_MB": round(before),
        "active_MB": round(active),
        "after_MB": round(used_mb()),
    }


def used_mb() -> float:
    """Of all GPUs, by whomever [MB]."""
    return sum(item.used for item in gpus())


def _look(subject: DetectorUnderTest) -> float:
    outcome = subject.outcome(picture(), None)
    if isinstance(outcome, OpenRALError):
        raise outcome
    return outcome.inference_time
