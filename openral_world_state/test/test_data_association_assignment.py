"""One to one, and the cheapest together."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_world_state.data_association import solve_assignment

ROWS = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.floats(0.0, 2.9), max_size=4), min_size=1, max_size=4
)


def total(rows: list[dict[str, float]], chosen: list[str | None]) -> float:
    return sum(row[c] if c is not None else 3.0 for row, c in zip(rows, chosen, strict=True))


@given(ROWS)
def test_no_two_rows_share_a_column(rows: list[dict[str, float]]) -> None:
    chosen = [item for item in solve_assignment(rows) if item is not None]
    assert len(chosen) == len(set(chosen))


@given(ROWS)
def test_only_offered_columns_are_chosen(rows: list[dict[str, float]]) -> None:
    assert all(item is None or item in row for row, item in zip(rows, solve_assignment(rows), strict=True))


@given(ROWS)
def test_nothing_cheaper_exists(rows: list[dict[str, float]]) -> None:
    columns = [*"abcd", *([None] * len(rows))]
    possible = (
        list(p)
        for p in set(permutations(columns, len(rows)))
        if all(c is None or c in row for row, c in zip(rows, p, strict=True))
    )
    assert total(rows, solve_assignment(rows)) == pytest.approx(min(total(rows, p) for p in possible))


def test_nearest_first_would_be_worse() -> None:
    assert solve_assignment([{"left": 0.1, "right": 0.2}, {"left": 0.15}]) == ["right", "left"]
