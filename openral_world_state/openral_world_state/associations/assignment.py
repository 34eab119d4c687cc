"""Which observation is which remembered object: one to one, the cheapest together."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

Costs = Sequence[dict[str, float]]
_UNMATCHED = 3.0


def assign(costs: Costs) -> list[str | None]:
    """For each row the column it is matched to, None for none.

    Args:
        costs: For each row the columns it may be matched to, each cost below 3.
    """
    taken: dict[str, int] = {}
    for row in costs:
        for column in row:
            taken[column] = taken.get(column, 0) + 1
    easy = all(len(row) <= 1 and all(taken[column] == 1 for column in row) for row in costs)
    return [next(iter(row), None) for row in costs] if easy else _optimal(costs, sorted(taken))


def _optimal(costs: Costs, columns: list[str]) -> list[str | None]:
    place = {name: index for index, name in enumerate(columns)}
    matrix = np.full((len(costs), len(columns) + len(costs)), _UNMATCHED)
    for index, row in enumerate(costs):
        for name, value in row.items():
            matrix[index, place[name]] = value
    result: list[str | None] = [None] * len(costs)
    for index, column in zip(*linear_sum_assignment(matrix), strict=True):
        if column < len(columns) and columns[column] in costs[index]:
            result[index] = columns[column]
    return result
