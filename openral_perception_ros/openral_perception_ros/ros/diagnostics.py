"""A detector's health as diagnostic_msgs."""

import statistics
import time
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from openral_core.detectors import Health
from openral_perception_ros.supervision import Phase, Vitals

_STARTING = (Phase.LOADING, Phase.WAITING)


NO_FRAME_AGE = -1.0
TOLERANCE = 0.2
SLACK = 30.0
"""What a process differs by from one machine to the next, whatever its model: libraries, allocator [MB]."""


def inactive_status(name: str) -> DiagnosticStatus:
    """The status of a node without a worker."""
    return DiagnosticStatus(level=DiagnosticStatus.OK, name=name, message="inactive")


@dataclass(frozen=True, slots=True)
class Memory:
    """What the worker holds and what its manifest says [MB]."""

    measured: float
    declared: float

    @property
    def misdeclared(self) -> str:
        """Words when the manifest is wrong by more than a fifth of what is measured and `SLACK`."""
        allowed = max(TOLERANCE * self.measured, SLACK)
        if self.measured <= 0.0 or abs(self.measured - self.declared) <= allowed:
            return ""
        return f"memory is {self.measured:.0f} MB, declared {self.declared:.0f} MB"


def status_message(
    name: str, vitals: Vitals, memory: Memory, frame_age: float, skipped: int
) -> DiagnosticStatus:
    """One status; age in [s] or `NO_FRAME_AGE`. Memory that is misdeclared is a warning."""
    values = {
        "worker pid": vitals.pid,
        "memory [MB]": f"{memory.measured:.0f}",
        "declared memory [MB]": f"{memory.declared:.0f}",
        "last frame age [s]": f"{frame_age:.2f}" if frame_age >= 0.0 else "none",
        "answered": vitals.answered,
        "skipped frames": skipped,
        "restarts": vitals.restarts,
        "last error": vitals.last_error or "none",
        "health": vitals.health.name.lower(),
        "on trial": vitals.on_trial,
        **_next_start(vitals),
        **_inference_times(list(vitals.inference_times)),
    }
    level = _level(vitals)
    wrong = memory.misdeclared if level == DiagnosticStatus.OK else ""
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if wrong else level,
        name=name,
        message=f"{vitals.phase.value}; {wrong}" if wrong else vitals.phase.value,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )


def _level(vitals: Vitals) -> bytes:
    if vitals.health is Health.GIVEN_UP or vitals.phase is Phase.GAVE_UP:
        return bytes(DiagnosticStatus.ERROR)
    return bytes(DiagnosticStatus.WARN if vitals.phase in _STARTING else DiagnosticStatus.OK)


def _next_start(vitals: Vitals) -> dict[str, str]:
    waiting = vitals.next_start - time.monotonic()
    return {"next start in [s]": f"{waiting:.0f}"} if 0.0 < waiting < float("inf") else {}


def _inference_times(times: list[float]) -> dict[str, str]:
    if len(times) < 2:
        return {}
    steps = statistics.quantiles(times, n=20)
    return {"inference p50 [s]": f"{statistics.median(times):.4f}", "inference p95 [s]": f"{steps[18]:.4f}"}
