"""A detector's health in one status."""

import pytest

pytest.importorskip("diagnostic_msgs")
from diagnostic_msgs.msg import DiagnosticStatus

from openral_perception_ros.ros.diagnostics import Memory, status_message
from openral_perception_ros.supervision import Phase, Vitals


@pytest.mark.parametrize(
    ("measured", "declared", "wrong"),
    [
        (100.0, 100.0, False),
        (100.0, 81.0, False),
        (100.0, 79.0, True),
        (100.0, 121.0, True),
        (0.0, 80.0, False),
    ],
)
def test_memory_declared_wrong_by_more_than_a_fifth_is_a_warning(
    measured: float, declared: float, wrong: int
) -> None:
    status = status_message("n", Vitals(phase=Phase.IDLE), Memory(measured, declared), 0.1, 0)
    assert (status.level == DiagnosticStatus.WARN) == bool(wrong)
    assert (f"declared {declared:.0f} MB" in status.message) == bool(wrong)
