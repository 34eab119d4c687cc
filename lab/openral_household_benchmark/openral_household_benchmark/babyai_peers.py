"""Peers of a mission over a BabyAI level: a memory of what was seen, a detector and a skill server.

Memory is the real one, and it has only what the robot's own views showed. The skill server alone acts in the
level; its ways lead over cells that were seen. A cell is 1 m.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from typing_extensions import override

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import (
    RecallMatch,
    RecallQuery,
    RecallResult,
    ResolveQuery,
    ResolveResult,
    ResolveStatus,
    SceneGraph,
)
from openral_household_benchmark.babyai_grid import AHEAD, Cell, SeenGrid, shifted
from openral_household_benchmark.engine_process import EngineProcess, EngineReply
from openral_household_benchmark.foreign_peers import DONE, ForeignPeers, Params, pose_param
from openral_reasoner.commands import Command, PublishHandoff, SendSkill
from openral_reasoner.events import Event

VERBS = (Verb.NAVIGATE, Verb.LOOK_AT, Verb.OPEN, Verb.GRASP, Verb.PLACE, Verb.EXPLORE)
SIZE = (0.6, 0.6, 0.6)
"""Box of an object or a door [m]."""
PROGRESS = 0.01
"""Change of the share that was seen which is told: it is told in whole percent [1]."""
_NO_WAY = SkillResult(SkillStatus.NOT_REACHABLE, "no way over seen cells", {"floor": "no_way"})


class StepReply(EngineReply):
    """Message of the engine after an action."""

    image: tuple[tuple[tuple[int, ...], ...], ...]
    direction: int
    reward: float
    terminated: bool
    truncated: bool


class LevelStart(StepReply):
    """Message at the beginning; ``reference`` are the steps of BabyAI's own bot, 0 if it fails."""

    mission: str
    max_steps: int
    reference: int


class LevelOver(OpenRALError):
    """Action after the end of a level."""

    def __init__(self, action: str) -> None:
        super().__init__(f"{action!r} does nothing: the level is over")


@dataclass
class RunningLevel:
    """Level in progress: the engine, and the grid as seen so far."""

    engine: EngineProcess
    latest: StepReply
    grid: SeenGrid = field(init=False)
    steps: int = 0

    def __post_init__(self) -> None:
        self.grid = SeenGrid(self.latest.direction)
        self.grid.see(self.latest.image)

    @property
    def over(self) -> bool:
        """True if the level has ended."""
        return self.latest.terminated or self.latest.truncated

    @property
    def done(self) -> bool:
        """True if its mission was accomplished."""
        return self.latest.reward > 0.0

    def act(self, action: str) -> None:
        """Take one action, which is one step.

        Raises:
            LevelOver: If the level has ended.
        """
        if self.over:
            raise LevelOver(action)
        self.latest = self.engine.ask({"action": action}, StepReply)
        self.steps += 1
        self.grid.act(action)
        self.grid.see(self.latest.image)


