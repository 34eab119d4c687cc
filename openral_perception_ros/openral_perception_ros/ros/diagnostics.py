"""A detector's health as diagnostic_msgs."""

import statistics

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from openral_perception_ros.supervision import Phase, Vitals

_LEVELS = {
    Phase.LOADING: DiagnosticStatus.WARN,
    Phase.WAITING: DiagnosticStatus.WARN,
    Phase.GAVE_UP: DiagnosticStatus.ERROR,
}


NO_FRAME_AGE = -1.0


def inactive_status(name: str) -> DiagnosticStatus:
    """The status of a node without a worker."""
    return DiagnosticStatus(level=DiagnosticStatus.OK, name=name, message="inactive")


def status_message(
    name: str, vitals: Vitals, memory_mb: float, frame_age: float, skipped: int
) -> DiagnosticStatus:
    """One status. Memory in [MB], age in [s] or `NO_FRAME_AGE`."""
    values = {
        "worker pid": vitals.pid,
        "memory [MB]": f"{memory_mb:.0f}",
        "last frame age [s]": f"{frame_age:.2f}" if frame_age >= 0.0 else "none",
        "answered": vitals.answered,
        "skipped frames": skipped,
        "restarts": vitals.restarts,
        "last error": vitals.last_error or "none",
        **_inference_times(list(vitals.inference_times)),
    }
    return DiagnosticStatus(
        level=_LEVELS.get(vitals.phase, DiagnosticStatus.OK),
        name=name,
        message=vitals.phase.value,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )


def _inference_times(times: list[float]) -> dict[str, str]:
    if len(times) < 2:
        return {}
    steps = statistics.quantiles(times, n=20)
    return {"inference p50 [s]": f"{statistics.median(times):.4f}", "inference p95 [s]": f"{steps[18]:.4f}"}
