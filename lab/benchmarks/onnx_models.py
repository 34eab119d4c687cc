"""An ONNX file with an RT-DETR's inputs and outputs that takes a processor some time."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE, QUERIES = 320, 50
CHANNELS = (3, 64, 96, 160, 160)


def write_convolutions(folder: Path, classes: int) -> None:
    """Random convolutions, pooled, then logits and boxes."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    nodes, constants, last = [], [], "pixel_values"
    for number, (ins, outs) in enumerate(pairwise(CHANNELS)):
        weights = rng.normal(0.0, 0.1, (outs, ins, 3, 3)).astype(np.float32)
        constants.append(numpy_helper.from_array(weights, f"w{number}"))
        strides = [2, 2] if number < 3 else [1, 1]
        inputs = [last, f"w{number}"]
        nodes.append(helper.make_node("Conv", inputs, [f"c{number}"], strides=strides, pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"c{number}"], [f"r{number}"]))
        last = f"r{number}"
    nodes.append(helper.make_node("GlobalAveragePool", [last], ["pooled"]))
    nodes.append(helper.make_node("Flatten", ["pooled"], ["flat"]))
    for output, width in (("logits", classes), ("pred_boxes", 4)):
        nodes += _head(output, width, rng, constants)
    graph = helper.make_graph(
        nodes,
        "convolutions",
        [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, QUERIES, classes]),
            helper.make_tensor_value_info("pred_boxes", TensorProto.FLOAT, [1, QUERIES, 4]),
        ],
        constants,
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=10), folder / "model.onnx")
    (folder / "preprocessor_config.json").write_text(json.dumps({"size": {"height": SIDE, "width": SIDE}}))


def _head(
    output: str, width: int, rng: np.random.Generator, constants: list["onnx.TensorProto"]
) -> list["onnx.NodeProto"]:
    """A linear map from the pooled image to every query."""
    weights = rng.normal(0.0, 0.1, (CHANNELS[-1], QUERIES * width)).astype(np.float32)
    constants.append(numpy_helper.from_array(weights, f"{output}_w"))
    constants.append(numpy_helper.from_array(np.array([1, QUERIES, width], np.int64), f"{output}_shape"))
    nodes = [
        helper.make_node("MatMul", ["flat", f"{output}_w"], [f"{output}_flat"]),
        helper.make_node("Reshape", [f"{output}_flat", f"{output}_shape"], [f"{output}_raw"]),
    ]
    return [*nodes, helper.make_node("Sigmoid", [f"{output}_raw"], [output])]
