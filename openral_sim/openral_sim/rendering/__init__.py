"""Headless cameras: colour, depth and semantic instances."""

from openral_sim.rendering.camera_renderer import CameraRenderer, UnknownSimCamera
from openral_sim.rendering.frame import Frame
from openral_sim.rendering.labels import InstanceLabels

__all__ = ["CameraRenderer", "Frame", "InstanceLabels", "UnknownSimCamera"]
