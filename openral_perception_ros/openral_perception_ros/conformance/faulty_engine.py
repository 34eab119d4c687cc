"""An engine that fails in the way it is asked to, to see that only its worker suffers."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from openral_core.detections import Box, Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import (
    Engine,
    Frame,
    LoadOptions,
    MissingWeights,
    OutOfMemory,
    detections_from,
)

SLOW = 0.4
"""Time of a slow look [s]."""
HEADROOM = 1 << 27
"""Bytes of address space left to a model that allocates until it cannot."""


class ModelBroke(RuntimeError):
    """What a model's own code may raise."""


def _hang() -> list[Detection]:
    threading.Event().wait()
    return []


def _die() -> list[Detection]:
    os.kill(os.getpid(), signal.SIGKILL)
    return _hang()


def _leave() -> list[Detection]:
    os._exit(3)


def _allocate() -> list[Detection]:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + HEADROOM, used + HEADROOM))
    hoard = []
    while True:
        hoard.append(np.ones(HEADROOM // 16, np.uint8))


def _refuse() -> list[Detection]:
    raise OutOfMemory("inference", "the device has none left")


def _break() -> list[Detection]:
    raise ModelBroke("tensor sizes differ")


def _not_a_number() -> list[Detection]:
    return detections_from([[0.0, 0.0, float("nan"), 5.0]], [0.5], ["nan"], (10, 10))


def _too_sure() -> list[Detection]:
    return detections_from([[0.0, 0.0, 5.0, 5.0]], [1.5], ["sure"], (10, 10))


def _outside() -> list[Detection]:
    return [
        Detection(Box(-50.0, -50.0, 30.0, 20.0), "outside", 0.9),
        Detection(Box(1e4, 1e4, 2e4, 2e4), "outside", 0.8),
    ]


def _slow() -> list[Detection]:
    time.sleep(SLOW)
    return [Detection(Box(1.0, 1.0, 5.0, 5.0), "slow", 0.9)]


FAULTS: Mapping[str, Callable[[], list[Detection]]] = {
    "hang": _hang,
    "die": _die,
    "leave": _leave,
    "allocate": _allocate,
    "refuse": _refuse,
    "break": _break,
    "nan": _not_a_number,
    "sure": _too_sure,
    "outside": _outside,
    "slow": _slow,
}


class FaultyEngine:
    """Does what the first term says; other terms see a box each."""

    labels: tuple[str, ...] = ()

    def device_memory_mb(self) -> float:
        """It uses no accelerator."""
        return 0.0

    def detect(self, frame: Frame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect` and `FAULTS`."""
        asked = tuple(terms or ())
        if asked and asked[0] in FAULTS:
            return FAULTS[asked[0]]()
        return [Detection(Box(1.0, 1.0, 5.0, 5.0), term, 0.9) for term in asked]


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> Engine:
    """The engine, unless the manifest's option ``load`` names a fault."""
    fault = str(manifest.options.get("load", ""))
    if fault == "missing_weights":
        raise MissingWeights(manifest.id, [folder / "weights"])
    if fault in FAULTS:
        FAULTS[fault]()
    return FaultyEngine()
