"""Decoder with frozen weights and a low-rank adapter, over trees of tokens.

Its layers are those of `openral_training.local.onnx_graph`, in float32, with matrices by their names in GGUF.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from openral_training.local.adapter import Adapter, UnusableAdapter, read_adapter
from openral_training.local.weights import DecoderWeights, Shape

ADAPTED = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
"""Matrices of each layer that get an adapter."""


@dataclass(frozen=True, slots=True)
class LowRank:
    """Adapter of a rank, scaled by ``scale``, for the layers from ``first`` on."""

    rank: int
    scale: float
    first: int


class AdaptedDecoder:
    """Decoder whose adapter alone is trained.

    Args:
        weights: Base model.
        options: The adapter's size.
        seed: Of the adapter's first factors; the second ones begin at 0, so that it changes nothing at first.
        device: Where it computes.
    """

    def __init__(self, weights: DecoderWeights, options: LowRank, seed: int, device: str) -> None:
        self.shape, self._options = weights.shape, options
        self._fixed = {
            name: torch.tensor(weights.tensor(name), device=device) for name in sorted(weights.names)
        }
        generator = torch.Generator().manual_seed(seed)
        self.factors: dict[str, tuple[Tensor, Tensor]] = {}
        for layer in range(options.first, self.shape.layers):
            for part in ADAPTED:
                rows, columns = self._fixed[f"blk.{layer}.{part}.weight"].shape
                a = torch.randn(options.rank, columns, generator=generator) / math.sqrt(columns)
                b = torch.zeros(rows, options.rank, device=device)
                self.factors[f"blk.{layer}.{part}.weight"] = (
                    a.to(device).requires_grad_(),
                    b.requires_grad_(),
                )

    @property
    def parameters(self) -> list[Tensor]:
        """Tensors that are trained."""
        return [each for both in self.factors.values() for each in both]

    @property
    def output(self) -> Tensor:
        """Matrix (vocabulary, width) that a hidden state is multiplied with."""
        return self._fixed.get("output.weight", self._fixed["token_embd.weight"])

    def hidden(self, tokens: Tensor, depths: Tensor, visible: Tensor) -> Tensor:
        """Return hidden states (B, T, width).

        Args:
            tokens: Tokens (B, T).
            depths: Position of each token on its path from the root (B, T).
            visible: True where a token (row) sees another (column): on its path (B, T, T).
        """
        x = self._fixed["token_embd.weight"][tokens]
        rotation = rotary_angles(self.shape, depths)
        mask = torch.zeros(visible.shape, device=visible.device).masked_fill_(~visible, -torch.inf)[:, None]
        for layer in range(self.shape.layers):
            x = x + self._attention(layer, self._norm(x, f"blk.{layer}.attn_norm.weight"), rotation, mask)
            x = x + self._mlp(layer, self._norm(x, f"blk.{layer}.ffn_norm.weight"))
        return self._norm(x, "output_norm.weight")

    def adapter(self, base: str, prompt_format: int) -> Adapter:
        """Return the adapter with its scale in the second factors."""
        factors = {
            name: (a.detach().cpu().numpy(), (b.detach() * self._options.scale).cpu().numpy())
            for name, (a, b) in self.factors.items()
        }
        return Adapter(base, prompt_format, factors)

    def load(self, path: Path) -> None:
        """Begin with an adapter.

        Raises:
            UnusableAdapter: If it has other matrices or another rank, or cannot be read.
        """
        adapter = read_adapter(path)
        sizes = {name: a.shape for name, (a, _) in self.factors.items()}
        if sizes != {name: a.shape for name, (a, _) in adapter.factors.items()}:
            raise UnusableAdapter(path, "it has another rank or other layers: use its --rank and --layers")
        with torch.no_grad():
            for name, (a, b) in self.factors.items():
                a.copy_(torch.from_numpy(adapter.factors[name][0]))
                b.copy_(torch.from_numpy(adapter.factors[name][1]) / self._options.scale)

    def _linear(self, x: Tensor, name: str) -> Tensor:
        y = functional.linear(x, self._fixed[f"{name}.weight"], self._fixed.get(f"{name}.bias"))
        factors = self.factors.get(f"{name}.weight")
        if factors is None:
            return y
        return y + functional.linear(functional.linear(x, factors[0]), factors[1]) * self._options.scale

    def _norm(self, x: Tensor, name: str) -> Tensor:
        return functional.rms_norm(x, x.shape[-1:], self._fixed[name], self.shape.epsilon)

    def _attention(self, layer: int, x: Tensor, rotation: Tensor, mask: Tensor) -> Tensor:
        batch, length, _ = x.shape
        shape = self.shape

        def heads(part: str, count: int) -> Tensor:
            y = self._linear(x, f"blk.{layer}.attn_{part}")
            return y.view(batch, length, count, shape.head_width).transpose(1, 2)

        q = rotate(heads("q", shape.heads), rotation, interleaved=shape.interleaved)
        k = rotate(heads("k", shape.kv_heads), rotation, interleaved=shape.interleaved)
        repeated = (
            each.repeat_interleave(shape.heads // shape.kv_heads, 1)
            for each in (k, heads("v", shape.kv_heads))
        )
        y = functional.scaled_dot_product_attention(q, *repeated, attn_mask=mask)
        return self._linear(y.transpose(1, 2).reshape(batch, length, -1), f"blk.{layer}.attn_output")

    def _mlp(self, layer: int, x: Tensor) -> Tensor:
        gate = functional.silu(self._linear(x, f"blk.{layer}.ffn_gate"))
        return self._linear(gate * self._linear(x, f"blk.{layer}.ffn_up"), f"blk.{layer}.ffn_down")


def rotary_angles(shape: Shape, depths: Tensor) -> Tensor:
    """Return the angles of the positions (B, 1, T, half of a head's width)."""
    exponents = torch.arange(0, shape.head_width, 2, device=depths.device) / shape.head_width
    return (depths[..., None] * shape.rope_base**-exponents)[:, None]


def rotate(x: Tensor, angles: Tensor, *, interleaved: bool) -> Tensor:
    """Turn pairs of a head's numbers by the angles of their position."""
    cos, sin = angles.cos(), angles.sin()
    if interleaved:
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)


def choice_loss(
    hidden: Tensor, output: Tensor, candidates: Tensor, is_candidate: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the mean cross entropy of the right token among the candidates of each position, and the hits.

    Args:
        hidden: Hidden states (N, width) at which a choice is made.
        output: Matrix (vocabulary, width).
        candidates: Tokens that may follow (N, C), the right one first.
        is_candidate: False where a row is padded (N, C).
    """
    logits = torch.einsum("nw,ncw->nc", hidden, output[candidates]).masked_fill(~is_candidate, -torch.inf)
    right = torch.zeros(len(hidden), dtype=torch.long, device=hidden.device)
    return functional.cross_entropy(logits, right), logits.detach().argmax(-1) == 0
