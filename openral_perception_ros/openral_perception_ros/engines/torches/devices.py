"""Where a PyTorch model runs, and what it holds there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

import torch

from openral_perception_ros.engines.errors import EngineError, OutOfMemory


class DeviceUnavailable(EngineError):
    """A device this machine does not have; the next best is not taken in its place."""

    def __init__(self, device: str) -> None:
        super().__init__(
            f"PyTorch {torch.__version__} cannot run on {device!r} here: name 'cpu', or a GPU it sees"
        )


@dataclass(frozen=True, slots=True)
class Placement:
    """A device and the type of number computed with there."""

    device: torch.device
    dtype: torch.dtype

    @classmethod
    def of(cls, device: str, dtype: torch.dtype) -> Self:
        """A placement that exists.

        Raises:
            DeviceUnavailable: If it does not.
        """
        try:
            torch.zeros(1, device=device, dtype=dtype)
        except (RuntimeError, AssertionError) as error:
            raise DeviceUnavailable(device) from error
        return cls(torch.device(device), dtype)


def device_memory_mb(device: torch.device) -> float:
    """What this process has reserved on an accelerator [MB]; 0 on a CPU."""
    return float(torch.cuda.memory_reserved(device)) / 1e6 if device.type == "cuda" else 0.0


@contextmanager
def guarded(during: str) -> Iterator[None]:
    """Inference without gradients, whose out-of-memory is ours.

    Raises:
        OutOfMemory: Instead of PyTorch's own error.
    """
    try:
        with torch.inference_mode():
            yield
    except torch.OutOfMemoryError as error:
        raise OutOfMemory(during, str(error)) from error
