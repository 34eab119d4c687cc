"""Conversion of a network in ncnn's files (``.param``, ``.bin``) to ONNX, operation by operation.

Source: ncnn's wiki, "param and model file structure" and "operation param weight table". It covers what
one-stage detectors for phones are made of; anything else is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from openral_core.arrays import Array32, ImagePlane, Indices
from openral_core.errors import OpenRALError, format_choices

MAGIC = "7767517"
"""First line of a ``.param`` file."""
HALF_FLOAT = 0x01306B47
"""Tag of float16 weights in a ``.bin`` file; 0 is the tag of float32."""
IR_VERSION = 8
"""ONNX file format [version]."""
OPSET = 17
"""ONNX operator set [version]."""
TO_END = -233
"""Slice of the remaining channels."""
ARRAY_KEY = -23300
"""Key of array parameter 0; array parameter n has this minus n."""
ACTIVATION, ACTIVATION_VALUES = 9, ARRAY_KEY - 10
LEAKY = 2
"""Kind of activation with a slope."""
ACTIVATIONS: Mapping[int, str] = {1: "Relu", LEAKY: "LeakyRelu", 4: "Sigmoid"}
UNARY: Mapping[str, str] = {"Sigmoid": "Sigmoid", "Split": "Identity"}
BINARY = ("Add", "Sub", "Mul", "Div")
INTERPOLATIONS: Mapping[int, tuple[str, str]] = {1: ("nearest", "asymmetric"), 2: ("linear", "half_pixel")}

Scalars = dict[int, float]


class UnsupportedNetwork(OpenRALError):
    """An ncnn network that cannot be converted."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(f"{file} cannot be converted to ONNX: {reason}")


@dataclass(frozen=True, slots=True)
class Layer:
    """One line of a ``.param`` file."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    scalars: Scalars
    arrays: Mapping[int, tuple[float, ...]]

    def integer(self, key: int, default: int = 0) -> int:
        """Return an integer parameter."""
        return int(self.scalars.get(key, default))

    def pair(self, key: int, default: int) -> list[int]:
        """Return a parameter of width (key) and height (10 + key) as [height, width]."""
        width = self.integer(key, default)
        return [self.integer(10 + key, width), width]


def parse_layer(line: str) -> Layer:
    """Parse one line: kind, name, counts, blobs, ``key=value`` pairs; ValueError if it is torn."""
    kind, _, inputs, outputs, *rest = line.split()
    first, last = int(inputs), int(inputs) + int(outputs)
    scalars: Scalars = {}
    arrays: dict[int, tuple[float, ...]] = {}
    for key, _, value in (pair.partition("=") for pair in rest[last:]):
        if int(key) <= ARRAY_KEY:
            arrays[int(key)] = tuple(map(float, value.split(",")[1:]))
        else:
            scalars[int(key)] = float(value)
    return Layer(kind, tuple(rest[:first]), tuple(rest[first:last]), scalars, arrays)


@dataclass(slots=True)
class Graph:
    """ONNX graph under construction, with the reader of the weights."""

    weights: bytes
    position: int = 0
    channels: dict[str, int] = field(default_factory=dict)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def add(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: object) -> None:
        """Append a node."""
        node = helper.make_node(kind, inputs, outputs)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(node)

    def constant(self, value: Array32 | Indices) -> str:
        """Append a constant and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def read(self, count: int, tagged: bool = False) -> Array32:
        """Read float32 values, or float16 or float32 ones with their tag; ValueError for quantised ones."""
        tag = self._take(np.uint32, 1)[0] if tagged else 0
        if tag not in (0, HALF_FLOAT):
            raise ValueError(f"weights of the unknown type {tag:#010x}")
        values = self._take(np.float16 if tag else np.float32, count)
        self.position += self.position % 4
        return values.astype(np.float32)

    def _take(self, kind: type[np.generic], count: int) -> ImagePlane:
        values = np.frombuffer(self.weights, kind, count, self.position)
        self.position += values.nbytes
        return values


