"""Full-size models with random weights on a GPU: memory before, active and after; time of a look.

Detectors run in the worker that their nodes use; nothing needs a ROS graph. DEVICE in the environment, else
cuda; LOOKS=n, else 50. Without a GPU, or without the environment with PyTorch, one row says so.
"""

import json
import os
import select
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from onnxruntime import get_available_providers

from benchmarks.detector_folders import picture, rskill
from benchmarks.language_cache import indoor
from benchmarks.torch_environments import ENVIRONMENTS, NAME, SKIPPED, in_environment
from openral_core.errors import OpenRALError
from openral_perception_ros.detector import Detector, load_detector
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.inference.ipc import Detected, Failed, Load, Reply
from openral_perception_ros.inference.worker_process import (
    InferenceWorkerProcess,
    WorkerTimedOut,
    worker_command,
)
from openral_ros.gpu import gpu_total_mb, gpus

LONG = True
LOOKS, WARM = int(os.environ.get("LOOKS", "50")), 5
LOAD_TIMEOUT, LOOK_TIMEOUT = 300.0, 120.0
"""Longest time to load a model, and of a look [s]."""
DEVICE = os.environ.get("DEVICE", "cuda")
MODELS = {"rtdetr_r18": 80, "rtdetr_v2_r50": 80, "omdet_turbo": 0}
PRECISIONS = ("fp32", "fp16")
VISION_LANGUAGE = {
    "Qwen3-VL-2B": ("qwen3_vl", ("nf4", "bf16")),
    "Qwen2.5-VL-3B, in place of LocateAnything-3B": ("qwen2_5_vl", ("nf4",)),
}
Row = dict[str, object]


def run() -> list[Row]:
    """One row per model and precision."""
    if reason := skipped():
        return [{"skipped": reason}]
    with TemporaryDirectory() as base:
        rows = [row for model in MODELS for row in rows_of(model, Path(base))]
    return rows + [row for name in VISION_LANGUAGE for row in _vision_language(name)]


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
        yield from _by_onnx_runtime(model, folder)


def _by_onnx_runtime(model: str, folder: Path) -> Iterator[Row]:
    """Its ONNX file, with every provider that is to be tried here and that this ONNX Runtime has."""
    wanted = ("cuda", "tensorrt") if DEVICE.startswith("cuda") else ("cpu",)
    present = {name.lower().removesuffix("executionprovider") for name in get_available_providers()}
    if present.intersection(wanted):
        weights = str(folder / "weights")
        in_environment("openral_perception_ros.weights.onnx_export", weights, weights)
    content = common(folder, model) | {"engine": "rtdetr_onnx", "environment": {}}
    for provider in wanted:
        name = f"{model}, ONNX Runtime, {provider}"
        if provider in present:
            yield measured(rskill(folder, **content), name, provider)
        else:
            yield {"detector": name, "not run": "not in this ONNX Runtime"}


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
    before = used_mb()
    command = worker_command(detector.manifest, ENVIRONMENTS)
    worker = InferenceWorkerProcess(command.line, command.variables)
    try:
        worker.load(Load(detector.manifest, str(detector.folder), LoadOptions(device=device)))
        _reply(worker, "the load request", LOAD_TIMEOUT)
        times = [_look(worker) for _ in range(WARM + LOOKS)][WARM:]
        active = used_mb()
    except OpenRALError as error:
        return {"detector": name, "not run": str(error)[:120]}
    finally:
        worker.close()
    return _row(name, device, statistics.median(times), before, active)


def _row(name: str, device: str, look: float, before: float, active: float) -> Row:
    return {
        "detector": name,
        "device": device,
        "look_p50_ms": round(1e3 * look, 1),
        "before_MB": round(before),
        "active_MB": round(active),
        "after_MB": round(used_mb()),
    }


def used_mb() -> float:
    """Of all GPUs, by whomever [MB]."""
    return sum(item.used for item in gpus())


def _look(worker: InferenceWorkerProcess) -> float:
    worker.detect(picture(), None)
    reply = _reply(worker, "a look", LOOK_TIMEOUT)
    if not isinstance(reply, Detected):
        raise OpenRALError(str(reply))
    return reply.inference_time


def _reply(worker: InferenceWorkerProcess, during: str, limit: float) -> Reply:
    end = time.monotonic() + limit
    while (left := end - time.monotonic()) > 0.0:
        select.select([worker.connection], [], [], left)
        reply = worker.receive()
        if isinstance(reply, Failed):
            raise OpenRALError(reply.message)
        if reply is not None:
            return reply
    raise WorkerTimedOut(during, limit)


def _vision_language(name: str) -> Iterator[Row]:
    """A question about an image of 1024 px and an answer of 64 tokens; random weights answer nonsense."""
    architecture, precisions = VISION_LANGUAGE[name]
    for precision in precisions:
        before = used_mb()
        try:
            said = in_environment("benchmarks.torch.vision_language", architecture, precision, DEVICE)
        except RuntimeError as error:
            yield {"detector": f"{name}, {precision}", "not run": str(error).strip().splitlines()[-1][:120]}
            continue
        found = json.loads(said.splitlines()[-1])
        label = f"{name}, transformers, {precision}"
        yield _row(label, DEVICE, found["seconds"], before, found["used_MB"])
