"""The worker's request loop with an engine of this test's own; processes are in test_worker_supervisor.py."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np

from openral_core.detectors import Box, Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_perception_ros.inference.ipc import Detect, Detected, Load, SharedFrameBuffer
from openral_perception_ros.inference.worker import RequestServer

MUGS = [Detection(Box(0, 0, 16, 16), "mug", 0.9), Detection(Box(16, 0, 32, 16), "mug", 0.8)]


class Mugs:
    """Engine that sees two mugs and remembers what it was asked."""

    labels = ("mug",)

    def __init__(self) -> None:
        self.asked: list[Sequence[str] | None] = []

    def device_memory_mb(self) -> float:
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        self.asked.append(terms)
        return MUGS


class Frame:
    """A red and a blue half."""

    def read(self, planes: object) -> dict[str, np.ndarray]:
        rgb = np.zeros((16, 32, 3), np.uint8)
        rgb[:, :16, 0], rgb[:, 16:, 2] = 200, 200
        return {"rgb": rgb}


def served(
    colours: bool, terms: tuple[str, ...] | None
) -> tuple[list[tuple[str, Box]], Sequence[str] | None]:
    engine = Mugs()
    server = RequestServer(cast(SharedFrameBuffer, Frame()), lambda name: lambda *arguments: engine)
    manifest = DetectorManifest.model_validate(
        {
            "kind": "detector",
            "id": "mugs",
            "description": "Sees mugs.",
            "engine": "rtdetr_onnx",
            "mode": "on_demand",
            "vocabulary": {"kind": "closed", "labels": ["mug"], "colours": colours},
            "licence": {"name": "Apache-2.0", "commercial_use": True},
            "memory_mb": 1.0,
            "latency": 0.1,
        }
    )
    server.handle(Load(manifest, str(Path()), LoadOptions()))
    reply = server.handle(Detect((), "head", 0, {}, terms))
    assert isinstance(reply, Detected), reply
    return [(found.label, found.box) for found in reply.detections], engine.asked[-1]


def test_colours_are_grounded_in_what_the_vocabulary_finds() -> None:
    found, asked = served(True, ("blue mug",))
    assert found == [("blue mug", MUGS[1].box)]
    assert asked is None


def test_without_terms_or_colours_the_engine_answers_alone() -> None:
    assert [label for label, _ in served(True, None)[0]] == ["mug", "mug"]
    assert served(False, ("blue mug",))[1] == ("blue mug",)
