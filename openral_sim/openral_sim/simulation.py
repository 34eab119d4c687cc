"""A world, its robot and the one goal the robot may be at, advanced one control period at a time."""
# MERGED Keeps simulated time from running away from wall-clock time.
# MERGED Tells when something that happens at a rate is due.
# MERGED Where a loop's wall-clock time goes.

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import floor
from pathlib import Path
from time import monotonic
from typing import Self

from openral_core.skills import SkillResult, SkillStatus
from openral_sim.robot import RobotControl, add_robot, set_stowed
from openral_sim.scene.liquids import Liquid
from openral_sim.scene.scene import load_scene
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Running, SkillContext
from openral_sim.skills.requests import ValidatedGoal
from openral_sim.skills.runner import run
from openral_sim.skills.safety import MotionEnvelope
from openral_sim.world import SimWorldModel

_logger = logging.getLogger(__name__)
_IDLE = Feedback("", 0.0)


class Simulation:
    """Belongs to one thread at a time, but for `time`, `holding` and `feedback`."""

    def __init__(self, world: SimWorldModel, context: SkillContext) -> None:
        self.world = world
        self._envelope = MotionEnvelope.around(room.polygon for room in world.rooms.values())
        self._context = context
        self._running: Running | None = None
        self._cancelling = False
        self.feedback = _IDLE

    @classmethod
    def load(cls, scene: Path, seed: int) -> Self:
        """A scene at rest with the robot tucked at its start pose.

        Raises:
            InvalidDocument: If the scene or its map is wrong.
            FrankaAssetsMissing: If the arm's model is not installed.
        """
        world = SimWorldModel.load(load_scene(scene), seed, add_robot)
        set_stowed(world.model, world.data)
        return cls(world, SkillContext(world, seed))

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.world.time

    @property
    def control(self) -> RobotControl:
        """The robot's measured state."""
        return self._context.control

    @property
    def holding(self) -> str:
        """What the hand holds, by the name it was grasped under; "" when empty."""
        held = self._context.held
        return held.label if held else ""

    @property
    def liquids(self) -> Mapping[int, Liquid]:
        """What is in every vessel, by its body's id."""
        return self._context.liquids

    def start(self, goal: ValidatedGoal) -> None:
        """Begin a goal; the robot must be at none."""
        self._cancelling = False
        self.feedback = Feedback("starting", 0.0)
        self._running = run(self._context, goal.verb, goal.params, self._envelope)

    def cancel(self) -> None:
        """Bring the goal to a controlled stop."""
        self._cancelling = True

    def advance(self) -> SkillResult | None:
        """One control period of the goal, then of physics; how the goal ended, if it did."""
        result = None if self._running is None else self._advance_goal(self._running)
        if result is not None:
            self.feedback = _IDLE
        self.world.step(CONTROL_PERIOD)
        return result

    def abandon(self) -> None:
        """Drop the goal and stand still."""
        if self._running is not None:
            self._running.close()
        self._running = None
        self.control.hold()

    def _advance_goal(self, running: Running) -> SkillResult | None:
        if self._cancelling:
            # A skill that has not begun yet clears this once.
            self._context.cancelled = True
        try:
            self.feedback = next(running)
        except StopIteration as end:
            self._running = None
            result: SkillResult = end.value
            return result
        except Exception as error:
            _logger.exception("a skill broke while %s", self.feedback.stage)
            self.abandon()
            stage = f"while {self.feedback.stage}: {type(error).__name__}: {error}"
            return SkillResult(SkillStatus.SKILL_ERROR, stage)
        return None


_FORGIVEN = 0.1


class RealTimePacer:
    """Holds a simulation at a real-time factor; what it cannot keep up with is not caught up.

    Args:
        real_time_factor: Simulated seconds per second, at most; 0 = as fast as it can.
    """

    def __init__(self, real_time_factor: float) -> None:
        self._factor = real_time_factor
        self._anchor: tuple[float, float] | None = None

    def delay(self, now: float, time: float) -> float:
        """How long to wait before going on.

        Args:
            now: Steady wall-clock time [s].
            time: Simulated time reached [s].
        """
        if self._factor == 0.0:
            return 0.0
        if self._anchor is None:
            self._anchor = (now, time)
        began, began_at = self._anchor
        ahead = began + (time - began_at) / self._factor - now
        if ahead < -_FORGIVEN:
            self._anchor = (now, time)
        return max(0.0, ahead)


class RateTimer:
    """Due once per beat of simulated time; beats that were slept through are not made up for."""

    def __init__(self, rate: float) -> None:
        """Beat at ``rate`` [Hz]."""
        self._rate = rate
        self._last: int | None = None

    def due(self, time: float) -> bool:
        """Whether a new beat has begun by ``time`` [s]; true once per beat."""
        # Sums of time steps fall a little short of the beats they mean.
        beat = floor(time * self._rate + 1e-6)
        due, self._last = beat != self._last, beat
        return due


class StepProfiler:
    """Sums the wall-clock time spent in named parts."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._spent: dict[str, float] = {}

    def restart(self) -> None:
        """Count from now."""
        self._began = monotonic()
        self._spent.clear()

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Count what happens inside towards ``part``."""
        began = monotonic()
        try:
            yield
        finally:
            self._spent[part] = self._spent.get(part, 0.0) + monotonic() - began

    @property
    def elapsed(self) -> float:
        """Wall-clock time since this began [s]."""
        return monotonic() - self._began

    def words(self) -> str:
        """Every part's share of the elapsed time."""
        total = max(self.elapsed, 1e-9)
        return (
            ", ".join(f"{part} {spent / total:.1%}" for part, spent in self._spent.items()) or "nothing done"
        )
