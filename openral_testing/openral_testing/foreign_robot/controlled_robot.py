"""Robot whose base, head, arm and gripper each execute one motion at a time, independent of the others.

It has no skills: what makes a skill of these motions is another program, as on a real robot.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import Protocol, Self

from openral_core.errors import OpenRALError
from openral_core.skills import Feedback
from openral_sim.motion_primitives.base_motion import brake_base
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.robot.control import RobotControl
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel
from openral_testing.foreign_robot.recipients import Recipients

_logger = logging.getLogger(__name__)


class Unit(StrEnum):
    """Part of the robot with a controller of its own."""

    BASE = "base"
    HEAD = "head"
    ARM = "arm"
    GRIPPER = "gripper"


class MotionOutcome(StrEnum):
    """End of a motion, by its cause."""

    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    PREEMPTED = "preempted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class MotionEnd:
    """End of a motion; ``error`` is the reason of a failure."""

    outcome: MotionOutcome
    error: Exception | None = None


class UnitMotion(Protocol):
    """A motion of one unit; its attributes may be read from other threads."""

    def run(self, context: SkillContext) -> Move[None]:
        """Move, one control period per ``yield``; raises an `OpenRALError` if it cannot."""


@dataclass(frozen=True, slots=True)
class MotionCommand:
    """A motion for a unit."""

    unit: Unit  # Unit that moves.
    motion: UnitMotion
    on_end: Callable[[MotionEnd], None]  # Called once with its end, from the thread of the simulation.
    cancelled: Event = field(default_factory=Event)  # Stops the unit when set, from any thread.


class _Running:
    """A command in execution; a stopped one brakes before it ends."""

    def __init__(self, command: MotionCommand, context: SkillContext) -> None:
        self.command, self._context = command, context
        self._move = command.motion.run(context)
        self._stopping = False

    def advance(self) -> MotionEnd | None:
        """Advance by one control period; return the end once it is reached."""
        if self.command.cancelled.is_set() and not self._stopping:
            self._stop()
        try:
            next(self._move)
        except StopIteration:
            return MotionEnd(MotionOutcome.CANCELLED if self._stopping else MotionOutcome.SUCCEEDED)
        except OpenRALError as error:
            return self._fail(error)
        except Exception as error:
            _logger.exception("the motion of the %s raised an exception", self.command.unit)
            return self._fail(error)
        return None

    def drop(self) -> None:
        """Give the unit up for another motion."""
        self._move.close()

    def _stop(self) -> None:
        self._move.close()
        self._move, self._stopping = _standstill(self._context, self.command.unit), True

    def _fail(self, error: Exception) -> MotionEnd:
        self._move.close()
        _hold(self._context.control, self.command.unit)
        return MotionEnd(MotionOutcome.FAILED, error)


def _standstill(context: SkillContext, unit: Unit) -> Move[None]:
    """Bring a unit to a stop."""
    if unit is Unit.BASE:
        yield from brake_base(context.control)
    _hold(context.control, unit)
    yield Feedback("stopping", 1.0)


def _hold(control: RobotControl, unit: Unit) -> None:
    """Command a unit to stay where it is; fingers keep their force on what they hold."""
    match unit:
        case Unit.BASE:
            control.drive(0.0 * control.base_velocity)
        case Unit.ARM:
            control.move_reach(control.reach)
        case Unit.HEAD:
            control.point_head(*map(float, control.head))
        case Unit.GRIPPER:
            pass


class ControlledRobot:
    """A world with a robot whose units are commanded separately; used by one thread at a time."""

    def __init__(self, world: SimWorldModel, context: SkillContext) -> None:
        self.world, self._context = world, context
        self._running: dict[Unit, _Running] = {}
        self._recipients = Recipients(context)

    @classmethod
    def load(cls, scene: Path, seed: int) -> Self:
        """Load a scene at rest, with the robot stowed at its start pose.

        Raises:
            InvalidDocument: If the scene or its map is invalid.
            RobotAssetsMissing: If the robot's model is not installed.
        """
        robot = load_sim_robot()
        world = SimWorldModel.load(load_scene(scene), seed, robot)
        robot.set_stowed(world.model, world.data)
        return cls(world, SkillContext(world, seed))

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.world.time

    @property
    def control(self) -> RobotControl:
        """Measured state of the robot."""
        return self._context.control

    @property
    def handovers(self) -> tuple[str, ...]:
        """Descriptions of what people were given, ``requester has baguette``."""
        return self._recipients.handovers

    def begin(self, command: MotionCommand) -> None:
        """Begin a motion; one that its unit executes is pre-empted."""
        before = self._running.pop(command.unit, None)
        if before is not None:
            before.drop()
            before.command.on_end(MotionEnd(MotionOutcome.PREEMPTED))
        self._running[command.unit] = _Running(command, self._context)

    def advance(self) -> None:
        """Advance every motion, then people and physics, by one control period."""
        for unit, running in list(self._running.items()):
            end = running.advance()
            if end is not None:
                del self._running[unit]
                running.command.on_end(end)
        self._recipients.advance()
        self.world.step(CONTROL_PERIOD)

    def abandon(self) -> None:
        """Drop every motion and hold the robot still."""
        for unit, running in self._running.items():
            running.drop()
            _hold(self.control, unit)
            running.command.on_end(MotionEnd(MotionOutcome.FAILED))
        self._running.clear()
