"""Detector engines: numpy images in, detections out; they run in a worker process and know no ROS."""

from openral_perception_ros.engines.base import (
    DescribedEngine,
    Engine,
    EngineFrame,
    EngineLoader,
    LoadOptions,
    blank_frame,
    clip_detections,
    detections_from,
    engine_loader,
)
from openral_perception_ros.engines.errors import (
    BadDetections,
    EngineError,
    FailureKind,
    LabelMismatch,
    MissingImagePlane,
    MissingPackage,
    MissingWeights,
    OutOfMemory,
)

__all__ = [
    "BadDetections",
    "DescribedEngine",
    "Engine",
    "EngineError",
    "EngineFrame",
    "EngineLoader",
    "FailureKind",
    "LabelMismatch",
    "LoadOptions",
    "MissingImagePlane",
    "MissingPackage",
    "MissingWeights",
    "OutOfMemory",
    "blank_frame",
    "clip_detections",
    "detections_from",
    "engine_loader",
]
