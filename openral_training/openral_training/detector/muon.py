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
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(each, False) for each in ("amx_bf16", "avx512_bf16", "bf16"))


class Muon(torch.optim.Muon):
    """PyTorch's Muon, in float32 on devices without bfloat16, matrices of one shape at once; same state.

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
        """Change the matrices by their gradients; those of one shape together, which a GPU does at once."""
        with torch.enable_grad():
            loss = closure() if closure is not None else None
        for group in self.param_groups:
            matrices, gradients, momenta = list[torch.Tensor](), list[torch.Tensor](), list[torch.Tensor]()
            self._init_group(group, matrices, gradients, momenta)
            if not matrices:
                continue
            torch._foreach_lerp_(momenta, gradients, 1.0 - group["momentum"])
            updates = torch._foreach_lerp(gradients, momenta, group["momentum"])
            torch._foreach_mul_(matrices, 1.0 - group["lr"] * group["weight_decay"])
            for rows in _of_one_shape(matrices):
                stack = torch.stack([updates[row] for row in rows])
                stack = stack.bfloat16() if self._in_bfloat16 else stack
                turned = orthogonalised(stack, group["ns_coefficients"], group["ns_steps"], group["eps"])
                tallness = math.sqrt(max(1.0, stack.shape[1] / stack.shape[2]))
                changed = list(turned.to(matrices[rows[0]].dtype).unbind())
                torch._foreach_add_([matrices[row] for row in rows], changed, alpha=-group["lr"] * tallness)
        return loss


def _of_one_shape(matrices: list[torch.Tensor]) -> list[list[int]]:
    groups = dict[torch.Size, list[int]]()
    for row, matrix in enumerate(matrices):
        groups.setdefault(matrix.shape, []).append(row)
    return list(groups.values())


def orthogonalised(
    stack: torch.Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> torch.Tensor:
    """Return matrices with the singular vectors of those given, and singular values of 0.7 to 1.2.

    Source: the quintic Newton-Schulz iteration of Jordan et al. 2024, in the matrices' own precision.

    Args:
        stack: Shape (N, rows, columns).
        coefficients: Of the iteration.
        steps: Its number of steps.
        eps: Least norm of a matrix.
    """
    is_tall = stack.shape[1] > stack.shape[2]
    turned = stack.mT if is_tall else stack
    turned = turned / turned.norm(dim=(1, 2), keepdim=True).clamp(min=eps)
    linear, cubic, quintic = coefficients
    for _ in range(steps):
        gram = turned @ turned.mT
        turned = torch.baddbmm(
            turned, torch.baddbmm(gram, gram, gram, beta=cubic, alpha=quintic), turned, beta=linear
        )
    return turned.mT if is_tall else turned
