"""A language model of a few thousand weights, as a GGUF file."""

from pathlib import Path

import numpy as np
from gguf import GGUFWriter

WIDTH, HIDDEN, LAYERS, HEADS, KV_HEADS = 64, 96, 3, 4, 2
"""Size of the model: widths [1], layers and heads [count]."""


def _byte_letters() -> list[str]:
    """Return the letters for all bytes of byte-level BPE, as GPT-2 has them."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in plain)
    shifted = {byte: 256 + number for number, byte in enumerate(others)}
    return [chr(byte if byte in plain else shifted[byte]) for byte in range(256)]


def write_language_model(path: Path, seed: int = 0) -> Path:
    """Write a model with random weights whose tokens are bytes and one pair."""
    rng, letters = np.random.default_rng(seed), _byte_letters()
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list([*letters, "do"])
    writer.add_token_merges(["d o"])
    kv = WIDTH * KV_HEADS // HEADS
    matrices = {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (kv, WIDTH),
        "attn_v": (kv, WIDTH),
        "attn_output": (WIDTH, WIDTH),
    }
    matrices |= {"ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}
    writer.add_tensor("token_embd.weight", rng.normal(size=(257, WIDTH)).astype(np.float32))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for layer in range(LAYERS):
        for name, shape in matrices.items():
            matrix = rng.normal(size=shape, scale=shape[1] ** -0.5).astype(np.float32)
            writer.add_tensor(f"blk.{layer}.{name}.weight", matrix)
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
