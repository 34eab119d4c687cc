"""Embedding worker process: reads a JSON list of texts per line and writes their vectors.

Its first line reports that it is ready, or the error. It exits at the end of its input.
"""

import base64
import json
import sys
from collections.abc import Callable, Sequence

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from openral_core.arrays import Array32
from openral_world_state.embeddings.index import ModelFiles, find_model

_MAX_TOKENS = 64  # of one text; labels and queries are far shorter, and the time of a batch is bounded
Embed = Callable[[Sequence[str]], Array32]


def load(files: ModelFiles) -> Embed:
    """Load a model as a function from texts to unit vectors (N, D), the mean over their tokens.

    Source: sentence-transformers/all-MiniLM-L6-v2, model card.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    tokenizer.enable_truncation(_MAX_TOKENS)
    tokenizer.enable_padding()
    names = {tensor.name for tensor in session.get_inputs()}

    def embed(texts: Sequence[str]) -> Array32:
        encoded = tokenizer.encode_batch(list(texts))
        mask = np.array([encoding.attention_mask for encoding in encoded], np.int64)
        feeds = {
            "input_ids": np.array([encoding.ids for encoding in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        tokens = session.run(None, {name: feed for name, feed in feeds.items() if name in names})[0]
        summed = (tokens * mask[..., None]).sum(axis=1)
        length = np.linalg.norm(summed, axis=1, keepdims=True)
        return np.asarray(summed / np.maximum(length, 1e-9), np.float32)

    return embed


def main(model: str) -> int:
    """Serve one model on standard input and output."""
    try:
        embed = load(find_model(model))
        dimensions = embed(["an object"]).shape[1]
    except Exception as error:
        _send({"error": str(error) or type(error).__name__})
        return 1
    _send({"ready": dimensions})
    for line in sys.stdin:
        vectors = embed(json.loads(line))
        _send({"vectors": base64.b64encode(vectors.tobytes()).decode()})
    return 0


def _send(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
