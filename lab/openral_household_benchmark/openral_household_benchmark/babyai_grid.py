"""Grid map of a BabyAI level as one robot has seen it, and ways over it.

Cells are counted from where the robot began, x to the east and y to the south; direction 0 is east, 1 south,
2 west, 3 north, as in `minigrid`. A view is 7 by 7 cells, (i, j) to the right and to the back, with the robot
at (3, 6) looking at smaller j; a cell is (type, colour, state).
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Cell = tuple[int, int]
State = tuple[Cell, int]
"""Cell and direction of the robot."""
View = Sequence[Sequence[Sequence[int]]]
VIEW = 7
"""Width and depth of a view [cells]."""
AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Cell ahead, by direction."""
KINDS = ("unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent")
"""Types of cells by their number in `minigrid`."""
COLOURS = ("red", "green", "blue", "purple", "yellow", "grey")
"""Colours by their number in `minigrid`."""
OBJECTS = frozenset({"key", "ball", "box"})
FREE = frozenset({"empty", "floor", "goal"})
_OPEN, _CLOSED, _LOCKED = range(3)
UNSEEN = 200
"""Cells taken to be unseen while there is a frontier: those of four rooms."""


@dataclass(frozen=True, slots=True)
class CellContent:
    """Content of one cell that was seen."""

    kind: str
    colour: str = ""
    state: int = 0

    @property
    def label(self) -> str:
        """Name of an object or a door; "" for everything else."""
        return f"{self.colour} {self.kind}" if self.kind in OBJECTS or self.kind == "door" else ""

    @property
    def passable(self) -> bool:
        """True if a robot may enter, perhaps after opening a door."""
        return self.kind in FREE or (self.kind == "door" and self.state != _LOCKED)

    @property
    def closed(self) -> bool:
        """True for a door that is not open."""
        return self.kind == "door" and self.state != _OPEN

    @property
    def opaque(self) -> bool:
        """True if it hides what is behind it."""
        return self.kind == "wall" or self.closed


def shifted(cell: Cell, direction: int, ahead: int = 1, right: int = 0) -> Cell:
    """Return the cell so many cells ahead and to the right."""
    (dx, dy), (x, y) = AHEAD[direction], cell
    return x + ahead * dx - right * dy, y + ahead * dy + right * dx


def neighbours(cell: Cell) -> Iterator[Cell]:
    """Yield the four cells beside a cell."""
    return (shifted(cell, direction) for direction in range(4))


