"""A world, its robot and the one goal the robot may be at, advanced one control period at a time."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from openral_core.skills import SkillResult, SkillStatus
from openral_sim.goals import AdmittedGoal
from openral_sim.liquids import Liquid
from openral_sim.robot import RobotControl, add_robot, stand_tucked
from openral_sim.scenes import load_scene
from openral_sim.skills import CONTROL_PERIOD, Feedback, Running, SkillContext, run
from openral_sim.skills.envelopes import Envelope
from openral_sim.world import World

_logger = logging.getLogger(__name__)
_IDLE = Feedback("", 0.0)


class Simulation:
    """Belongs to one thread at a time, but for `time`, `holding` and `feedback`."""

    def __init__(self, world: World, context: SkillContext) -> None:
        self.world = world
        self._envelope = Envelope.around(room.polygon for room in world.rooms.values())
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
        world = World.load(load_scene(scene), seed, add_robot)
        stand_tucked(world.model, world.data)
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

    def start(self, goal: AdmittedGoal) -> None:
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
