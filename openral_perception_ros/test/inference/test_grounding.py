"""Phrases grounded at full and at half scale, with an engine that measures the sides of a white square."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from openral_core.detectors import Box, Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.inference.grounding import PhraseGrounding

WIDTH, HEIGHT = 96, 64


class SquareEngine:
    """Finds the white square of an image; a large one scores as little as ``large``."""

    labels = ("mug", "bowl")

    def __init__(self, large: float) -> None:
        self._large, self.images = large, 0

    def device_memory_mb(self) -> float:
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        self.images += 1
        rows, columns = np.nonzero(frame.planes["rgb"].min(axis=2) > 250)
        box = Box(float(columns.min()), float(rows.min()), columns.max() + 1.0, rows.max() + 1.0)
        score = self._large if box.width > 20 else 0.9
        return [Detection(box, "mug", score)] if score >= 0.1 else []


def manifest(half_scale: float | None = 0.45, **changes: object) -> DetectorManifest:
    document: dict[str, object] = {
        "kind": "detector",
        "id": "squares",
        "description": "Sees white squares.",
        "engine": "rtdetr_onnx",
        "mode": "on_demand",
        "vocabulary": {"kind": "closed", "labels": ["mug", "bowl"], "colours": True, "relations": True},
        "threshold": 0.35,
        "half_scale_threshold": half_scale,
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1.0,
        "latency": 0.1,
    }
    return DetectorManifest.model_validate(document | changes)


def frame(left: int, top: int, side: int) -> EngineFrame:
    rgb: NDArray[np.uint8] = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    rgb[top : top + side, left : left + side] = 255
    return EngineFrame({"rgb": rgb}, "head", 0)


@pytest.mark.parametrize("large", [0.0, 0.2])
def test_what_only_half_scale_shows_is_found_at_its_place_and_once(large: float) -> None:
    (found,) = PhraseGrounding(SquareEngine(large), manifest()).detect(frame(30, 12, 40), ("mug",))
    assert found == Detection(Box(30, 12, 70, 52), "mug", 0.9)


def test_half_scale_is_tried_only_for_phrases_that_have_no_certain_detection() -> None:
    for large, half_scale, images in ((0.5, 0.45, 1), (0.2, None, 1), (0.2, 0.45, 2)):
        engine = SquareEngine(large)
        PhraseGrounding(engine, manifest(half_scale)).detect(frame(30, 12, 40), ("mug",))
        assert engine.images == images


def test_half_scale_has_a_threshold_of_its_own_and_invents_nothing() -> None:
    assert PhraseGrounding(SquareEngine(0.0), manifest(0.95)).detect(frame(30, 12, 40), ("mug",)) == []
    assert PhraseGrounding(SquareEngine(0.0), manifest()).detect(frame(30, 12, 40), ("bowl",)) == []


@pytest.mark.parametrize(
    ("key", "needed"), [("anchor_threshold", "relations"), ("half_scale_threshold", "colours")]
)
def test_a_threshold_without_what_it_is_for_is_refused(key: str, needed: str) -> None:
    words = {"kind": "closed", "labels": ["mug"], "colours": True, "relations": True, needed: False}
    with pytest.raises(ValidationError, match=f"'{key}' needs '{needed}'"):
        manifest(None, vocabulary=words, **{key: 0.2})


def test_the_engine_reports_from_the_lowest_score_that_anything_needs() -> None:
    assert manifest().least_score == 0.35
    assert manifest(anchor_threshold=0.1).least_score == 0.1
    assert manifest(anchor_threshold=0.6).least_score == 0.35
