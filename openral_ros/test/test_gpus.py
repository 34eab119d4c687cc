"""GPU memory, with the driver's library replaced by functions."""

from types import SimpleNamespace

import pynvml
import pytest

from openral_ros.gpus import gpu_total_mb, gpu_used_mb, gpus

CALLS = {
    "nvmlInit": lambda: None,
    "nvmlShutdown": lambda: None,
    "nvmlDeviceGetCount": lambda: 2,
    "nvmlDeviceGetHandleByIndex": lambda index: index,
    "nvmlDeviceGetName": lambda handle: f"card {handle}",
    "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(total=(8 + handle) * 1e9, used=2e9),
    "nvmlDeviceGetComputeRunningProcesses": lambda handle: [
        SimpleNamespace(pid=7, usedGpuMemory=5e8),
        SimpleNamespace(pid=8 + handle, usedGpuMemory=None),
    ],
}


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, call in CALLS.items():
        monkeypatch.setattr(pynvml, name, call)


def test_counts_what_each_process_holds_on_every_device(driver: None) -> None:
    assert [each.name for each in gpus()] == ["card 0", "card 1"]
    assert gpu_total_mb() == 9000.0
    assert gpu_used_mb([7]) == 1000.0
    assert gpu_used_mb([8, 99]) == 0.0


def test_a_machine_without_a_driver_has_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_driver() -> None:
        raise pynvml.NVMLError_LibraryNotFound

    monkeypatch.setattr(pynvml, "nvmlInit", no_driver)
    assert gpus() == ()
    assert gpu_total_mb() == 0.0
