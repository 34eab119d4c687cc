"""Files of a weights folder: each is damaged while the others are valid, then loaded and used."""

import json
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import LoadOptions, engine_loader
from openral_perception_ros.inference.ipc import EngineFailed, Load, Ready
from openral_perception_ros.inference.worker import RequestServer

SIDE, QUERIES = 32, 4
VOCABULARY = "labels: {mug: [cup], bread: [], lemon: []}\ngroups: {kitchen: [mug, bread, lemon]}\n"
FOLDER = "tiny"
MANIFEST = DetectorManifest.model_validate(
    {
        "kind": "detector",
        "id": FOLDER,
        "description": "d",
        "engine": "rtdetr_onnx",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "file": "labels.yaml"},
        "weights": {"uri": "file://weights"},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "input_size": [SIDE, SIDE],
        "memory_mb": 1,
        "latency": 1,
    }
)


def valid_weights(root: Path, file: str) -> bytes:
    """Write the whole rSkill below ``root``; return the content of one of its files."""
    weights = root / FOLDER / "weights"
    weights.mkdir(parents=True, exist_ok=True)
    (root / FOLDER / "labels.yaml").write_text(VOCABULARY)
    (weights / "preprocessor_config.json").write_text(json.dumps({"size": {"height": SIDE, "width": SIDE}}))
    onnx.save(_model(), weights / "model.onnx")
    return next((root / FOLDER).rglob(file)).read_bytes()


def load_weights(path: Path) -> None:
    """Load the rSkill of a file as its worker would, warm-up included; a typed reply is right."""
    folder = next(each for each in path.parents if each.name == FOLDER)
    server = RequestServer(None, engine_loader)  # type: ignore[arg-type]  # frames of the warm-up are its own
    with redirect_stderr(StringIO()):
        reply = server.handle(Load(MANIFEST, str(folder), LoadOptions()))
    assert isinstance(reply, Ready | EngineFailed)


def _model() -> onnx.ModelProto:
    """Return a model that finds the same in every image, whatever its brightness."""
    nodes = [
        helper.make_node("ReduceMean", ["pixel_values"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "nothing"], ["shift"]),
        helper.make_node("Add", ["boxes", "shift"], ["pred_boxes"]),
        helper.make_node("Identity", ["scores"], ["logits"]),
    ]
    constants = {
        "scores": (6.0 * np.eye(QUERIES, 3) - 3.0).astype(np.float32)[None],
        "boxes": np.full((1, QUERIES, 4), (0.5, 0.5, 0.4, 0.4), np.float32),
        "nothing": np.asarray(0.0, np.float32),
    }
    graph = helper.make_graph(
        nodes,
        FOLDER,
        [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, QUERIES, 3]),
            helper.make_tensor_value_info("pred_boxes", TensorProto.FLOAT, [1, QUERIES, 4]),
        ],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
