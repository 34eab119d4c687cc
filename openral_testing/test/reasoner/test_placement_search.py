"""Homes of a placement table, and the order in which their places are searched."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from openral_core.documents import InvalidDocument
from openral_reasoner.likely_places.belief import BeliefWeights
from openral_testing.reasoner.placement_search import (
    TableResult,
    nearest_first,
    path_share,
    planned,
    result_rows,
    search_table,
    table_text,
)
from openral_testing.reasoner.placement_table import PlacementTable, Whereabouts, draw_home, draw_target

KITCHEN = tuple(Whereabouts(room="kitchen", place=place) for place in ("fridge", "counter", "sink", "drawer"))
BEDROOM = tuple(Whereabouts(room="bedroom", place=place) for place in ("bed", "wardrobe", "chair"))
TABLE = PlacementTable(
    name="ours",
    origin="this file",
    licence="ours",
    objects={
        "milk": KITCHEN[:1],
        "fork": KITCHEN[3:],
        "gizmo": (*KITCHEN, *BEDROOM),
        "pillow": BEDROOM[:1],
        "sock": BEDROOM[1:2],
    },
)


def test_a_seed_is_one_home() -> None:
    assert draw_home(TABLE, Random(3), "milk", 0.2) == draw_home(TABLE, Random(3), "milk", 0.2)


@pytest.mark.parametrize("seed", range(10))
def test_a_target_is_where_the_table_says(seed: int) -> None:
    home, place = draw_home(TABLE, Random(seed), "sock", 0.0)
    assert home.places[place].label == "wardrobe"
    assert home.places[place].occludes
    assert home.rooms[home.places[place].room] == "bedroom"
    assert all(item.label != "sock" for item in home.objects.values())


def test_odd_targets_are_anywhere() -> None:
    places = {draw_home(TABLE, Random(seed), "sock", 1.0)[1].rpartition("_")[0] for seed in range(40)}
    assert len(places) > 3


def test_frequent_targets_are_drawn_more_often() -> None:
    often = TABLE.model_copy(update={"frequency": {"milk": 50.0}})
    assert sum(draw_target(often, Random(seed)) == "milk" for seed in range(100)) > 60


def test_the_direct_way_has_the_whole_share() -> None:
    home, place = draw_home(TABLE, Random(1), "milk", 0.0)
    assert path_share(home, iter([place]), place) == pytest.approx(1.0)


def test_a_detour_has_less() -> None:
    home, place = draw_home(TABLE, Random(1), "milk", 0.0)
    other = max(home.places, key=lambda each: abs(home.places[each].x - home.x))

    def order() -> Iterator[str]:
        yield from (other, place)

    assert other == place or path_share(home, order(), place) < 1.0


def test_every_policy_visits_every_place_once() -> None:
    home, _ = draw_home(TABLE, Random(5), "milk", 0.0)
    for policy in (nearest_first, planned(BeliefWeights()), planned(BeliefWeights(), lambda _: ("bed",))):
        assert sorted(policy(home, "milk")) == sorted(home.places)


def test_priors_shorten_the_way() -> None:
    policies = {"nearest first": nearest_first, "planner": planned(BeliefWeights())}
    result = search_table(TABLE, 60, 0, 0.2, policies)
    ratio, low, high = result.ratio("planner")
    assert ratio > 1.1
    assert low < ratio < high


def test_classes_need_enough_homes() -> None:
    spl = {"nearest first": np.full(80, 0.5), "planner": np.array([0.6] * 60 + [0.4] * 20)}
    result = TableResult("ours", ["food"] * 60 + ["tool"] * 20, spl)
    assert list(result.by_class("planner")) == ["food"]
    assert result.by_class("planner")["food"] == pytest.approx((60, 1.2, 1.2, 1.2))
    assert [row["policy"] for row in result_rows(result)] == ["nearest first", "planner", "planner: food"]
    assert len(table_text(result_rows(result)).splitlines()) == 5


def test_a_table_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(TABLE.model_dump_json())
    assert PlacementTable.read(path) == TABLE


def test_a_wrong_table_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "table.yaml"
    path.write_text("name: x\norigin: y\nlicence: z\nobjects: {milk: [{room: kitchen}]}\n")
    with pytest.raises(InvalidDocument, match="place"):
        PlacementTable.read(path)
