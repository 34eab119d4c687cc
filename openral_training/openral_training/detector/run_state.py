"""State of a training run: the network, its average, the optimiser and the position; saved and restored."""

import copy
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from openral_core.errors import OpenRALError
from openral_training.detector.checkpoints import Checkpoint
from openral_training.detector.muon import Muon
from openral_training.detector.network import OUTER_LAYERS, DetectionNetwork
from openral_training.detector.options import TrainingOptions

WARM_UP = 0.01
"""Share of the run in which the learning rate rises [1]."""
FLOOR = 0.02
"""Last learning rate relative to the highest [1]."""
KERNEL = 4
"""Dimensions of the weights of a convolution [count]."""
MOMENTUM = 0.9
"""Of Muon [1]: the runs are short."""
RAMP = 200.0
"""Steps over which the average grows from the current weights to its full length [count]; YOLOv5's."""


class RunDiffers(OpenRALError):
    """A run that cannot go on because its options or data changed."""

    def __init__(self, folder: object, changed: Mapping[str, tuple[object, object]]) -> None:
        listed = "; ".join(f"{name} was {old!r}, is {new!r}" for name, (old, new) in changed.items())
        super().__init__(
            f"the run in {folder} cannot go on: {listed}. Use the same options and data, or start "
            f"another run from its weights: --init {folder} --out ANOTHER; --new-data accepts other images"
        )


@dataclass(slots=True)
class Position:
    """Position in a run: batches, images [count], time spent training [s], evaluations and the best AP50."""

    batches: int = 0
    views: int = 0
    seconds: float = 0.0
    evaluations: int = 0
    best: float = -1.0
    best_at: int = 0
    history: list[dict[str, float]] = field(default_factory=list)


