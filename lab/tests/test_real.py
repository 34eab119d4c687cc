"""Published detectors on photographs, lift and mapper keep their figures, `home-tiny` what its pages say."""

from importlib import import_module

import pytest


@pytest.mark.real
@pytest.mark.timeout(600)
def test_figures_on_real_data_reach_their_floors() -> None:
    real = import_module("benchmarks.real")
    measured = real.run()
    rows = {each["detector"]: each for each in measured if "detector" in each}
    assert set(rows) == {*real.FLOORS, *real.CEILINGS}
    low = {name: rows[name] for name, floor in real.FLOORS.items() if rows[name]["AP50"] < floor}
    assert not low
    high = {name: rows[name] for name, ceiling in real.CEILINGS.items() if rows[name]["AP50"] >= ceiling}
    assert not high
    asked = {str(each["questions"]): each for each in measured if "questions" in each}
    assert sum(each["not understood"] for each in asked.values()) <= real.NOT_UNDERSTOOD
    assert not [each for each in asked.values() if each["recall"] < each["detector's recall"]]
    assert asked["exists"]["wrong"] <= real.WRONG_YES
    lifts = [each for each in measured if each.get("bench") == "lift"]
    assert len(lifts) == len(real.stereo_lift.SCALES)
    assert max(each["unflagged above 5 cm [%]"] for each in lifts) <= real.WORST_LIFT
    assert max(each["median [cm]"] for each in lifts) <= real.MEDIAN_LIFT
    floor, matching = (each for each in measured if str(each.get("case")).startswith("lounge"))
    assert floor["occupied [%]"] <= real.WRONG_FLOOR
    assert floor["shown as free [%]"] <= real.LOST_OBSTACLES
    assert matching["largest [cm]"] <= real.ADDED_ERROR
