"""Map of what was seen of a BabyAI level: views, ways over seen cells, and where to look next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_household_benchmark.babyai_grid import (
    AHEAD,
    VIEW,
    CellContent,
    SeenGrid,
    View,
    neighbours,
    shifted,
)

SIGNS = {
    "#": CellContent("wall", "grey"),
    ".": CellContent("empty"),
    "o": CellContent("ball", "red"),
    "k": CellContent("key", "blue"),
    "/": CellContent("door", "green"),
    "D": CellContent("door", "green", 1),
    "L": CellContent("door", "green", 2),
}


def grid_of(*rows: str, direction: int = 0) -> SeenGrid:
    """Return a grid drawn in signs; the robot is at "R", which becomes the origin."""
    drawn = {(x, y): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
    x0, y0 = next(cell for cell, sign in drawn.items() if sign == "R")
    grid = SeenGrid(direction)
    grid.cells |= {(x - x0, y - y0): SIGNS[sign] for (x, y), sign in drawn.items() if sign in SIGNS}
    return grid


def follow(grid: SeenGrid, actions: tuple[str, ...]) -> None:
    """Carry out actions in a level where a toggled door opens."""
    for action in actions:
        ahead = shifted(*grid.state)
        if action == "toggle":
            grid.cells[ahead] = SIGNS["/"]
        grid.act(action)


def view_of(**cells: tuple[int, int, int]) -> View:
    """Return a view of nothing but some cells, named i_j."""
    return [[cells.get(f"c{i}_{j}", (0, 0, 0)) for j in range(VIEW)] for i in range(VIEW)]


@pytest.mark.parametrize("direction", range(4))
def test_a_view_is_placed_by_the_direction_of_the_robot(direction: int) -> None:
    grid = SeenGrid(direction)
    seen = grid.see(view_of(c3_4=(6, 0, 0), c5_6=(4, 1, 2)))
    (dx, dy), (rx, ry) = AHEAD[direction], AHEAD[(direction + 1) % 4]
    assert seen == {
        (2 * dx, 2 * dy): CellContent("ball", "red"),
        (2 * rx, 2 * ry): CellContent("door", "green", 2),
    }
    assert [each.label for each in seen.values()] == ["red ball", "green door"]


def test_its_own_cell_shows_what_the_robot_carries() -> None:
    grid = SeenGrid(0)
    grid.see(view_of(c3_6=(5, 2, 0)))
    assert grid.carried == "blue key"
    grid.see(view_of(c3_6=(1, 0, 0)))
    assert grid.carried == ""
    assert grid.cells[0, 0].kind == "empty"


@pytest.mark.parametrize(
    ("rows", "steps"),
    [
        (("R..o",), ("forward", "forward")),
        (("o.R",), ("right", "right", "forward")),
        (("R.D.o",), ("forward", "toggle", "forward", "forward")),
        (("R./.o",), ("forward", "forward", "forward")),
        (("R.L.o",), None),
        (("R#o",), None),
        (("Rk.o",), None),
        (("Rk.o", "...."), ("right", "forward", "left", "forward", "forward", "forward", "left")),
    ],
)
def test_faces_a_cell_over_seen_cells_and_through_doors_that_are_not_locked(
    rows: tuple[str, ...], steps: tuple[str, ...] | None
) -> None:
    grid = grid_of(*rows)
    target = next(cell for cell, content in grid.cells.items() if content.kind == "ball")
    way = grid.way_to_face([target])
    assert way == steps
    if way is not None:
        follow(grid, way)
        assert shifted(*grid.state) == target


def test_does_not_walk_into_what_is_in_the_way() -> None:
    grid = grid_of("R#")
    grid.act("forward")
    assert grid.cell == (0, 0)


def test_puts_down_in_empty_cells_alone() -> None:
    grid = grid_of("R.#", ".o.", ".Dk")
    ball = next(cell for cell, content in grid.cells.items() if content.kind == "ball")
    assert set(grid.beside(ball)) == {(1, 0), (2, 1)}, "(0, 1) leads to the door"


def test_puts_nothing_down_in_the_way_unless_there_is_no_other_place() -> None:
    grid = grid_of("R.#.", "....", ".o#.")
    assert set(grid.beside((1, 2))) == {(0, 2)}, "(1, 1) leads to the other room"
    grid = grid_of("R.#.", "....", "#o#.")
    assert set(grid.beside((1, 2))) == {(1, 1)}


def test_a_closed_door_is_opened_only_when_the_room_was_seen() -> None:
    room = ("#####", "#...#", "#.R.D", "#.. #", "#####")
    grid = grid_of(*room)
    first = grid.way_to_explore()
    assert first is not None
    assert "toggle" not in first[0]
    assert first[1] == {(1, 1)}
    grid.cells[1, 1] = SIGNS["."]
    then = grid.way_to_explore()
    assert then is not None
    assert "toggle" in then[0]
    assert then[1] == {(3, 0)}
    before = grid.share_seen()
    grid.cells[3, 0] = SIGNS["#"]
    assert grid.way_to_explore() is None
    assert before < grid.share_seen() == 1.0


def test_nothing_is_seen_behind_a_wall() -> None:
    grid = grid_of("R#.")
    assert (1, 0) in grid.visible_from(grid.state, through_unseen=True)
    assert (2, 0) not in grid.visible_from(grid.state, through_unseen=False)


@given(st.lists(st.sampled_from(["left", "right", "forward"]), max_size=30))
def test_what_was_walked_is_walked_back(actions: list[str]) -> None:
    grid = grid_of(*(["." * 21] * 10), "." * 10 + "R" + "." * 10, *(["." * 21] * 10))
    for action in actions:
        grid.act(action)
    back = grid.way_to_face([(0, 0)])
    assert back is not None
    follow(grid, back)
    assert shifted(*grid.state) == (0, 0)


def test_a_cell_has_four_neighbours() -> None:
    assert sorted(neighbours((3, 5))) == [(2, 5), (3, 4), (3, 6), (4, 5)]
