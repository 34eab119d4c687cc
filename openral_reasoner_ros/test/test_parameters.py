"""Parameters of the reasoner: each budget line and rule reaches the settings of the core."""

from pathlib import Path

import pytest
from pydantic import ValidationError

pytest.importorskip("rclpy")
from openral_reasoner.budget import SearchBudget
from openral_reasoner_ros.parameters import ReasonerParameters


@pytest.mark.parametrize("line", sorted(SearchBudget.model_fields))
def test_every_line_of_the_budget_is_a_parameter(line: str) -> None:
    settings = ReasonerParameters(rskill_folders=(), **{line: 7}).settings()  # type: ignore[arg-type]
    assert getattr(settings.budget, line) == 7


def test_a_given_memory_budget_reaches_the_residency_rules() -> None:
    given = ReasonerParameters(rskill_folders=(), gpu_budget_mb=150.0, pinned=("eye",))
    residency = given.settings().residency
    assert (residency.budget, residency.pinned) == (150.0, ("eye",))


@pytest.mark.parametrize("change", [{"poll_period": 0.0}, {"seconds": 0.5}, {"brain": "oracle"}])
def test_a_value_outside_its_bounds_is_refused_by_name(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(change))):
        ReasonerParameters(rskill_folders=(), **change)  # type: ignore[arg-type]


def test_folders_are_paths_in_the_given_order() -> None:
    assert ReasonerParameters(rskill_folders=("/b", "/a")).folders == (Path("/b"), Path("/a"))
