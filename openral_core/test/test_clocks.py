"""An age that no sensor can have names the clock."""

import pytest

from openral_core.clocks import clock_hint


@pytest.mark.parametrize(
    ("age", "hinted"), [(0.5, False), (86_400.0, False), (1795848927.5, True), (-1.8e9, True)]
)
def test_only_the_age_of_another_clock_names_use_sim_time(age: float, hinted: bool) -> None:
    assert ("use_sim_time" in clock_hint(age)) is hinted
