"""The engine with ONNX files made on the spot."""

import json
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import (
    EngineFrame,
    LabelMismatch,
    LoadOptions,
    MissingWeights,
    engine_loader,
)
from openral_perception_ros.engines.onnx.checks import ImplausibleOutputs
from openral_perception_ros.engines.onnx.session import ProviderUnavailable, UnknownDevice

LABELS = ("mug", "bread", "lemon")
SIDE = 64


def manifest_of(**changes: object) -> DetectorManifest:
    content = {
        "kind": "detector",
        "id": "tiny",
        "description": "d",
        "engine": "rtdetr_onnx",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "labels": LABELS},
        "weights": {"uri": "file://weights"},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
        **changes,
    }
    return DetectorManifest.model_validate(content)


def model_of(logits: np.ndarray, boxes: np.ndarray) -> "onnx.ModelProto":
    """A model that sees the same in every image, moved by how bright the image is."""
    brightness = [
        helper.make_node("ReduceMean", ["pixel_values"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "tiny"], ["shift"]),
        helper.make_node("Add", ["fixed_boxes", "shift"], ["pred_boxes"]),
        helper.make_node("Identity", ["fixed_logits"], ["logits"]),
    ]
    constants = {
        "fixed_logits": logits[None].astype(np.float32),
        "fixed_boxes": boxes[None].astype(np.float32),
        "tiny": np.float32(1e-6),
    }
    graph = helper.make_graph(
        brightness,
        "tiny",
        [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, *logits.shape]),
            helper.make_tensor_value_info("pred_boxes", TensorProto.FLOAT, [1, *boxes.shape]),
        ],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def write_weights(folder: Path, logits: np.ndarray, boxes: np.ndarray) -> None:
    weights = folder / "weights"
    weights.mkdir()
    onnx.save(model_of(logits, boxes), weights / "model.onnx")
    (weights / "preprocessor_config.json").write_text(json.dumps({"size": {"height": SIDE, "width": SIDE}}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    logits = np.array([[-9.0, 3.0, -9.0], [2.0, -9.0, -9.0], [-9.0, -9.0, -9.0]])
    boxes = np.array([[0.5, 0.5, 0.5, 0.5], [0.25, 0.25, 0.1, 0.2], [0.5, 0.5, 1.0, 1.0]])
    write_weights(tmp_path, logits, boxes)
    return tmp_path


def frame_of(width: int, height: int) -> EngineFrame:
    return EngineFrame({"rgb": np.zeros((height, width, 3), np.uint8)}, "head", 0)


@pytest.mark.parametrize("size", [(640, 480), (300, 800), (64, 64)])
def test_boxes_are_source_pixels_whatever_the_shape(folder: Path, size: tuple[int, int]) -> None:
    engine = engine_loader("rtdetr_onnx")(manifest_of(), folder, LoadOptions())
    bread, mug = engine.detect(frame_of(*size), None)
    assert (bread.label, mug.label) == ("bread", "mug")
    assert bread.score == pytest.approx(0.9526, abs=1e-3)
    width, height = size
    edges = (bread.box.x_min, bread.box.y_min, bread.box.x_max, bread.box.y_max)
    assert edges == pytest.approx((width / 4, height / 4, 3 * width / 4, 3 * height / 4), abs=0.01)


def test_letterboxed_boxes_come_back_too(folder: Path) -> None:
    engine = engine_loader("rtdetr_onnx")(manifest_of(options={"fit": "letterbox"}), folder, LoadOptions())
    bread, _ = engine.detect(frame_of(640, 480), None)
    edges = (bread.box.x_min, bread.box.y_min, bread.box.x_max, bread.box.y_max)
    assert edges == pytest.approx((160.0, 160.0, 480.0, 480.0), abs=0.01)


def test_another_number_of_classes_is_refused(folder: Path) -> None:
    manifest = manifest_of(vocabulary={"kind": "closed", "labels": ("mug",)})
    with pytest.raises(LabelMismatch, match="3 classes, but the vocabulary has 1 labels"):
        engine_loader("rtdetr_onnx")(manifest, folder, LoadOptions())


def test_a_model_that_returns_no_numbers_is_an_error(tmp_path: Path) -> None:
    write_weights(tmp_path, np.full((2, 3), np.nan), np.zeros((2, 4)))
    with pytest.raises(ImplausibleOutputs, match="not finite"):
        engine_loader("rtdetr_onnx")(manifest_of(), tmp_path, LoadOptions())


def test_missing_weights_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        MissingWeights, match=r"weights'\): copy model.onnx and preprocessor_config.json there"
    ):
        engine_loader("rtdetr_onnx")(manifest_of(), tmp_path, LoadOptions())
    manifest = manifest_of(weights={"uri": "hf://owner/name"})
    with pytest.raises(MissingWeights, match="run `openral weights fetch tiny`"):
        engine_loader("onnx")(manifest, tmp_path, LoadOptions(weights_folder=str(tmp_path)))


def test_a_device_that_is_not_here_is_not_replaced(folder: Path) -> None:
    with pytest.raises(ProviderUnavailable, match="CPUExecutionProvider"):
        engine_loader("rtdetr_onnx")(manifest_of(), folder, LoadOptions(device="tensorrt"))
    with pytest.raises(UnknownDevice, match="'cpu', 'cuda', 'tensorrt'"):
        engine_loader("rtdetr_onnx")(manifest_of(), folder, LoadOptions(device="gpu"))
