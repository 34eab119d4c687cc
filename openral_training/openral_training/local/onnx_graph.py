"""ONNX graph of a decoder with 8-bit weights: from the embeddings of tokens to hidden states.

The keys and values of attention lie in buffers of the caller, which the graph extends in place; the caller
itself computes what a hidden state says of the next token, for the tokens in question alone.
Source: contrib operators of ONNX Runtime (docs/ContribOperators.md).
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from openral_core.arrays import Array32
from openral_training.local.adapter import Adapter
from openral_training.local.weights import DecoderWeights

BLOCK = 32
"""DecoderWeights that share a scale [1]."""
_CONTRIB = "com.microsoft"
_ALIGNMENT = 4096  # of each tensor in the file of weights [bytes]: a page, so that it can be mapped


class GraphBuilder:
    """Builder of the graph; the data of its weights go to a file of their own.

    Args:
        weights: Base model.
        adapter: Changes of its matrices, if any.
        folder: Where ``model.onnx`` and ``model.data`` are written.
        positions: Longest text [tokens].
    """

    def __init__(
        self, weights: DecoderWeights, adapter: Adapter | None, folder: Path, positions: int
    ) -> None:
        self._weights, self._adapter, self._folder, self._positions = weights, adapter, folder, positions
        self._nodes: list[Any] = []
        self._tensors: list[Any] = []
        self._data = (folder / "model.data").open("wb")

    def build(self) -> None:
        """Write the graph."""
        shape = self._weights.shape
        kv: list[str | int | None] = [1, shape.kv_heads, "length", shape.head_width]
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "tokens", shape.width])]
        inputs.append(helper.make_tensor_value_info("last", TensorProto.INT32, [1]))
        inputs.append(helper.make_tensor_value_info("total", TensorProto.INT32, []))
        outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, "tokens", shape.width])]
        self._rotations()
        hidden = self._node(
            "SimplifiedLayerNormalization", ["x", self._vector("blk.0.attn_norm.weight")], "norm"
        )
        residual = "x"
        for layer in range(shape.layers):
            for part in ("key", "value"):
                inputs.append(helper.make_tensor_value_info(f"past_{part}.{layer}", TensorProto.FLOAT, kv))
                outputs.append(helper.make_tensor_value_info(f"{part}.{layer}", TensorProto.FLOAT, kv))
            hidden, residual = self._layer(layer, hidden, residual)
        self._data.close()
        graph = helper.make_graph(self._nodes, "decoder", inputs, outputs, self._tensors)
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), self._folder / "model.onnx")

    def _layer(self, layer: int, hidden: str, residual: str) -> tuple[str, str]:
        shape, block = self._weights.shape, f"blk.{layer}"
        qkv = self._linear(hidden, f"{block}.attn", [f"{block}.attn_{part}" for part in "qkv"])
        attended = f"{block}.attended"
        self._nodes.append(
            helper.make_node(
                "GroupQueryAttention",
                [qkv, "", "", f"past_key.{layer}", f"past_value.{layer}", "last", "total", "cos", "sin"],
                [attended, f"key.{layer}", f"value.{layer}"],
                domain=_CONTRIB,
                num_heads=shape.heads,
                kv_num_heads=shape.kv_heads,
                do_rotary=1,
                rotary_interleaved=int(shape.interleaved),
            )
        )
        out = self._linear(attended, f"{block}.out", [f"{block}.attn_output"])
        hidden, residual = self._skip_norm(out, residual, f"{block}.ffn_norm.weight", f"{block}.between")
        return self._mlp(block, hidden, residual, layer)

    def _mlp(self, block: str, hidden: str, residual: str, layer: int) -> tuple[str, str]:
        both = self._linear(hidden, f"{block}.up", [f"{block}.ffn_gate", f"{block}.ffn_up"])
        gate, up = f"{block}.gate", f"{block}.linear"
        self._nodes.append(helper.make_node("Split", [both], [gate, up], axis=-1, num_outputs=2))
        silu = self._node("QuickGelu", [gate], f"{block}.silu", domain=_CONTRIB, alpha=1.0)
        down = self._linear(
            self._node("Mul", [silu, up], f"{block}.mul"), f"{block}.down", [f"{block}.ffn_down"]
        )
        is_last = layer + 1 == self._weights.shape.layers
        norm = "output_norm.weight" if is_last else f"blk.{layer + 1}.attn_norm.weight"
        return self._skip_norm(down, residual, norm, "y" if is_last else f"{block}.hidden")

    def _skip_norm(self, x: str, skip: str, norm: str, name: str) -> tuple[str, str]:
        outputs = [name, "", "", f"{name}.residual"]
        epsilon = self._weights.shape.epsilon
        inputs = [x, skip, self._vector(norm)]
        self._nodes.append(
            helper.make_node(
                "SkipSimplifiedLayerNormalization", inputs, outputs, domain=_CONTRIB, epsilon=epsilon
            )
        )
        return name, outputs[-1]

    def _node(self, kind: str, inputs: list[str], name: str, **attributes: Any) -> str:  # noqa: ANN401
        if kind == "SimplifiedLayerNormalization":
            attributes = {"epsilon": self._weights.shape.epsilon, "axis": -1}
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def _linear(self, x: str, name: str, matrices: list[str]) -> str:
        matrix = np.concatenate([self._matrix(f"{each}.weight") for each in matrices])
        quantized, scales = quantize(matrix)
        rows, columns = matrix.shape
        inputs = [x, self._tensor(f"{name}.q", quantized), self._tensor(f"{name}.scales", scales)]
        if f"{matrices[0]}.bias" in self._weights.names:
            bias = np.concatenate([self._weights.tensor(f"{each}.bias") for each in matrices])
            inputs += ["", "", self._tensor(f"{name}.bias", bias)]
        size = {"K": columns, "N": rows, "bits": 8, "block_size": BLOCK, "accuracy_level": 4}
        return self._node("MatMulNBits", inputs, name, domain=_CONTRIB, **size)

    def _matrix(self, name: str) -> Array32:
        change = None if self._adapter is None else self._adapter.change(name)
        return self._weights.tensor(name) if change is None else self._weights.tensor(name) + change

    def _vector(self, name: str) -> str:
        return self._tensor(name, self._weights.tensor(name))

    def _rotations(self) -> None:
        """Add the table of rotary positions, (positions, half of a head's width)."""
        shape = self._weights.shape
        exponents = np.arange(0, shape.head_width, 2) / shape.head_width
        frequencies = shape.rope_base**-exponents
        if "rope_freqs.weight" in self._weights.names:
            frequencies = frequencies / self._weights.tensor("rope_freqs.weight")
        angles = np.outer(np.arange(self._positions), frequencies)
        self._tensor("cos", np.cos(angles).astype(np.float32))
        self._tensor("sin", np.sin(angles).astype(np.float32))

    def _tensor(self, name: str, array: np.ndarray[Any, Any]) -> str:
        self._data.write(b"\0" * (-self._data.tell() % _ALIGNMENT))
        tensor = TensorProto(name=name, dims=array.shape, data_location=TensorProto.EXTERNAL)
        tensor.data_type = helper.np_dtype_to_tensor_dtype(array.dtype)
        where = {"location": "model.data", "offset": self._data.tell(), "length": array.nbytes}
        for key, value in where.items():
            tensor.external_data.add(key=key, value=str(value))
        self._data.write(np.ascontiguousarray(array).tobytes())
        self._tensors.append(tensor)
        return name


def quantize(matrix: Array32) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], Array32]:
    """Round a matrix (N, K) to 8 bits in blocks of a row; return them (N, blocks, BLOCK) and their scales."""
    blocks = matrix.reshape(len(matrix), -1, BLOCK)
    scales = np.abs(blocks).max(axis=-1) / 127.0
    scales[scales == 0.0] = 1.0
    rounded = np.rint(blocks / scales[..., None]) + 128.0
    return rounded.astype(np.uint8), scales.astype(np.float32).reshape(-1)