def _convolution(graph: Graph, layer: Layer) -> None:
    outputs, kernel, groups = layer.integer(0), layer.pair(1, 1), layer.integer(7, 1)
    kernel_values = graph.read(layer.integer(6), tagged=True).reshape(outputs, -1, *kernel)
    inputs = [layer.inputs[0], graph.constant(kernel_values)]
    if layer.integer(5):
        inputs.append(graph.constant(graph.read(outputs)))
    starts = layer.pair(4, 0)
    _require(min(starts) >= 0, "padding by the size of the input")
    ends = [layer.integer(16, starts[0]), layer.integer(15, starts[1])]
    raw = f"{layer.outputs[0]}_raw" if layer.integer(ACTIVATION) else layer.outputs[0]
    shape = {"kernel_shape": kernel, "group": groups, "dilations": layer.pair(2, 1)}
    graph.add("Conv", inputs, [raw], strides=layer.pair(3, 1), pads=[*starts, *ends], **shape)
    graph.channels[layer.outputs[0]] = outputs
    if layer.integer(ACTIVATION):
        slope = {"alpha": layer.arrays[ACTIVATION_VALUES][0]} if layer.integer(ACTIVATION) == LEAKY else {}
        graph.add(ACTIVATIONS[layer.integer(ACTIVATION)], [raw], layer.outputs, **slope)


def _unary(graph: Graph, layer: Layer) -> None:
    for output in layer.outputs:
        graph.add(UNARY[layer.kind], layer.inputs, [output])


def _require(covered: bool, otherwise: str) -> None:
    if not covered:
        raise ValueError(otherwise)


def _binary(graph: Graph, layer: Layer) -> None:
    _require(not layer.integer(1), "a binary operation with a scalar")
    graph.add(BINARY[layer.integer(0)], layer.inputs, layer.outputs)


def _concat(graph: Graph, layer: Layer) -> None:
    graph.add("Concat", layer.inputs, layer.outputs, axis=layer.integer(0) + 1)
    graph.channels[layer.outputs[0]] = sum(graph.channels[each] for each in layer.inputs)


def _slice(graph: Graph, layer: Layer) -> None:
    """Split into parts of these sizes; the last one may be the rest."""
    sizes = layer.arrays[ARRAY_KEY]
    start, axis = 0, layer.integer(1) + 1
    for size, output in zip(sizes, layer.outputs, strict=True):
        end = graph.channels[layer.inputs[0]] if size == TO_END else start + int(size)
        _part(graph, layer.inputs[0], output, (start, end, axis))
        start = end


def _crop(graph: Graph, layer: Layer) -> None:
    start, end, axis = (int(layer.arrays[ARRAY_KEY - key][0]) for key in (9, 10, 11))
    _require(len(layer.arrays[ARRAY_KEY - 9]) == 1, "a crop of several axes")
    _part(graph, layer.inputs[0], layer.outputs[0], (start, end, axis + 1))


def _part(graph: Graph, source: str, output: str, bounds: tuple[int, int, int]) -> None:
    """Cut from start to end on an axis."""
    graph.add("Slice", [source, *(graph.constant(np.array([each])) for each in bounds)], [output])
    graph.channels[output] = bounds[1] - bounds[0]


def _shuffle(graph: Graph, layer: Layer) -> None:
    """Interleave the channels of groups: the first of each group, then the second of each."""
    _require(not layer.integer(1), "a reversed shuffle")
    order = np.arange(graph.channels[layer.inputs[0]]).reshape(layer.integer(0, 1), -1).T.ravel()
    graph.add("Gather", [layer.inputs[0], graph.constant(order)], layer.outputs, axis=1)


