"""Spatial hash: ids of records by cubic cell, for searches around a point."""

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import product

_FARTHEST = 1e9
"""Coordinate beyond which points share the outermost cells [m], so that any finite number has a cell."""
Point = tuple[float, float, float]
Cell = tuple[int, int, int]


class SpatialIndex:
    """Ids by cubic cell of edge ``cell`` [m]; the cost of a search does not depend on records elsewhere."""

    def __init__(self, cell: float = 0.5) -> None:
        self._cell = cell
        self._ids: defaultdict[Cell, dict[str, Point]] = defaultdict(dict)
        self._where: dict[str, Cell] = {}

    def __len__(self) -> int:
        return len(self._where)

    def put(self, name: str, point: Point) -> None:
        """Add or move an id."""
        cell = self._cell_of(point)
        before = self._where.get(name)
        if before is not None and before != cell:
            self._forget(name, before)
        self._ids[cell][name] = point
        self._where[name] = cell

    def remove(self, name: str) -> None:
        """Remove an id, if present."""
        cell = self._where.pop(name, None)
        if cell is not None:
            self._forget(name, cell)

    def count(self, point: Point) -> int:
        """Count the ids in the cell of a point."""
        return len(self._ids.get(self._cell_of(point), ()))

    def within(self, point: Point, radius: float) -> Iterator[tuple[str, float]]:
        """Ids within ``radius`` [m] of a point, with their distance [m], in no order."""
        for cell in self._cells(point, radius):
            for name, other in self._ids[cell].items():
                distance = math.dist(point, other)
                if distance <= radius:
                    yield name, distance

    def _cells(self, point: Point, radius: float) -> list[Cell]:
        """Cells in use that a ball may overlap, from the shorter of two lists."""
        low = self._cell_of((point[0] - radius, point[1] - radius, point[2] - radius))
        high = self._cell_of((point[0] + radius, point[1] + radius, point[2] + radius))
        if low == high:
            return [low] if low in self._ids else []
        x, y, z = (range(first, last + 1) for first, last in zip(low, high, strict=True))
        if len(x) * len(y) * len(z) > len(self._ids):
            return [cell for cell in self._ids if cell[0] in x and cell[1] in y and cell[2] in z]
        return [cell for cell in product(x, y, z) if cell in self._ids]

    def _cell_of(self, point: Point) -> Cell:
        return self._along(point[0]), self._along(point[1]), self._along(point[2])

    def _along(self, value: float) -> int:
        return math.floor(min(max(value, -_FARTHEST), _FARTHEST) / self._cell)

    def _forget(self, name: str, cell: Cell) -> None:
        del self._ids[cell][name]
        if not self._ids[cell]:
            del self._ids[cell]
