"""Muon in the precision in which a device computes fast.

PyTorch's Muon always iterates in bfloat16, which processors without it emulate: one matrix of 256 x 2304
then takes 13 times as long as in float32.
"""

import math
from collections.abc import Callable

import torch


def computes_in_bfloat16(device: torch.device) -> bool:
    """Return True if a device multiplies matrices of bfloat16 in hardware."""
    if device.type != "cpu":
        return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    found = torch.cpu.get_capabilities()
    return any(found.get(each, False) for each in ("amx_bf16", "avx512_bf16", "bf16"))


class Muon(torch.optim.Muon):
    """PyTorch's Muon, whose iteration runs in float32 on devices without bfloat16; the state is the same.

    Args:
        matrices: Parameters, all on one device.
        lr: Learning rate.
        weight_decay: Share of a parameter that it loses per step and unit of the learning rate.
        momentum: Momentum.
        in_bfloat16: Iterate in bfloat16; None: if the device has it.
    """

    def __init__(
        self,
        matrices: list[torch.Tensor],
        lr: float,
        weight_decay: float,
        momentum: float,
        *,
        in_bfloat16: bool | None = None,
    ) -> None:
        super().__init__(matrices, lr=lr, weight_decay=weight_decay, momentum=momentum)
        chosen = computes_in_bfloat16(matrices[0].device) if in_bfloat16 is None else in_bfloat16
        self._in_bfloat16 = chosen

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Change the matrices by their gradients."""
        if self._in_bfloat16:
            loss: float | None = super().step(closure)
            return loss
        with torch.enable_grad():
            loss = closure() if closure is not None else None
        for group in self.param_groups:
            rate, kept = group["lr"], 1.0 - group["lr"] * group["weight_decay"]
            matrices, gradients, momenta = list[torch.Tensor](), list[torch.Tensor](), list[torch.Tensor]()
            self._init_group(group, matrices, gradients, momenta)
            for matrix, gradient, momentum in zip(matrices, gradients, momenta, strict=True):
                momentum.lerp_(gradient, 1.0 - group["momentum"])
                update = gradient.lerp(momentum, group["momentum"]) if group["nesterov"] else momentum
                turned = orthogonalised(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
                tallness = math.sqrt(max(1.0, matrix.shape[0] / matrix.shape[1]))
                matrix.mul_(kept).add_(turned, alpha=-rate * tallness)
        return loss


def orthogonalised(
    matrix: torch.Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> torch.Tensor:
    """Return a matrix with the singular vectors of the one given, and singular values of 0.7 to 1.2.

    Source: the quintic Newton-Schulz iteration of Jordan et al. 2024, in the matrix's own precision.
    """
    is_tall = matrix.shape[0] > matrix.shape[1]
    turned = matrix.T if is_tall else matrix
    turned = turned / turned.norm().clamp(min=eps)
    linear, cubic, quintic = coefficients
    for _ in range(steps):
        gram = turned @ turned.T
        turned = torch.addmm(
            turned, torch.addmm(gram, gram, gram, beta=cubic, alpha=quintic), turned, beta=linear
        )
    return turned.T if is_tall else turned