@dataclass
class SeenGrid:
    """Cells that were seen, and the robot among them."""

    direction: int  # Direction of the robot.
    cell: Cell = (0, 0)  # Cell of the robot.
    # Contents of the cells that were seen.
    cells: dict[Cell, CellContent] = field(default_factory=lambda: {(0, 0): CellContent("empty")})
    carried: str = ""  # Label of what the robot holds, "" for nothing.

    @property
    def state(self) -> State:
        """Cell and direction of the robot."""
        return self.cell, self.direction

    def see(self, view: View) -> dict[Cell, CellContent]:
        """Note a view; return its objects and doors by cell. The robot's own cell has what it carries."""
        contents = dict[Cell, CellContent]()
        for i in range(VIEW):
            for j in range(VIEW):
                kind, colour, state = view[i][j]
                here = CellContent(KINDS[kind], COLOURS[colour], state)
                if (i, j) == (VIEW // 2, VIEW - 1):
                    self.carried = here.label if here.kind in OBJECTS else ""
                elif kind:
                    contents[shifted(self.cell, self.direction, VIEW - 1 - j, i - VIEW // 2)] = here
        self.cells |= contents
        return {cell: content for cell, content in contents.items() if content.label}

    def act(self, action: str) -> None:
        """Note an action of the robot; what it changes elsewhere is seen afterwards."""
        turn = {"left": -1, "right": 1}.get(action, 0)
        self.direction = (self.direction + turn) % 4
        ahead = shifted(self.cell, self.direction)
        if action == "forward" and self._free(ahead):
            self.cell = ahead

    def _free(self, cell: Cell) -> bool:
        content = self.cells.get(cell)
        return content is not None and content.passable and not content.closed

    def ways(self) -> Iterator[tuple[State, tuple[str, ...]]]:
        """Yield every state that can be reached over seen cells, the nearest first, with the actions.

        A closed door on the way is opened, which is an action of its own.
        """
        queue = [(0, 0, self.state, tuple[str, ...]())]
        reached, count = set[State](), 0
        while queue:
            cost, _, state, actions = heapq.heappop(queue)
            if state in reached:
                continue
            reached.add(state)
            yield state, actions
            for following, more in self._moves(state):
                count += 1
                heapq.heappush(queue, (cost + len(more), count, following, actions + more))

    def _moves(self, state: State) -> Iterator[tuple[State, tuple[str, ...]]]:
        cell, direction = state
        ahead = shifted(cell, direction)
        content = self.cells.get(ahead)
        if content is not None and content.passable:
            yield (ahead, direction), ("toggle", "forward") if content.closed else ("forward",)
        yield (cell, (direction + 1) % 4), ("right",)
        yield (cell, (direction - 1) % 4), ("left",)

    def way_to_face(self, targets: Iterable[Cell]) -> tuple[str, ...] | None:
        """Return the actions after which the robot faces one of these cells; None if there is no way."""
        cells = frozenset(targets)
        return self._first(lambda state: shifted(*state) in cells)

    def _first(self, fits: Callable[[State], bool]) -> tuple[str, ...] | None:
        return next((actions for state, actions in self.ways() if fits(state)), None)

    def beside(self, target: Cell) -> tuple[Cell, ...]:
        """Return the empty cells beside a cell, where something can be put down.

        Those where it would be in the way to other cells are left out, unless there are no others.
        """
        empty = tuple(c for c in neighbours(target) if c in self.cells and self.cells[c].kind == "empty")
        every = self._reachable()
        clear = tuple(c for c in empty if len(every) - len(self._reachable(without=c)) <= 1)
        return clear or empty

    def _reachable(self, without: Cell | None = None) -> frozenset[Cell]:
        """Return the seen cells that the robot can enter; in one of them may be an obstacle."""
        reached, ahead = set[Cell](), {self.cell}
        while ahead:
            reached |= ahead
            beside = {each for cell in ahead for each in neighbours(cell) if each in self.cells} - reached
            ahead = {each for each in beside if self.cells[each].passable and each != without}
        return frozenset(reached)

    def frontier(self) -> frozenset[Cell]:
        """Cells that were not seen and are beside one that can be entered or seen through."""
        see_through = (cell for cell, content in self.cells.items() if not content.opaque or content.passable)
        return frozenset(n for cell in see_through for n in neighbours(cell) if n not in self.cells)

    def labels(self) -> frozenset[str]:
        """Names of the objects and doors that were seen."""
        return frozenset(content.label for content in self.cells.values()) - {""}

    def share_seen(self) -> float:
        """Estimate the share of the level that was seen [1]; the size of a level is not known.

        It grows with every cell: to the mission, the same share again is an exploration without progress.
        """
        return len(self.cells) / (len(self.cells) + (UNSEEN if self.frontier() else 0))

    def way_to_explore(self) -> tuple[tuple[str, ...], frozenset[Cell]] | None:
        """Return the actions to the state that may show most per step, and what it shows of the frontier.

        A closed door is opened only if no other state shows any of the frontier; None if none does at all.
        """
        return self._best_view(opening=False) or self._best_view(opening=True)

    def _best_view(self, *, opening: bool) -> tuple[tuple[str, ...], frozenset[Cell]] | None:
        frontier, best, most = self.frontier(), None, 0.0
        for state, actions in self.ways():
            if most * (len(actions) + 1) >= VIEW * VIEW:
                break
            if "toggle" in actions and not opening:
                continue
            sure = frontier & self.visible_from(state, through_unseen=False)
            hoped = self.visible_from(state, through_unseen=True) - self.cells.keys() if sure else ()
            if len(hoped) > most * (len(actions) + 1):
                best, most = (actions, sure), len(hoped) / (len(actions) + 1)
        return best

    def visible_from(self, state: State, *, through_unseen: bool) -> frozenset[Cell]:
        """Return the cells that a view shows by what is known; one that was not seen hides others, or not.

        Source: `Grid.process_vis` of `minigrid`: sight spreads from the robot sideways and ahead.
        """
        shown = {state[0]}
        for ahead in range(VIEW):
            for rights in (range(-(VIEW // 2), VIEW // 2), range(VIEW // 2, -(VIEW // 2), -1)):
                aside = 1 if rights.step > 0 else -1
                for right in rights:
                    cell = shifted(*state, ahead, right)
                    if cell not in shown or (cell != state[0] and self._hides(cell, through_unseen)):
                        continue
                    shown.add(shifted(*state, ahead, right + aside))
                    if ahead < VIEW - 1:
                        shown.add(shifted(*state, ahead + 1, right + aside))
                        shown.add(shifted(*state, ahead + 1, right))
        return frozenset(shown)

    def _hides(self, cell: Cell, through_unseen: bool) -> bool:
        return self.cells[cell].opaque if cell in self.cells else not through_unseen
