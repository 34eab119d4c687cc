"""Fault injection: faults of models and of their worker protocol, and two engines that trigger them.

`FaultyEngine` fails as the first term of a request says; `InjectedEngine` wraps a real engine and fails on
frames of cameras named after a fault.
"""

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

from openral_core.detectors import Box, Detection
from openral_core.rskills import DetectorManifest
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
from openral_perception_ros.engines.vocabulary import load_labels

SLOW = 0.4
"""Duration of a slow inference [s]."""
HEADROOM = 1 << 27
"""Address space left to a model that exhausts its memory [bytes]."""


class InjectedModelError(RuntimeError):
    """An arbitrary exception of a model's own code."""


def _hang() -> list[Detection]:
    threading.Event().wait()
    return []


def _die() -> list[Detection]:
    os.kill(os.getpid(), signal.SIGKILL)
    return _hang()


def _leave() -> list[Detection]:
    os._exit(3)


def _allocate() -> list[Detection]:
    """Exhaust memory as Python allocations do, with MemoryError."""
    with _little_memory():
        hoard = []
        while True:
            hoard.append(np.ones(HEADROOM // 16, np.uint8))


def _hoard() -> list[Detection]:
    """Exhaust memory as native libraries do, with abort(3)."""
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
    """Find a descriptor of this worker, as any code in it can."""
    return int(sys.argv[sys.argv.index(option) + 1])


def _say(data: bytes, fault: Callable[[], list[Detection]] = _hang) -> list[Detection]:
    os.write(_inherited("--socket"), data)
    return fault()


def _stammer() -> list[Detection]:
    """Send half of a length prefix and nothing more."""
    return _say(b"\0\0")


def _boast() -> list[Detection]:
    """Announce a message of 2 GB and send nothing more."""
    return _say(b"\x7f\xff\xff\xff")


def _trail_off() -> list[Detection]:
    """Send an incomplete message."""
    return _say(struct.pack("!i", 1000) + b"\x80" * 10)


def _babble() -> list[Detection]:
    """Send a complete message that is not msgpack."""
    return _say(struct.pack("!i", 1) + b"\xc1")


def _interrupt() -> list[Detection]:
    """Send two replies to one request."""
    from openral_perception_ros.inference.ipc import Detected, pack_reply

    data = pack_reply(Detected((), 0.0))
    return _say(2 * (struct.pack("!i", len(data)) + data))


def _shrink() -> list[Detection]:
    """Shrink the shared memory while the node uses it."""
    try:
        os.ftruncate(_inherited("--arena"), 0)
    except PermissionError:  # sealed against it
        return [Detection(Box(1.0, 1.0, 5.0, 5.0), "sealed", 0.9)]
    return []


def _inflate() -> list[Detection]:
    """Grow the shared memory beyond what can be mapped."""
    os.ftruncate(_inherited("--arena"), (1 << 47) - mmap.PAGESIZE)
    return [Detection(Box(1.0, 1.0, 5.0, 5.0), "inflated", 0.9)]


@contextmanager
def _little_memory() -> Iterator[None]:
    """Limit this process to `HEADROOM` more memory within the context."""
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
"""Protocol faults: they may cost the worker, never the node; all but the last two are detected."""
FAULTS |= LIES


LOOK_TIME = "look_time"
"""Manifest option: duration of every inference [s]."""


class FaultyEngine:
    """Engine that triggers the fault named by the first term, else finds one box per term."""

    def __init__(self, labels: tuple[str, ...] = (), look_time: float = 0.0) -> None:
        self.labels, self._look_time = labels, look_time

    def device_memory_mb(self) -> float:
        """Return 0: it uses no accelerator."""
        return 0.0

    def detect(self, frame: EngineFrame, terms: Sequence[str] | None) -> list[Detection]:
        """See `Engine.detect` and `FAULTS`."""
        labels = tuple(terms or self.labels)
        time.sleep(self._look_time)
        if labels and labels[0] in FAULTS:
            return FAULTS[labels[0]]()
        return [Detection(Box(1.0, 1.0, 5.0, 5.0), term, 0.9) for term in labels]


def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> Engine:
    """Load the engine, or trigger the fault named by the manifest's option ``load``."""
    fault = str(manifest.options.get("load", ""))
    if fault == "missing_weights":
        raise MissingWeights(manifest, [folder / "weights"])
    if fault in FAULTS:
        FAULTS[fault]()
    return FaultyEngine(load_labels(manifest, folder), float(str(manifest.options.get(LOOK_TIME, 0.0))))


PREFIX = "fault:"


class InjectedEngine:
    """Wrapper of an engine that triggers faults on frames of cameras such as ``fault:hang``."""

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
    """Return an engine's loader, wrapped with fault injection."""

    def load(manifest: DetectorManifest, folder: Path, options: LoadOptions) -> Engine:
        return InjectedEngine(engine_loader(name)(manifest, folder, options))

    return load
