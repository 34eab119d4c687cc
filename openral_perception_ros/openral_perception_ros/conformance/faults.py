"""The ways a model fails."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from openral_core.detections import Box, Detection
from openral_perception_ros.engines import OutOfMemory, detections_from

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


FAULTS: Mapping[str, Callable[[], list[Detection]]] = {
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