class Optimiser:
    """Muon for the kernels of the convolutions inside the network, AdamW for the rest.

    A kernel is a matrix of output channels by what each of them sees, as a view of the same memory.
    Source: Jordan et al. 2024 (Muon), who leave the first and last layers to AdamW too.

    Args:
        network: Network with kernels in the memory format ``channels_last``.
        options: Highest learning rates and weight decays.
    """

    def __init__(self, network: DetectionNetwork, options: TrainingOptions) -> None:
        inner = {
            name: parameter
            for name, parameter in network.named_parameters()
            if parameter.ndim == KERNEL and name.partition(".")[0] not in OUTER_LAYERS
        }
        others = {name: p for name, p in network.named_parameters() if name not in inner}
        self._kernels = list(inner.values())
        self._matrices = [_as_matrix(kernel.detach()) for kernel in self._kernels]
        head = list(network.class_head.parameters()) if options.head_rate else []
        others = {name: p for name, p in others.items() if not head or not name.startswith("class_head.")}
        groups: list[dict[str, Any]] = [
            {"params": [p for p in others.values() if p.ndim > 1], "weight_decay": options.weight_decay},
            {"params": [p for p in others.values() if p.ndim <= 1], "weight_decay": 0.0},
            *([{"params": head, "weight_decay": 0.0, "lr": options.head_rate}] if head else []),
        ]
        self._adamw = torch.optim.AdamW(groups, lr=options.learning_rate, foreach=True)
        self._muon = Muon(
            self._matrices, lr=options.kernel_rate, weight_decay=options.kernel_decay, momentum=MOMENTUM
        )
        self._highest = [group["lr"] for group in self._groups()]

    def set_rate(self, factor: float) -> None:
        """Set the learning rates to a share of the highest [1]."""
        for group, highest in zip(self._groups(), self._highest, strict=True):
            group["lr"] = highest * factor

    def _groups(self) -> list[dict[str, Any]]:
        return [*self._adamw.param_groups, *self._muon.param_groups]

    def step(self) -> None:
        """Change the network by its gradients."""
        for kernel, matrix in zip(self._kernels, self._matrices, strict=True):
            matrix.grad = None if kernel.grad is None else _as_matrix(kernel.grad)
        self._adamw.step()
        self._muon.step()

    def state_dict(self) -> dict[str, Any]:
        """Return the state from which `load_state_dict` goes on."""
        return {"adamw": self._adamw.state_dict(), "muon": self._muon.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""
        self._adamw.load_state_dict(state["adamw"])
        self._muon.load_state_dict(state["muon"])


def _as_matrix(kernel: torch.Tensor) -> torch.Tensor:
    """View a kernel (O, I, H, W) as a matrix (O, H x W x I)."""
    return kernel.permute(0, 2, 3, 1).flatten(1)


class RunState:
    """The mutable part of a run.

    Args:
        options: The run's options.
        labels: The classes.
        data: Digest of the images and objects.
        device: Where it computes.
    """

    def __init__(
        self, options: TrainingOptions, labels: tuple[str, ...], data: str, device: torch.device
    ) -> None:
        torch.manual_seed(options.seed)
        self.options, self.labels, self.data = options, labels, data
        network = DetectionNetwork(options.architecture, len(labels))
        self.network = network.to(device, memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.network).eval().requires_grad_(requires_grad=False)
        self.optimiser = Optimiser(self.network, options)
        self.position = Position()
        self._pairs = (_averaged(self.average), _averaged(self.network))

    @property
    def progress(self) -> float:
        """Share of the run that is done [1]."""
        if self.options.views is not None:
            return min(1.0, self.position.views / self.options.views)
        return min(1.0, self.position.seconds / (3600.0 * (self.options.hours or 1.0)))

    @property
    def plain(self) -> bool:
        """True in the last part of the run, which has no augmentation."""
        return self.progress >= 1.0 - self.options.plain_share

    def set_rate(self) -> None:
        """Set the learning rate: a linear warm-up, then half a cosine."""
        progress = self.progress
        if progress < WARM_UP:
            factor = max(progress / WARM_UP, 1e-3)
        else:
            factor = FLOOR + (1 - FLOOR) * 0.5 * (
                1 + math.cos(math.pi * (progress - WARM_UP) / (1 - WARM_UP))
            )
        self.optimiser.set_rate(factor)

    @torch.no_grad()
    def update_average(self) -> None:
        """Move the average of weights and running statistics towards the current ones."""
        decay = self.options.averaging * (1 - math.exp(-(self.position.batches + 1) / RAMP))
        torch._foreach_lerp_(*self._pairs, 1.0 - decay)

    def checkpoint(self, facts: Mapping[str, Any], complete: bool) -> Checkpoint:
        """Return a checkpoint; ``complete`` includes what the run needs to go on."""
        training = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "position": asdict(self.position),
            "random": torch.get_rng_state(),
            "options": self.options.fixed(),
            "data": self.data,
        }
        return Checkpoint(
            architecture=self.options.architecture,
            labels=self.labels,
            size=self.options.image_size,
            weights=self.average.state_dict(),
            training=training if complete else None,
            facts=facts,
        )

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on where a checkpoint was written.

        Raises:
            RunDiffers: If options, classes or data are not those of the checkpoint.
        """
        before = checkpoint.training or {}
        changed = {
            name: (before.get("options", {}).get(name), now)
            for name, now in self.options.fixed().items()
            if before.get("options", {}).get(name) != now
        }
        if before.get("data") != self.data and not self.options.new_data:
            changed["data"] = (str(before.get("data"))[:12], self.data[:12])
        if checkpoint.labels != self.labels:
            changed["classes"] = (len(checkpoint.labels), len(self.labels))
        if changed:
            raise RunDiffers(self.options.out, changed)
        self.network.load_state_dict(before["network"])
        self.average.load_state_dict(dict(checkpoint.weights))
        self.optimiser.load_state_dict(before["optimiser"])
        self.position = Position(**before["position"])
        torch.set_rng_state(before["random"])


def _averaged(network: DetectionNetwork) -> list[torch.Tensor]:
    """Return weights and running statistics; what counts batches is used by neither."""
    return [value for value in network.state_dict(keep_vars=True).values() if value.is_floating_point()]
