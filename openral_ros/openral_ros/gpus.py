"""GPU memory as the driver counts it; a machine without a driver has no GPUs."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pynvml

MB = 1e6


@dataclass(frozen=True, slots=True)
class Gpu:
    """One device; memory in [MB], ``used_by`` by process id."""

    name: str
    total: float
    used: float
    used_by: dict[int, float]


def gpus() -> tuple[Gpu, ...]:
    """Every GPU of this machine."""
    with _driver() as count:
        return tuple(_gpu(index) for index in range(count))


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
        yield pynvml.nvmlDeviceGetCount()
    finally:
        pynvml.nvmlShutdown()


def _gpu(index: int) -> Gpu:
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    name = pynvml.nvmlDeviceGetName(handle)
    running = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
    used_by = {each.pid: (each.usedGpuMemory or 0) / MB for each in running}
    return Gpu(str(name), memory.total / MB, memory.used / MB, used_by)
