"""The conformance kit, as a user runs it, on the simulation: a base that drives in physics."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from skill_kit import LONGEST, Kit

pytestmark = pytest.mark.xdist_group("sim_node")
GOALS = {
    "quick": {"rskill": "look-at", "params": {"target": {"x": 1.0, "y": 4.2, "z": 0.9}}},
    "long": {"rskill": "navigate", "params": {"goal": {"x": 8.6, "y": 0.8}}},
}


def test_the_simulations_skill_server_conforms(bench_of: Any, sim_context: Any, tmp_path: Path) -> None:
    # In real time the long drive outlasts the kit.
    bench = bench_of(real_time_factor=1.0)
    kit = Kit(tmp_path, GOALS, "-rs", domain=sim_context.get_domain_id())
    bench.until(lambda: kit.ended, LONGEST)
    assert kit.passed, kit.output
    assert "motion after the end of a goal [m]: 0.0" in kit.output
