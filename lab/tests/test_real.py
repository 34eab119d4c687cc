"""Published detectors on photographs reach their floors, and `home-tiny` is what its pages say."""

from importlib import import_module

import pytest


@pytest.mark.real
@pytest.mark.timeout(600)
def test_detectors_on_photographs_reach_their_floors() -> None:
    real = import_module("benchmarks.real")
    measured = real.run()
    rows = {each["detector"]: each for each in measured if "detector" in each}
    assert set(rows) == {*real.FLOORS, *real.CEILINGS}
    low = {name: rows[name] for name, floor in real.FLOORS.items() if rows[name]["AP50"] < floor}
    assert not low
    high = {name: rows[name] for name, ceiling in real.CEILINGS.items() if rows[name]["AP50"] >= ceiling}
    assert not high
    lifts = [each for each in measured if "detector" not in each]
    assert len(lifts) == len(real.stereo_lift.SCALES)
    assert max(each["unflagged above 5 cm [%]"] for each in lifts) <= real.WORST_LIFT
    assert max(each["median [cm]"] for each in lifts) <= real.MEDIAN_LIFT
