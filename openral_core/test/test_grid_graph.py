"""Free cells are joined to their neighbours, straight and diagonal, at the mean price of both."""

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from openral_core.grid_graph import grid_graph

CELL = 0.5


def test_a_cell_is_joined_to_its_eight_neighbours_both_ways() -> None:
    graph = grid_graph(np.ones((3, 3), dtype=bool), CELL).toarray()
    assert np.count_nonzero(graph[4]) == 8
    assert np.array_equal(graph, graph.T)
    assert sorted(set(graph[4])) == pytest.approx([0.0, CELL, CELL * math.sqrt(2.0)])


def test_an_occupied_cell_has_no_edges() -> None:
    free = np.ones((3, 3), dtype=bool)
    free[1, 1] = False
    graph = grid_graph(free, CELL).toarray()
    assert not graph[4].any()
    assert not graph[:, 4].any()


def test_a_path_goes_around_a_wall_and_costs_the_mean_price_of_its_cells() -> None:
    free = np.array([[True, False, True], [True, True, True]])
    field = dijkstra(grid_graph(free, CELL), indices=0)
    assert field[2] == pytest.approx(2 * CELL * math.sqrt(2.0))
    priced = dijkstra(grid_graph(free, CELL, np.where(free, 3.0, 1.0)), indices=0)
    assert priced[2] == pytest.approx(3.0 * field[2])
    assert math.isinf(field[1])
