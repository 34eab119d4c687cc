"""An rSkill per engine, with a checkpoint small enough to be loaded a hundred times."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from openral_perception_ros.inference.worker_process import package_roots

ENVIRONMENTS = Path(os.environ.get("OPENRAL_ENVIRONMENTS", ".environments"))
ENVIRONMENT = "transformers-5"
LABELS = ("mug", "bread", "lemon", "wine glass", "bottle")
SIDE = 64


class NoKit(Exception):
    """Reason why an engine cannot be run here."""


def sim_groundtruth(folder: Path) -> None:
    _write(folder, "sim_groundtruth", sensors=["rgb", "semantic"])


def rtdetr_onnx(folder: Path) -> None:
    """A model that sees the same in every picture; what is loaded and run is ONNX Runtime all the same."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    fixed = {
        "logits": np.full((1, 3, len(LABELS)), -9.0, np.float32),
        "boxes": np.full((1, 3, 4), 0.5, np.float32),
        "zero": np.float32(0.0),
    }
    nodes = [
        helper.make_node("ReduceMean", ["pixel_values"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
        helper.make_node("Add", ["logits_", "nothing"], ["logits"]),
        helper.make_node("Add", ["boxes_", "nothing"], ["pred_boxes"]),
    ]
    names = {"logits": "logits_", "boxes": "boxes_", "zero": "zero"}
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 3, len(LABELS)]),
            helper.make_tensor_value_info("pred_boxes", TensorProto.FLOAT, [1, 3, 4]),
        ],
        [numpy_helper.from_array(np.asarray(value), names[name]) for name, value in fixed.items()],
    )
    weights = folder / "weights"
    weights.mkdir(parents=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save(model, weights / "model.onnx")
    (weights / "preprocessor_config.json").write_text(json.dumps({"size": {"height": SIDE, "width": SIDE}}))
    _write(folder, "rtdetr_onnx", labels=LABELS)


def rtdetr_hf(folder: Path) -> None:
    _checkpoint("rtdetr", folder)
    _write(folder, "rtdetr_hf", labels=LABELS, environment={"name": ENVIRONMENT})


def zeroshot_hf(folder: Path) -> None:
    _checkpoint("omdet_turbo", folder)
    _write(folder, "zeroshot_hf", environment={"name": ENVIRONMENT}, input_size=[160, 160])


KITS: Mapping[str, Callable[[Path], None]] = {
    item.__name__: item for item in (sim_groundtruth, rtdetr_onnx, rtdetr_hf, zeroshot_hf)
}


def _checkpoint(architecture: str, folder: Path) -> None:
    python = ENVIRONMENTS / ENVIRONMENT / "bin" / "python"
    if not python.exists():
        raise NoKit(f"no environment {ENVIRONMENT!r} in {ENVIRONMENTS}: set OPENRAL_ENVIRONMENTS")
    module = "openral_testing.detectors.tiny_checkpoints"
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(package_roots(module)), "HF_HUB_OFFLINE": "1"}
    command = [str(python), "-m", module, str(folder), architecture]
    subprocess.run(command, env=variables, check=True, capture_output=True)
    (folder / architecture / "weights").rename(folder / "weights")


def _write(folder: Path, engine: str, labels: tuple[str, ...] = (), **more: object) -> None:
    content: dict[str, object] = {
        "kind": "detector",
        "id": folder.name,
        "description": "small, to be loaded often",
        "engine": engine,
        "mode": "continuous" if labels else "on_demand",
        "vocabulary": {"kind": "closed", "labels": list(labels)} if labels else {"kind": "open"},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 100,
        "latency": 1,
        **more,
    }
    if engine != "sim_groundtruth":
        content["weights"] = {"uri": "file://weights"}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rskill.yaml").write_text(yaml.safe_dump(content))
