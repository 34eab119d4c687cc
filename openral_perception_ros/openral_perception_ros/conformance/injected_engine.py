"""A real engine with its model loaded, that fails when a frame of a camera named for a fault comes."""

from collections.abc import Sequence
from pathlib import Path

from openral_core.detections import Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.conformance.faults import FAULTS
from openral_perception_ros.engines import Engine, EngineLoader, Frame, LoadOptions, engine_loader

PREFIX = "fault:"


class InjectedEngine:
    """Another engine, but for frames of cameras such as ``fault:hang``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.labels = engine.labels

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`."""
        return self._engine.device_memory_mb()

    def detect(self, frame: Frame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect` and `FAULTS`."""
        if frame.camera.startswith(PREFIX):
            return FAULTS[frame.camera.removeprefix(PREFIX)]()
        return self._engine.detect(frame, terms)


def injected(name: str) -> EngineLoader:
    """The loader of one engine, wrapped."""

    def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> Engine:
        return InjectedEngine(engine_loader(name)(manifest, folder, options))

    return load