def _interpolation(graph: Graph, layer: Layer) -> None:
    _require(not layer.integer(6), "an interpolation with aligned corners")
    mode, coordinates = INTERPOLATIONS[layer.integer(0)]
    scales = graph.constant(np.array([1.0, 1.0, layer.scalars[1], layer.scalars[2]], np.float32))
    sampling = {"mode": mode, "coordinate_transformation_mode": coordinates, "nearest_mode": "floor"}
    graph.add("Resize", [layer.inputs[0], "", scales], layer.outputs, **sampling)


def _pooling(graph: Graph, layer: Layer) -> None:
    largest = not layer.integer(0) and not layer.integer(4) and layer.integer(5) == 1
    _require(largest, "a pooling other than the largest value of a window")
    window = {"kernel_shape": layer.pair(1, 1), "strides": layer.pair(2, 1), "pads": [layer.integer(3)] * 4}
    graph.add("MaxPool", layer.inputs, layer.outputs, **window)


def _reshape(graph: Graph, layer: Layer) -> None:
    flat = layer.integer(0) == -1 and 2 not in layer.scalars
    _require(flat, "a reshape other than to (channels, positions)")
    shape = graph.constant(np.array([1, layer.integer(1), -1]))
    graph.add("Reshape", [layer.inputs[0], shape], layer.outputs)


def _permute(graph: Graph, layer: Layer) -> None:
    _require(layer.integer(0) == 1, "a permutation other than the transposition")
    graph.add("Transpose", layer.inputs, layer.outputs, perm=[0, 2, 1])


Conversion = Callable[[Graph, Layer], None]
CONVERSIONS: Mapping[str, Conversion] = {
    **dict.fromkeys(("Convolution", "ConvolutionDepthWise"), _convolution),
    **dict.fromkeys(UNARY, _unary),
    "BinaryOp": _binary,
    "Concat": _concat,
    "Slice": _slice,
    "Crop": _crop,
    "ShuffleChannel": _shuffle,
    "Interp": _interpolation,
    "Pooling": _pooling,
    "Reshape": _reshape,
    "Permute": _permute,
}


def convert(
    param: Path,
    weights: Path,
    input_size: tuple[int, int],
    conversions: Mapping[str, Conversion] = CONVERSIONS,
) -> onnx.ModelProto:
    """Convert a network with one image as input, of this width and height [px].

    Raises:
        UnsupportedNetwork: If a file is torn or an operation is not covered.
    """
    magic, *lines = param.read_text("utf-8", "replace").splitlines() or [""]
    if magic.strip() != MAGIC:
        raise UnsupportedNetwork(param, f"its first line is {magic[:20]!r} instead of {MAGIC!r}")
    graph = Graph(weights.read_bytes())
    layers: list[Layer] = []
    for line in filter(str.strip, lines[1:]):
        try:
            layers.append(parse_layer(line))
            _add(graph, layers[-1], conversions)
        except (ValueError, KeyError, IndexError) as error:
            raise UnsupportedNetwork(param, f"{line[:80]!r}: {error}") from error
    if graph.position != len(graph.weights):
        raise UnsupportedNetwork(
            weights, f"{len(graph.weights)} bytes, of which the network reads {graph.position}"
        )
    return _model(graph, layers, input_size)


def _add(graph: Graph, layer: Layer, conversions: Mapping[str, Conversion]) -> None:
    if layer.kind == "Input":
        graph.channels[layer.outputs[0]] = 3
        return
    if layer.kind not in conversions:
        raise ValueError(f"the operation is none of {format_choices(conversions)}")
    for output in layer.outputs:
        graph.channels[output] = graph.channels[layer.inputs[0]]
    conversions[layer.kind](graph, layer)


def _model(graph: Graph, layers: Sequence[Layer], input_size: tuple[int, int]) -> onnx.ModelProto:
    width, height = input_size
    sources = [layer.outputs[0] for layer in layers if layer.kind == "Input"]
    consumed = {name for layer in layers for name in layer.inputs}
    results = [name for layer in layers for name in layer.outputs if name not in consumed]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, height, width]) for name in sources
    ]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results]
    made = helper.make_graph(graph.nodes, "ncnn", inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
