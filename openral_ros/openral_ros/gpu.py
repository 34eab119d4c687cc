"""GPU memory as the driver counts it.

A machine without a driver has no GPUs. Where the driver does not tell something (unified memory, a virtual
GPU), it is not known: such a device has no total of its own, which is said once.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

import pynvml

MB = 1e6
T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gpu:
    """One device; memory in [MB], ``used_by`` by process id."""

    name: str
    total: float
    used: float
    used_by: dict[int, float]


def gpus() -> tuple[Gpu, ...]:
    """Every GPU whose memory the driver tells."""
    with _driver() as count:
        found = (_gpu(index) for index in range(count))
        return tuple(each for each in found if each is not None)


def gpu_total_mb() -> float:
    """Memory of the largest GPU [MB]; 0 without one."""
    return max((each.total for each in gpus()), default=0.0)


def gpu_used_mb(pids: Collection[int]) -> float:
    """What these processes hold on all GPUs together [MB]."""
    return sum(used for gpu in gpus() for pid, used in gpu.used_by.items() if pid in pids)


@contextmanager
def _driver() -> Iterator[int]:
    """The number of devices; 0 where the driver cannot be had."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        yield 0
        return
    try:
        yield _asked("the number of GPUs", pynvml.nvmlDeviceGetCount) or 0
    finally:
        with suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def _gpu(index: int) -> Gpu | None:
    """One device; None when its memory is not told."""
    handle = _asked(f"GPU {index}", pynvml.nvmlDeviceGetHandleByIndex, index)
    if handle is None:
        return None
    memory = _asked(f"the memory of GPU {index}", pynvml.nvmlDeviceGetMemoryInfo, handle)
    if memory is None:
        return None
    name = _asked(f"the name of GPU {index}", pynvml.nvmlDeviceGetName, handle) or f"GPU {index}"
    running = _asked(f"the processes on GPU {index}", pynvml.nvmlDeviceGetComputeRunningProcesses, handle)
    used_by = {each.pid: (each.usedGpuMemory or 0) / MB for each in running or ()}
    return Gpu(str(name), memory.total / MB, memory.used / MB, used_by)


_not_told: set[str] = set()


def _asked(what: str, question: Callable[..., T], *arguments: object) -> T | None:
    """What the driver answers; None, said once, when it does not tell."""
    try:
        return question(*arguments)
    except pynvml.NVMLError as error:
        if what not in _not_told:
            _not_told.add(what)
            _log.warning("the driver does not tell %s: %s", what, error)
        return None
