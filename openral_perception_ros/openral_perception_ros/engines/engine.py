"""What every detector engine does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from openral_core.detections import Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.frame import Frame


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What the node adds to a manifest."""

    seed: int = 0
    device: str = "cpu"
    weights_folder: str = ""
    remote_code: bool = False


class Engine(Protocol):
    """A loaded model; lives in a worker process, called by one thread."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Its own vocabulary; empty when it names whatever it is asked for."""
        ...

    def device_memory_mb(self) -> float:
        """Memory held on an accelerator [MB]; 0 on a CPU."""
        ...

    def detect(self, frame: Frame, terms: Sequence[str] | None) -> list[Detection]:
        """Objects in one frame.

        Args:
            frame: Planes as the manifest's ``sensors`` asked.
            terms: Phrases to ground; None asks for the engine's own vocabulary.

        Returns:
            Boxes in source-image pixels; labels are vocabulary words, or the phrases as they were asked.

        Raises:
            EngineError: One leaf per condition.
        """
        ...


EngineLoader = Callable[[DetectorManifest, Path, LoadOptions], Engine]
