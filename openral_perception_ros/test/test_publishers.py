"""A detector's health in one status."""

import time

import pytest

pytest.importorskip("diagnostic_msgs")
from diagnostic_msgs.msg import DiagnosticStatus

from openral_core.detectors import Health
from openral_perception_ros.inference.worker_supervisor import WorkerPhase, WorkerStatus
from openral_perception_ros.publishers import NO_FRAME_AGE, CameraUse, MemoryUsage, status_message
from openral_perception_ros.scheduler import RequestQueue


@pytest.mark.parametrize(
    ("measured", "declared", "wrong"),
    [
        (1000.0, 1000.0, False),
        (1000.0, 810.0, False),
        (1000.0, 790.0, True),
        (1000.0, 1210.0, False),
        (71.0, 75.0, False),
        (71.0, 100.0, False),
        (71.0, 40.0, True),
        (145.0, 200.0, False),
        (0.0, 80.0, False),
    ],
)
def test_more_memory_than_declared_by_a_fifth_and_its_slack_is_a_warning_less_is_none(
    measured: float, declared: float, wrong: int
) -> None:
    status = status_message(
        "n", WorkerStatus(phase=WorkerPhase.IDLE), MemoryUsage(measured, declared), {}, RequestQueue(1)
    )
    assert (status.level == DiagnosticStatus.WARN) == bool(wrong)
    assert (f"declared {declared:.0f} MB" in status.message) == bool(wrong)


@pytest.mark.parametrize("phase", [WorkerPhase.DEGRADED, WorkerPhase.LOADING])
def test_a_detector_is_in_error_until_a_given_up_worker_is_back(phase: WorkerPhase) -> None:
    worker_status = WorkerStatus(phase=phase, health=Health.DEGRADED, next_start=time.monotonic() + 50.0)
    cameras = {"head": CameraUse(0.034, 9.96), "wrist": CameraUse(NO_FRAME_AGE, None)}
    status = status_message("n", worker_status, MemoryUsage(0.0, 80.0), cameras, RequestQueue(1))
    assert status.level == DiagnosticStatus.ERROR
    values = {value.key: value.value for value in status.values}
    assert values["health"] == "given_up"
    assert values["camera head"] == "10.0 looks/s, newest frame 0.03 s old"
    assert values["camera wrist"] == "no frame yet"
    assert 40.0 < float(values["next start in [s]"]) <= 50.0
