"""Headless cameras: colour, depth and semantic instances."""

from openral_sim.rendering.camera import CameraFrame, CameraRenderer, InstanceLabels, UnknownSimCamera

__all__ = ["CameraFrame", "CameraRenderer", "InstanceLabels", "UnknownSimCamera"]