class BabyAIPeers(ForeignPeers):
    """Peers that answer at once; ``questions`` counts those to a human before the end of the level."""

    medium, verbs, item_size = "view", VERBS, SIZE

    def __init__(self, level: RunningLevel) -> None:
        super().__init__(SceneGraph((), ()))
        self.level, self.questions = level, 0
        self._ids, self._held, self._numbers = dict[Cell, str](), "", count(1)
        self.stream()

    @override
    def answer(self, command: Command) -> Event | None:
        self.questions += isinstance(command, PublishHandoff) and not self.level.over
        return super().answer(command)

    @property
    @override
    def held_label(self) -> str:
        return self.level.grid.carried

    def recall(self, query: RecallQuery) -> RecallResult:
        """Recall without near misses: the engine names everything rightly, so a red key is no green one."""
        result = super().recall(query)
        return replace(result, matches=tuple(map(self._standing, result.matches)), near_misses=())

    def resolve(self, query: ResolveQuery) -> ResolveResult:
        """Resolve to the nearest object that fits: a mission that says "a key" leaves open which."""
        result = super().resolve(query)
        if result.status is ResolveStatus.AMBIGUOUS:
            nearest = min(result.candidates, key=lambda each: self._distance(self._cell_of(each)))
            result = super().resolve(replace(query, reference=nearest))
        if not result.node_id or result.node_id not in self._ids.values():
            return result
        cell = self._cell_of(result.node_id)
        return replace(
            result, status=ResolveStatus.FOUND, goal_pose=self._before(cell), target_pose=pose_of(cell)
        )

    def read_scene(self) -> tuple[SceneGraph, Pose]:
        return self.memory.graph(), pose_of(*self.level.grid.state)

    def send_skill(self, call: SendSkill) -> SkillResult:
        try:
            return _SKILLS[call.goal.rskill_id](self, call.goal.params)
        except LevelOver as over:
            return SkillResult(SkillStatus.UNSUPPORTED, str(over))

    def navigate(self, params: Params) -> SkillResult:
        """Drive before the cell that the pose looks at, and face it; closed doors on the way are opened."""
        pose = pose_param(params, "goal")
        x, y, _ = pose.position
        return self._face(cell_at((x + math.cos(pose.yaw), y + math.sin(pose.yaw), 0.0)))

    def grasp(self, params: Params) -> SkillResult:
        """Pick up what is in the cell of a pose."""
        cell = cell_at(pose_param(params, "target").position)
        node = self._ids.get(cell)
        faced = self._face(cell) if node else SkillResult(SkillStatus.NOTHING_THERE, "nothing is there")
        if node is None or not faced.success:
            return faced
        label = self.memory.memory.get(node).label
        self._act("pickup")
        if not self.level.grid.carried:
            return SkillResult(SkillStatus.NOTHING_THERE, "it was not picked up")
        self._held = self._ids.pop(cell)
        self.memory.update_held_object(label, pose_of(cell), self._now)
        return DONE

    def place(self, params: Params) -> SkillResult:
        """Put the held object down in an empty cell beside that of the pose."""
        grid = self.level.grid
        faced = self._follow(grid.way_to_face(grid.beside(cell_at(pose_param(params, "target").position))))
        if not faced.success:
            return faced
        cell = shifted(*grid.state)
        self._ids[cell] = self._held
        self._act("drop")
        if grid.carried:
            del self._ids[cell]
            return SkillResult(SkillStatus.NOT_REACHABLE, "it was not put down")
        self.memory.update_held_object("", pose_of(cell), self._now)
        return SkillResult(SkillStatus.SUCCEEDED, "put down", {"pose": pose_of(cell)})

    def open(self, params: Params) -> SkillResult:
        """Open the door in the cell of a pose; nothing is needed for an open one."""
        cell, grid = cell_at(pose_param(params, "target").position), self.level.grid
        faced = self._face(cell)
        if not faced.success:
            return faced
        if grid.cells[cell].closed:
            self._act("toggle")
        if grid.cells[cell].closed:
            return SkillResult(SkillStatus.BLOCKED, "the door is locked")
        return DONE

    def explore(self, params: Params) -> SkillResult:
        """Look around from as many places as are asked for; 0 for all from which something new is seen.

        With a number of places it also ends when a view shows an object of a name that is new, unless the
        share that was seen is about the same: the mission would take that for no progress.
        """
        views = params.get("views", 0)
        assert isinstance(views, int)
        grid, places = self.level.grid, set[Cell]()
        labels, share = grid.labels(), grid.share_seen()
        while (way := grid.way_to_explore()) is not None:
            actions, expected = way
            for action in actions:
                self._act(action)
                if not expected.isdisjoint(grid.cells):
                    break
            places.add(grid.cell)
            news = not grid.labels() <= labels and abs(grid.share_seen() - share) >= PROGRESS
            if views and (len(places) >= views or news):
                break
        status = SkillStatus.SUCCEEDED if grid.way_to_explore() is None else SkillStatus.TIMEOUT
        return SkillResult(status, status.name.lower(), {"seen": grid.share_seen()})

    def _face(self, cell: Cell) -> SkillResult:
        return self._follow(self.level.grid.way_to_face([cell]))

    def _follow(self, way: tuple[str, ...] | None) -> SkillResult:
        for action in way or ():
            self._act(action)
        return _NO_WAY if way is None else DONE

    def _act(self, action: str) -> None:
        self.level.act(action)
        self.stream()

    @override
    def in_view(self) -> dict[str, str]:
        """Return the labels of what the newest view shows, by id; an object is known by its cell."""
        contents = self.level.grid.see(self.level.latest.image)
        for cell, content in contents.items():
            if cell not in self._ids:
                self._ids[cell] = f"{content.colour}_{content.kind}_{next(self._numbers)}"
        return {self._ids[cell]: content.label for cell, content in contents.items()}

    @override
    def pose_of_item(self, item: str) -> Pose:
        return pose_of(self._cell_of(item))

    def _cell_of(self, node: str) -> Cell:
        return next(cell for cell, each in self._ids.items() if each == node)

    def _standing(self, match: RecallMatch) -> RecallMatch:
        if match.node_id not in self._ids.values():
            return match
        return replace(match, viewpoint=self._before(self._cell_of(match.node_id)))

    def _before(self, cell: Cell) -> Pose:
        """Return a pose before a cell that looks at it: where a way over seen cells ends, if there is one.

        With an object in the hand it looks at an empty cell beside, where that can be put down.
        """
        grid = self.level.grid
        targets = grid.beside(cell) if grid.carried else (cell,)
        for state, _ in grid.ways():
            if shifted(*state) in targets:
                return pose_of(*state)
        return pose_of(shifted(cell, grid.direction, -1), grid.direction)

    def _distance(self, cell: Cell) -> int:
        way = self.level.grid.way_to_face([cell])
        return len(way) if way is not None else FAR


FAR = 10_000
"""Cost of an object without a way over seen cells [steps]."""


def pose_of(cell: Cell, direction: int = 0) -> Pose:
    """Return the pose in a cell: x to the east and y to the north, as REP 103 has it."""
    dx, dy = AHEAD[direction]
    return Pose.planar(float(cell[0]), float(-cell[1]), math.atan2(-dy, dx))


def cell_at(position: tuple[float, float, float]) -> Cell:
    """Return the cell of a position."""
    return round(position[0]), round(-position[1])


_SKILLS: Mapping[str, Callable[[BabyAIPeers, Params], SkillResult]] = {
    "navigate": BabyAIPeers.navigate,
    "look-at": BabyAIPeers.look_at,
    "open": BabyAIPeers.open,
    "grasp": BabyAIPeers.grasp,
    "place": BabyAIPeers.place,
    "explore": BabyAIPeers.explore,
}
