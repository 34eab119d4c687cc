"""A locator's worker that hangs, is slow, finds no memory or answers by half while a switch is on."""

import os
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from graph.fault_injection.switches import Switches, inherited

from openral_core.detectors import Detection
from openral_core.rskills import DetectorManifest, Mode
from openral_perception_ros.engines import (
    Engine,
    EngineFrame,
    EngineLoader,
    LoadOptions,
    OutOfMemory,
    engine_loader,
)
from openral_perception_ros.inference.worker import parse_arguments, run_worker

SLOW_LOAD, SLOW_LOOK = 8.0, 1.5
"""How long they take then [s]."""
LENGTH = 400
"""Length that half an answer announces [bytes]."""


class BreakableEngine:
    """The engine it stands before, broken as the switches say."""

    def __init__(self, engine: Engine, switches: Switches) -> None:
        self._engine, self._switches = engine, switches
        self.labels = engine.labels

    def device_memory_mb(self) -> float:
        return self._engine.device_memory_mb()

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        if self._switches.is_on("slow_look"):
            time.sleep(SLOW_LOOK)
        if self._switches.is_on("hang"):
            Event().wait()
        if self._switches.is_on("half_answer"):
            answer_by_half(parse_arguments().socket)
        return self._engine.detect(frame, terms)


def answer_by_half(socket: int) -> None:
    """Send the length of an answer and a part of it, and fall silent."""
    os.write(socket, struct.pack("!i", LENGTH) + bytes(LENGTH // 2))
    Event().wait()


def breakable(loader: EngineLoader, switches: Switches) -> EngineLoader:
    """Loads what ``loader`` loads; a locator obeys the switches."""

    def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> Engine:
        if manifest.mode is not Mode.ON_DEMAND:
            return loader(manifest, folder, options)
        if switches.is_on("out_of_memory"):
            raise OutOfMemory("loading", "the device has none left")
        if switches.is_on("slow_activate"):
            time.sleep(SLOW_LOAD)
        return BreakableEngine(loader(manifest, folder, options), switches)

    return load


if __name__ == "__main__":
    run_worker(lambda name: breakable(engine_loader(name), inherited()))
