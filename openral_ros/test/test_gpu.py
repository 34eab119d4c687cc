"""GPU memory, with the driver's library replaced by functions."""

from types import SimpleNamespace

import pynvml
import pytest

from openral_ros.gpu import gpu_total_mb, gpu_used_mb, gpus

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
    assert [item.name for item in gpus()] == ["card 0", "card 1"]
    assert gpu_total_mb() == 9000.0
    assert gpu_used_mb([7]) == 1000.0
    assert gpu_used_mb([8, 99]) == 0.0


def test_a_machine_without_a_driver_has_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_driver() -> None:
        raise pynvml.NVMLError_LibraryNotFound

    monkeypatch.setattr(pynvml, "nvmlInit", no_driver)
    assert gpus() == ()
    assert gpu_total_mb() == 0.0


@pytest.mark.parametrize(
    ("silent", "found"),
    [
        ("nvmlDeviceGetMemoryInfo", ()),
        ("nvmlDeviceGetHandleByIndex", ()),
        ("nvmlDeviceGetCount", ()),
        ("nvmlDeviceGetComputeRunningProcesses", ("card 0", "card 1")),
        ("nvmlDeviceGetName", ("GPU 0", "GPU 1")),
        ("nvmlShutdown", ("card 0", "card 1")),
    ],
)
def test_what_the_driver_does_not_tell_is_not_known_and_said_once(
    driver: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    silent: str,
    found: tuple[str, ...],
) -> None:
    def refuse(*_: object) -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)

    monkeypatch.setattr(pynvml, silent, refuse)
    monkeypatch.setattr("openral_ros.gpu._unreported", set())
    assert tuple(item.name for item in gpus()) == found
    assert tuple(item.name for item in gpus()) == found
    assert gpu_used_mb([8]) == 0.0
    assert len(set(caplog.messages)) == len(caplog.messages)
