"""Spatial index: the same answers as a search through every id."""

import math

from hypothesis import given
from hypothesis import strategies as st

from openral_world_state.spatial_memory.spatial_index import Point, SpatialIndex

COORDINATE = st.floats(-3.0, 3.0)
POINT = st.tuples(COORDINATE, COORDINATE, COORDINATE)
CHANGES = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | POINT), max_size=40)


def index_of(points: dict[str, Point]) -> SpatialIndex:
    index = SpatialIndex()
    for name, point in points.items():
        index.put(name, point)
    return index


@given(CHANGES, POINT, st.floats(0.0, 4.0))
def test_finds_what_a_search_through_all_ids_finds(
    changes: list[tuple[str, Point | None]], center: Point, radius: float
) -> None:
    index, kept = SpatialIndex(), dict[str, Point]()
    for name, point in changes:
        if point is None:
            index.remove(name)
            kept.pop(name, None)
        else:
            index.put(name, point)
            kept[name] = point
    expected = {name: math.dist(center, point) for name, point in kept.items()}
    assert dict(index.within(center, radius)) == {n: d for n, d in expected.items() if d <= radius}
    assert len(index) == len(kept)


def test_counts_the_ids_of_one_cell_only() -> None:
    index = index_of({"a": (0.1, 0.1, 0.1), "b": (0.4, 0.4, 0.4), "c": (0.6, 0.1, 0.1)})
    assert [index.count(point) for point in ((0.2, 0.2, 0.2), (0.9, 0.2, 0.2), (5.0, 5.0, 5.0))] == [2, 1, 0]


def test_a_moved_id_is_no_longer_found_at_its_old_position() -> None:
    index = index_of({"mug_1": (0.0, 0.0, 0.0)})
    index.put("mug_1", (4.0, 0.0, 0.0))
    assert not list(index.within((0.0, 0.0, 0.0), 1.0))
    assert list(index.within((4.0, 0.0, 0.0), 1.0)) == [("mug_1", 0.0)]


def test_coordinates_too_large_for_a_cell_number_are_still_found() -> None:
    far = (1e300, 0.0, 0.0)
    assert list(index_of({"far": far}).within(far, 1.0)) == [("far", 0.0)]
