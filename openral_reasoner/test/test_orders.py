"""Laws of the order in which to search."""

from math import dist

from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.search.ordering import LOOKAHEAD, SearchStop, order_by_expected_time

POINTS = st.lists(st.tuples(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0)), max_size=LOOKAHEAD + 4)
STOPS = st.builds(SearchStop, st.floats(0.0, 1.0), st.floats(0.5, 10.0))


def expected(order: list[int], stops: list[SearchStop], points: list[tuple[float, float]]) -> float:
    """Cost until it is found, the robot starting at the origin."""
    at, reached, total = (0.0, 0.0), 0.0, 0.0
    for index in order:
        reached += dist(at, points[index]) + stops[index].effort
        total += stops[index].chance * reached
        at = points[index]
    return total


@given(POINTS, st.data())
def test_every_stop_comes_once_and_no_two_neighbours_should_change_places(
    points: list[tuple[float, float]], data: st.DataObject
) -> None:
    stops = [data.draw(STOPS) for _ in points]
    between = [[dist(a, b) for b in points] for a in points]
    order = order_by_expected_time(stops, [dist((0.0, 0.0), p) for p in points], between)
    assert sorted(order) == list(range(len(points)))
    head = order[:LOOKAHEAD]
    for i in range(len(head) - 1):
        other = [*head[:i], head[i + 1], head[i], *head[i + 2 :]]
        assert expected(head, stops, points) <= expected(other, stops, points) + 1e-6


def test_a_likely_stop_far_away_waits_for_a_near_one_on_the_way() -> None:
    stops = [SearchStop(0.5, 1.0), SearchStop(0.2, 1.0)]
    assert order_by_expected_time(stops, [10.0, 5.0], [[0.0, 5.0], [5.0, 0.0]]) == [1, 0]


def test_a_very_likely_stop_is_worth_going_past_an_unlikely_one() -> None:
    stops = [SearchStop(0.9, 1.0), SearchStop(0.01, 5.0)]
    assert order_by_expected_time(stops, [10.0, 5.0], [[0.0, 5.0], [5.0, 0.0]]) == [0, 1]
