"""Some cells of the matrix of backend faults; `python -m benchmarks backend_faults` runs all of them."""

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("moveit_msgs", reason="the interfaces of MoveIt are not built: make robot")

from backend_faults import CELLS, EXPECTED, PHASES, try_cell

CHOSEN = [
    ("dies and returns", "mid-motion", "moveit"),
    ("false success", "at the end", "gripper"),
    ("client gone", "mid-motion", "nav2"),
    ("accepts too late", "before accept", "gripper"),
]


@pytest.mark.parametrize("cell", CHOSEN, ids=":".join)
def test_a_fault_ends_typed_leaves_nothing_running_and_the_next_goal_is_reached(
    cell: tuple[str, str, str],
) -> None:
    assert cell in CELLS
    row = try_cell(*cell)
    assert row["ok"] == "yes", row


def test_every_fault_comes_in_every_phase_at_some_backend() -> None:
    assert {(fault, phase) for fault, phase, _ in CELLS} == {
        (fault, phase) for fault in EXPECTED for phase in PHASES
    }
    assert len(EXPECTED) == 20
