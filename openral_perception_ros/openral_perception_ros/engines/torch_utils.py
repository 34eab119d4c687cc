"""PyTorch device and precision of a model, its device memory and inference errors."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import torch

from openral_perception_ros.engines.errors import EngineError, OutOfMemory


class DeviceUnavailable(EngineError):
    """A device this machine lacks; there is no fallback."""

    def __init__(self, device: str) -> None:
        super().__init__(
            f"PyTorch {torch.__version__} cannot run on {device!r}: use 'cpu' or an available GPU"
        )


@dataclass(frozen=True, slots=True)
class TorchDevice:
    """A device and the data type of the model on it."""

    device: torch.device
    dtype: torch.dtype

    @classmethod
    def of(cls, device: str, dtype: torch.dtype) -> Self:
        """Check that device and data type are available.

        Raises:
            DeviceUnavailable: If they are not.
        """
        try:
            torch.zeros(1, device=device, dtype=dtype)
        except (RuntimeError, AssertionError) as error:
            raise DeviceUnavailable(device) from error
        return cls(torch.device(device), dtype)


def device_memory_mb(device: torch.device) -> float:
    """Return the memory this process reserved on an accelerator [MB]; 0 on a CPU."""
    return float(torch.cuda.memory_reserved(device)) / 1e6 if device.type == "cuda" else 0.0


@contextmanager
def inference_guard(during: str) -> Iterator[None]:
    """Disable gradients and translate out-of-memory errors.

    Raises:
        OutOfMemory: Instead of PyTorch's own error.
    """
    try:
        with torch.inference_mode():
            yield
    except torch.OutOfMemoryError as error:
        raise OutOfMemory(during, str(error)) from error


class Precision(StrEnum):
    """Precisions a manifest may choose."""

    FP32 = "fp32"
    FP16 = "fp16"
    BF16 = "bf16"

    @property
    def dtype(self) -> torch.dtype:
        """The PyTorch data type."""
        return _DTYPES[self]


_DTYPES: Mapping[Precision, torch.dtype] = {
    Precision.FP32: torch.float32,
    Precision.FP16: torch.float16,
    Precision.BF16: torch.bfloat16,
}


class PrecisionNotApplied(EngineError):
    """A model that kept parameters of another precision than requested."""

    def __init__(self, requested: torch.dtype, name: str, actual: torch.dtype) -> None:
        super().__init__(f"precision {requested} was requested, but parameter {name!r} is {actual}")


def to_device(model: torch.nn.Module, placement: TorchDevice) -> torch.nn.Module:
    """Move a model to device and precision, in evaluation mode.

    Raises:
        PrecisionNotApplied: If any floating parameter has another type.
    """
    model = model.to(device=placement.device, dtype=placement.dtype).eval()
    for name, parameter in model.named_parameters():
        if parameter.is_floating_point() and parameter.dtype != placement.dtype:
            raise PrecisionNotApplied(placement.dtype, name, parameter.dtype)
    return model
