"""Detector engines: numpy images in, detections out; they run in a worker process and know no ROS."""

from openral_perception_ros.engines.engine import Engine, EngineLoader, LoadOptions
from openral_perception_ros.engines.errors import (
    BadDetections,
    EngineError,
    FailureKind,
    LabelsDiffer,
    MissingPackage,
    MissingPlane,
    MissingWeights,
    OutOfMemory,
)
from openral_perception_ros.engines.frame import Frame, Plane, blank_frame
from openral_perception_ros.engines.registry import ENGINES, engine_loader
from openral_perception_ros.engines.results import clipped, detections_from

__all__ = [
    "ENGINES",
    "BadDetections",
    "Engine",
    "EngineError",
    "EngineLoader",
    "FailureKind",
    "Frame",
    "LabelsDiffer",
    "LoadOptions",
    "MissingPackage",
    "MissingPlane",
    "MissingWeights",
    "OutOfMemory",
    "Plane",
    "blank_frame",
    "clipped",
    "detections_from",
    "engine_loader",
]
