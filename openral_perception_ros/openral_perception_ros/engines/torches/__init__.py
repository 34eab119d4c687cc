"""What engines on PyTorch share: device, precision, memory; imported only in an environment that has it."""

from openral_perception_ros.engines.torches.devices import (
    DeviceUnavailable,
    Placement,
    device_memory_mb,
    guarded,
)
from openral_perception_ros.engines.torches.precisions import Precision, PrecisionNotApplied, placed

__all__ = [
    "DeviceUnavailable",
    "Placement",
    "Precision",
    "PrecisionNotApplied",
    "device_memory_mb",
    "guarded",
    "placed",
]
