"""Depth images with their intrinsics and where they were taken from."""

from openral_world_state.views.intrinsics import (
    Intrinsics,
    InvalidIntrinsics,
    InvalidRegion,
    NotCalibrated,
    UnsupportedDistortion,
)
from openral_world_state.views.view import View

__all__ = [
    "Intrinsics",
    "InvalidIntrinsics",
    "InvalidRegion",
    "NotCalibrated",
    "UnsupportedDistortion",
    "View",
]
