"""The ways a model fails, and the ways its code can break the line to its node."""
# MERGED An engine that fails in the way it is asked to, to see that only its worker suffers.
# MERGED A real engine with its model loaded, that fails when a frame of a camera named for a fault comes.

import mmap
import os
import resource
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from openral_core.detections import Box, Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.detector import labels_of
from openral_perception_ros.engines import (
    Engine,
    EngineFrame,
    EngineLoader,
    LoadOptions,
    MissingWeights,
    OutOfMemory,
    detections_from,
    engine_loader,
)

SLOW = 0.4
"""Time of a slow look [s]."""
HEADROOM = 1 << 27
"""Bytes of address space left to a model that allocates until it cannot."""


class InjectedModelError(RuntimeError):
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
    """As Python's own allocations end: MemoryError."""
    with _little_memory():
        hoard = []
        while True:
            hoard.append(np.ones(HEADROOM // 16, np.uint8))


def _hoard() -> list[Detection]:
    """As a native library ends when it gets no memory: the process aborts."""
    try:
        return _allocate()
    except MemoryError:
        os.abort()


def _refuse() -> list[Detection]:
    raise OutOfMemory("inference", "the device has none left")


def _break() -> list[Detection]:
    raise InjectedModelError("tensor sizes differ")


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


def _inherited(option: str) -> int:
    """A descriptor of this worker; any code that runs in it finds it."""
    return int(sys.argv[sys.argv.index(option) + 1])


def _say(data: bytes, fault: Callable[[], list[Detection]] = _hang) -> list[Detection]:
    os.write(_inherited("--socket"), data)
    return fault()


def _stammer() -> list[Detection]:
    """Half of a message's length, then nothing."""
    return _say(b"\0\0")


def _boast() -> list[Detection]:
    """The length of a message of 2 GB, then nothing."""
    return _say(b"\x7f\xff\xff\xff")


def _trail_off() -> list[Detection]:
    """A message of which a part never comes."""
    return _say(struct.pack("!i", 1000) + b"\x80" * 10)


def _babble() -> list[Detection]:
    """A whole message that is no msgpack."""
    return _say(struct.pack("!i", 1) + b"\xc1")


def _interrupt() -> list[Detection]:
    """An answer, and then the model's own."""
    from openral_perception_ros.inference.protocol import Detected, pack_reply

    data = pack_reply(Detected((), 0.0))
    return _say(2 * (struct.pack("!i", len(data)) + data))


def _shrink() -> list[Detection]:
    """The memory both share, made smaller under its node's hands."""
    try:
        os.ftruncate(_inherited("--arena"), 0)
    except PermissionError:  # sealed against it
        return [Detection(Box(1.0, 1.0, 5.0, 5.0), "sealed", 0.9)]
    return []


def _inflate() -> list[Detection]:
    """The memory both share, made larger than can be mapped."""
    os.ftruncate(_inherited("--arena"), (1 << 47) - mmap.PAGESIZE)
    return [Detection(Box(1.0, 1.0, 5.0, 5.0), "inflated", 0.9)]


@contextmanager
def _little_memory() -> Iterator[None]:
    """Leave this process `HEADROOM` and no more; what it had before afterwards."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + HEADROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


FAULTS: dict[str, Callable[[], list[Detection]]] = {
    "hang": _hang,
    "die": _die,
    "leave": _leave,
    "allocate": _allocate,
    "hoard": _hoard,
    "refuse": _refuse,
    "break": _break,
    "nan": _not_a_number,
    "sure": _too_sure,
    "outside": _outside,
    "slow": _slow,
}
LIES: Mapping[str, Callable[[], list[Detection]]] = {
    "stammer": _stammer,
    "boast": _boast,
    "trail off": _trail_off,
    "babble": _babble,
    "interrupt": _interrupt,
    "shrink": _shrink,
    "inflate": _inflate,
}
"""What costs the worker, and never its node; all but the last two are found out."""
FAULTS |= LIES


LOOK_TIME = "look_time"
"""Option of the manifest: how long every look takes [s]."""


class FaultyEngine:
    """Does what the first term says; other terms see a box each."""

    def __init__(self, labels: tuple[str, ...] = (), look_time: float = 0.0) -> None:
        self.labels, self._look_time = labels, look_time

    def device_memory_mb(self) -> float:
        """It uses no accelerator."""
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect` and `FAULTS`."""
        asked = tuple(terms or self.labels)
        time.sleep(self._look_time)
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
    return FaultyEngine(labels_of(manifest, folder), float(manifest.options.get(LOOK_TIME, 0.0)))


PREFIX = "fault:"


class InjectedEngine:
    """Another engine, but for frames of cameras such as ``fault:hang``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.labels = engine.labels

    def device_memory_mb(self) -> float:
        """See `Engine.device_memory_mb`."""
        return self._engine.device_memory_mb()

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect` and `FAULTS`."""
        if frame.camera.startswith(PREFIX):
            return FAULTS[frame.camera.removeprefix(PREFIX)]()
        return self._engine.detect(frame, terms)


def injected(name: str) -> EngineLoader:
    """The loader of one engine, wrapped."""

    def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> Engine:
        return InjectedEngine(engine_loader(name)(manifest, folder, options))

    return load
