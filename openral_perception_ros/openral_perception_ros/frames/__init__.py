"""Frames as they arrive: kept per camera, undecoded, paired by stamp."""

from openral_perception_ros.frames.cache import CameraCache
from openral_perception_ros.frames.shot import Shot

__all__ = ["CameraCache", "Shot"]
