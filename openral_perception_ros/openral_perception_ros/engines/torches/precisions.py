"""The type of number a model computes with, really applied."""

from collections.abc import Mapping
from enum import StrEnum

import torch

from openral_perception_ros.engines.errors import EngineError
from openral_perception_ros.engines.torches.devices import Placement


class Precision(StrEnum):
    """Names a manifest may use."""

    FP32 = "fp32"
    FP16 = "fp16"
    BF16 = "bf16"

    @property
    def dtype(self) -> torch.dtype:
        """PyTorch's name of it."""
        return _DTYPES[self]


_DTYPES: Mapping[Precision, torch.dtype] = {
    Precision.FP32: torch.float32,
    Precision.FP16: torch.float16,
    Precision.BF16: torch.bfloat16,
}


class PrecisionNotApplied(EngineError):
    """A model that kept parameters of another type than asked for."""

    def __init__(self, asked: torch.dtype, name: str, found: torch.dtype) -> None:
        super().__init__(f"precision {asked} was asked for, but parameter {name!r} is {found}")


def placed(model: torch.nn.Module, placement: Placement) -> torch.nn.Module:
    """The model for inference, on the device and in the precision asked for.

    Raises:
        PrecisionNotApplied: If any floating parameter has another type.
    """
    model = model.to(device=placement.device, dtype=placement.dtype).eval()
    for name, parameter in model.named_parameters():
        if parameter.is_floating_point() and parameter.dtype != placement.dtype:
            raise PrecisionNotApplied(placement.dtype, name, parameter.dtype)
    return model
