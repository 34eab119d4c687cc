"""Weights of a language model, from a GGUF file or a folder of the hub, by the names of GGUF."""

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from openral_core.arrays import Array32
from openral_core.errors import OpenRALError, format_choices
from openral_training.local.tokens import gguf_tokenizer, read_tokenizer

ARCHITECTURES = ("llama", "qwen2")
"""Architectures whose layers the graph has."""


class UnusableWeights(OpenRALError):
    """Weights that cannot be read, or of an architecture that is not supported."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"language model {str(path)[-200:]!r}: {problem[:500]}; valid is a GGUF file, or a hub "
            "folder with config.json, tokenizer.json and *.safetensors, of the architectures "
            f"{format_choices(ARCHITECTURES)}"
        )


@dataclass(frozen=True, slots=True)
class Shape:
    """Layers, width and attention heads of a decoder."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    epsilon: float
    rope_base: float
    interleaved: bool
    head_width: int


@dataclass(frozen=True, slots=True)
class DecoderWeights:
    """Weights of a decoder."""

    shape: Shape
    names: frozenset[str]  # Names of all tensors.
    # Matrix (out, in) or vector of a GGUF name, float32; KeyError if there is none.
    tensor: Callable[[str], Array32]
    tokenizer: Tokenizer
    bos: int | None


def read_weights(path: Path) -> DecoderWeights:
    """Open weights; tensors are read when they are asked for.

    Raises:
        UnusableWeights: If they cannot be read.
    """
    try:
        return read_hub_folder(path) if path.is_dir() else read_gguf(path)
    except UnusableWeights:
        raise
    except Exception as error:  # of a file that is cut or no such file, the reader raises anything
        raise UnusableWeights(path, f"{type(error).__name__}: {error}") from error


def read_gguf(path: Path) -> DecoderWeights:
    """Open a GGUF file."""
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(path)
    tensors = {tensor.name: tensor for tensor in reader.tensors}

    def field(name: str, default: object = None) -> Any:  # noqa: ANN401
        entry = reader.fields.get(name)
        return default if entry is None else entry.contents()

    def tensor(name: str) -> Array32:
        each = tensors[name]
        return np.asarray(dequantize(each.data, each.tensor_type), np.float32)

    architecture = field("general.architecture")
    if architecture not in ARCHITECTURES:
        raise UnusableWeights(path, f"its architecture is {architecture!r}")
    heads, width = field(f"{architecture}.attention.head_count"), field(f"{architecture}.embedding_length")
    shape = Shape(
        layers=field(f"{architecture}.block_count"),
        width=width,
        heads=heads,
        kv_heads=field(f"{architecture}.attention.head_count_kv", heads),
        epsilon=float(field(f"{architecture}.attention.layer_norm_rms_epsilon")),
        rope_base=float(field(f"{architecture}.rope.freq_base", 10_000.0)),
        interleaved=architecture == "llama",
        head_width=width // heads,
    )
    bos = (
        field("tokenizer.ggml.bos_token_id") if field("tokenizer.ggml.add_bos_token", default=False) else None
    )
    return DecoderWeights(shape, frozenset(tensors), tensor, gguf_tokenizer(field), bos)


_OF_HUB = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
_TOP = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
_DTYPES: Mapping[str, str] = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
MAX_HEADER = 64 << 20
"""Longest header of a safetensors file [bytes]."""


def read_hub_folder(path: Path) -> DecoderWeights:
    """Open a folder of the hub."""
    config = json.loads((path / "config.json").read_text())
    if config.get("model_type") not in ARCHITECTURES or config.get("rope_scaling"):
        raise UnusableWeights(
            path, f"its model_type is {config.get('model_type')!r}, or it scales its positions"
        )
    files = {name: entry for file in sorted(path.glob("*.safetensors")) for name, entry in _entries(file)}
    heads, width = config["num_attention_heads"], config["hidden_size"]
    rope = config.get("rope_theta") or config.get("rope_parameters", {}).get("rope_theta", 10_000.0)
    shape = Shape(
        layers=config["num_hidden_layers"],
        width=width,
        heads=heads,
        kv_heads=config.get("num_key_value_heads", heads),
        epsilon=config["rms_norm_eps"],
        rope_base=float(rope),
        interleaved=False,
        head_width=config.get("head_dim") or width // heads,
    )
    tokenizer, bos = read_tokenizer(path / "tokenizer.json")
    return DecoderWeights(shape, frozenset(files), lambda name: _read(*files[name]), tokenizer, bos)


def gguf_name(name: str) -> str:
    """Return the name in GGUF of a tensor of the hub."""
    stem, _, kind = name.rpartition(".")
    if stem in _TOP:
        return f"{_TOP[stem]}.{kind}"
    _, _, layer, part = stem.split(".", 3)
    return f"blk.{layer}.{_OF_HUB[part]}.{kind}"


_Entry = tuple[Path, int, str, tuple[int, ...]]


def _entries(file: Path) -> list[tuple[str, _Entry]]:
    """Read the header of a safetensors file: the GGUF name, offset, type and shape of each tensor."""
    with file.open("rb") as opened:
        (length,) = struct.unpack("<Q", opened.read(8))
        header = json.loads(opened.read(min(length, MAX_HEADER)))
    return [
        (gguf_name(name), (file, 8 + length + each["data_offsets"][0], each["dtype"], tuple(each["shape"])))
        for name, each in header.items()
        if name != "__metadata__" and "rotary_emb" not in name
    ]


def _read(file: Path, offset: int, dtype: str, shape: tuple[int, ...]) -> Array32:
    raw = np.memmap(file, _DTYPES[dtype], "r", offset, shape)
    if dtype == "BF16":
        return (np.asarray(raw, np.uint32) << 16).view(np.float32)
    return np.asarray(raw, np.float32)
