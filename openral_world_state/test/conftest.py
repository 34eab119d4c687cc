"""A sentence-embedding model small enough to read: each word has a direction, a text is their mean."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

DIRECTIONS = {
    "[UNK]": (0.0, 0.0, 0.0, 1.0),
    "rucksack": (1.0, 0.2, 0.0, 0.0),
    "satchel": (1.0, 0.0, 0.0, 0.0),
    "zorb": (0.0, 1.0, 0.0, 0.0),
    "gribble": (0.1, 1.0, 0.0, 0.0),
    "lamp": (0.0, 0.0, 1.0, 0.0),
}


@pytest.fixture
def toy_model(tmp_path: Path) -> Path:
    """A folder with ``tokenizer.json`` and ``onnx/model.onnx``."""
    folder = tmp_path / "toy"
    (folder / "onnx").mkdir(parents=True)
    words = models.WordLevel({word: index for index, word in enumerate(DIRECTIONS)}, unk_token="[UNK]")
    tokenizer = Tokenizer(words)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = numpy_helper.from_array(np.array(list(DIRECTIONS.values()), np.float32), "table")
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", len(DIRECTIONS["lamp"])]
    )
    gather = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([gather], "toy", inputs, [output], [table])
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        folder / "onnx" / "model.onnx",
    )
    return folder
