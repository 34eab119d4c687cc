"""GPU memory as reported by the NVIDIA driver.

A machine without a driver has no GPUs. A device whose memory the driver does not report (unified memory,
virtual GPUs) is left out; a warning is logged once.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from openral_core.lazy_modules import lazy_module

pynvml = lazy_module("pynvml")
MB = 1e6
"""Bytes per megabyte."""
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
    """Return every GPU whose memory the driver reports."""
    with nvml_driver() as count:
        devices = (_gpu(index) for index in range(count))
        return tuple(gpu for gpu in devices if gpu is not None)


def gpu_total_mb() -> float:
    """Return the memory of the largest GPU [MB]; 0 without one."""
    return max((gpu.total for gpu in gpus()), default=0.0)


def gpu_used_mb(pids: Collection[int]) -> float:
    """Return the memory used by these processes on all GPUs [MB]."""
    return sum(used for gpu in gpus() for pid, used in gpu.used_by.items() if pid in pids)


@contextmanager
def nvml_driver() -> Iterator[int]:
    """Initialise the driver and yield the number of devices; 0 without a driver."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        yield 0
        return
    try:
        yield _query("the number of GPUs", pynvml.nvmlDeviceGetCount) or 0
    finally:
        with suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def _gpu(index: int) -> Gpu | None:
    """Return one device; None if the driver does not report its memory."""
    handle = _query(f"GPU {index}", pynvml.nvmlDeviceGetHandleByIndex, index)
    if handle is None:
        return None
    memory = _query(f"the memory of GPU {index}", pynvml.nvmlDeviceGetMemoryInfo, handle)
    if memory is None:
        return None
    name = _query(f"the name of GPU {index}", pynvml.nvmlDeviceGetName, handle) or f"GPU {index}"
    running = _query(f"the processes on GPU {index}", pynvml.nvmlDeviceGetComputeRunningProcesses, handle)
    used_by = {process.pid: (process.usedGpuMemory or 0) / MB for process in running or ()}
    return Gpu(str(name), memory.total / MB, memory.used / MB, used_by)


_unreported: set[str] = set()


def _query(what: str, function: Callable[..., T], *arguments: object) -> T | None:
    """Return the answer of the driver; None, with one warning, if it has none."""
    try:
        return function(*arguments)
    except pynvml.NVMLError as error:
        if what not in _unreported:
            _unreported.add(what)
            _log.warning("the driver does not report %s: %s", what, error)
        return None
