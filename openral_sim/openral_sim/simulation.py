"""Simulation loop: a world, its robot and at most one goal, advanced one control period at a time.

`RealTimePacer` holds it to wall-clock time, `RateTimer` triggers periodic work in simulated time, and
`StepProfiler` accounts for the wall-clock time each part takes.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import floor
from pathlib import Path
from time import monotonic
from typing import Self

import numpy as np

from openral_core.arrays import Vector2
from openral_core.consent.policy import Policy, load_policy
from openral_core.geometry import Pose, planar_part, transform_planar_points, wrap_angle
from openral_core.home_map import NoGoZone
from openral_core.obstructions import OBSTACLE, Obstruction
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_core.surroundings import (
    BLOCKED_WAY,
    ObstructionConfig,
    Surroundings,
    explained,
    find_obstruction,
)
from openral_sim.assets.objects.liquids import Liquid
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Running, SkillContext
from openral_sim.odometry import DRIFTS, DriftName, Localisation
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.planning.perceived_space import PerceivedSpace
from openral_sim.robot.catalogue import DEFAULT_ROBOT
from openral_sim.robot.control import RobotControl
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel
from openral_sim.skills.registry import SKILLS
from openral_sim.skills.runner import run
from openral_sim.skills.safety import MotionEnvelope

FREEZE_PERIODS = 5
"""Control periods in which the servos' targets follow the joints: servos must not pull against brakes."""
SETTLE_PERIODS = 10
"""Control periods after which it stands."""
MAX_LAG = 0.1
"""Lag behind wall-clock time [s] that is still made up for; after a longer halt the pace starts afresh."""

_logger = logging.getLogger(__name__)
_IDLE = Feedback("", 0.0)


class Simulation:
    """A world with a robot that executes one goal at a time.

    Used by one thread at a time, except for `time`, `holding` and `feedback`. Goals and results are in the
    robot's map, everything else in the world; see `Localisation`.
    """

    def __init__(
        self,
        world: SimWorldModel,
        context: SkillContext,
        policy: Policy,
        drift: DriftName = DriftName.OFF,
        surroundings: Callable[[], Surroundings] = Surroundings,
    ) -> None:
        self.world, self.policy = world, policy
        self.localisation = Localisation(context.control.base_pose, DRIFTS[drift], context.seed)
        world.keep_out = policy.keep_out
        rooms = (room.polygon for room in world.rooms.values())
        self._envelope = MotionEnvelope.around(rooms, policy.near_people)
        self._context, self._surroundings = context, surroundings
        context.obstruction = self._find_obstruction
        self._params: Mapping[str, ParamValue] = {}
        self._running: Running | None = None
        self._cancelling = False
        self._halted_for = 0
        self._keep_grip = self.halted = False
        self.feedback = _IDLE

    @classmethod
    def load(
        cls,
        scene: Path,
        seed: int,
        policy: str = "",
        perceived: PerceivedFloor | None = None,
        drift: DriftName = DriftName.OFF,
        robot: str = DEFAULT_ROBOT,
        space: PerceivedSpace | None = None,
        surroundings: Callable[[], Surroundings] = Surroundings,
    ) -> Self:
        """Load a scene at rest, with the robot stowed at its start pose, and the file of a policy.

        The base plans on the ``perceived`` floor, which is in the world, and the arm in the perceived
        ``space``; without one, on the model. ``surroundings``, in the robot's map, explain why a way is
        blocked. ``robot`` is the name of a shipped one, or the file of its description.

        Raises:
            InvalidDocument: If the scene, its map, the policy or the robot is invalid.
            UnknownSimRobot: If there is no such robot.
            RobotAssetsMissing: If the robot's model is not installed.
        """
        sim_robot = load_sim_robot(robot)
        world = SimWorldModel.load(load_scene(scene), seed, sim_robot)
        sim_robot.set_stowed(world.model, world.data)
        context = SkillContext(world, seed, perceived=perceived, space=space)
        return cls(world, context, load_policy(policy, world.scene.home), drift, surroundings)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.world.time

    @property
    def control(self) -> RobotControl:
        """Measured state of the robot."""
        return self._context.control

    @property
    def holding(self) -> str:
        """Name under which the held object was grasped; "" when the hand is empty."""
        held = self._context.held
        return held.label if held else ""

    @property
    def served(self) -> Collection[Verb]:
        """Verbs that the robot has; it explores only if it plans on what it perceives."""
        return SKILLS.keys() - (set() if self._context.perceived is not None else {Verb.EXPLORE})

    available = served

    @property
    def liquids(self) -> Mapping[int, Liquid]:
        """Contents of every vessel, by the id of its body."""
        return self._context.liquids

    def start(self, goal: ValidatedGoal) -> None:
        """Begin a goal; no other goal may be running."""
        self._cancelling = False
        self.feedback = Feedback("starting", 0.0)
        self._params, params = goal.params, self._in_world(goal.params)
        if self._context.perceived is not None:
            self.world.found_zones = self._zones_in_world()
        self._running = run(self._context, goal.verb, params, self._envelope)

    def cancel(self) -> None:
        """Bring the goal to a controlled stop."""
        self._cancelling = True

    def halt(self) -> None:
        """Drop the goal and keep every joint where it is until `release`; repeated calls change nothing.

        A hand that holds an object or a handle keeps its grip.
        """
        if not self.halted:
            self.halted, self._halted_for = True, 0
            self.control.set_brakes(engaged=True)
            self._keep_grip = self._context.held is not None or self._context.on_handle
        if self._running is not None:
            self._running.close()
            self._running, self.feedback = None, _IDLE

    @property
    def settled(self) -> bool:
        """True once a halted robot had time to stand still."""
        return self.halted and self._halted_for >= SETTLE_PERIODS

    def release(self) -> None:
        """Allow motion again."""
        self.halted = False
        self.control.set_brakes(engaged=False)
        self.control.drive(np.zeros(3))

    def advance(self) -> SkillResult | None:
        """Advance the goal, then physics, by one control period; return the goal's result once it ends."""
        if self.halted:
            self._hold_still()
        result = None if self._running is None or self.halted else self._advance_goal(self._running)
        if result is not None:
            self.feedback = _IDLE
        self.world.step(CONTROL_PERIOD)
        self.localisation.advance(self.control.base_pose)
        return self._explained(self._in_map(result)) if result is not None else None

    def _explained(self, result: SkillResult) -> SkillResult:
        """Add what blocked the way to a failure."""
        if result.status not in BLOCKED_WAY:
            return result
        return explained(result, self._params, self._surroundings(), self._obstruction_config)

    def _find_obstruction(self, goal: Vector2, within: float) -> Obstruction | None:
        """Find what blocks the way to a goal (2,) in the world; see `SkillContext.obstruction`."""
        T = self.localisation.T_map_world
        start, end = transform_planar_points(T, (self.control.base_pose[:2], goal)).tolist()
        obstruction = find_obstruction(
            start, end, within, self._surroundings(), config=self._obstruction_config
        )
        if obstruction is None:
            return None
        x, y = transform_planar_points(self.localisation.T_world_map, obstruction.at).tolist()
        return replace(obstruction, at=(x, y))

    @property
    def _obstruction_config(self) -> ObstructionConfig:
        base = self.control.robot.description.base
        return ObstructionConfig(base.clearance_holding if self._context.held else base.clearance)

    def _in_world(self, params: Mapping[str, ParamValue]) -> Mapping[str, ParamValue]:
        if not self.localisation.drifts:
            return params
        T = self.localisation.T_world_map
        return {
            name: Pose.from_matrix(T @ value.matrix()) if isinstance(value, Pose) else value
            for name, value in params.items()
        }

    def _zones_in_world(self) -> tuple[NoGoZone, ...]:
        """Return the no-go zones that were drawn into the map of a found home."""
        home, T = self._surroundings().home, self.localisation.T_world_map
        return tuple(
            zone.model_copy(update={"polygon": tuple(transform_planar_points(T, zone.polygon).tolist())})
            for zone in (home.no_go_zones if home else ())
        )

    def _in_map(self, result: SkillResult) -> SkillResult:
        """Return a result with its poses, and positions (x, y, yaw), in map."""
        if not self.localisation.drifts:
            return result
        T, evidence = self.localisation.T_map_world, dict(result.evidence)
        evidence |= {k: Pose.from_matrix(T @ v.matrix()) for k, v in evidence.items() if isinstance(v, Pose)}
        for keys in (("x", "y"), (f"{OBSTACLE}_x", f"{OBSTACLE}_y")):
            x, y = (evidence.get(key) for key in keys)
            if isinstance(x, float) and isinstance(y, float):
                evidence |= zip(keys, transform_planar_points(T, (x, y)).tolist(), strict=True)
        if isinstance(yaw := evidence.get("yaw"), float):
            evidence["yaw"] = wrap_angle(yaw + planar_part(T)[2])
        return replace(result, evidence=evidence)

    def abandon(self) -> None:
        """Drop the goal and hold the robot still."""
        if self._running is not None:
            self._running.close()
        self._running = None
        self.control.hold()

    def _hold_still(self) -> None:
        if self._halted_for < FREEZE_PERIODS:
            self.control.freeze(keep_grip=self._keep_grip)
        self._halted_for += 1

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
            _logger.exception("the skill raised an exception while %s", self.feedback.stage)
            self.abandon()
            stage = f"while {self.feedback.stage}: {type(error).__name__}: {error}"
            return SkillResult(SkillStatus.SKILL_ERROR, stage)
        return None


class RealTimePacer:
    """Limits a simulation to a real-time factor; a lag beyond `MAX_LAG` is not made up for.

    Args:
        real_time_factor: Maximum simulated seconds per wall-clock second; 0 = unlimited.
    """

    def __init__(self, real_time_factor: float) -> None:
        self._factor = real_time_factor
        self._anchor: tuple[float, float] | None = None

    def delay(self, now: float, time: float) -> float:
        """Return the time to wait before the next step [s].

        Args:
            now: Steady wall-clock time [s].
            time: Simulated time reached [s].
        """
        if self._factor == 0.0:
            return 0.0
        if self._anchor is None:
            self._anchor = (now, time)
        wall_start, sim_start = self._anchor
        ahead = wall_start + (time - sim_start) / self._factor - now
        if ahead < -MAX_LAG:
            self._anchor = (now, time)
        return max(0.0, ahead)


class RateTimer:
    """Timer that is due once per period of simulated time; missed periods are skipped.

    Args:
        rate: Periods per second [Hz].
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._last: int | None = None

    def due(self, time: float) -> bool:
        """Return True once per period, at the first ``time`` [s] that lies in it."""
        # Sums of time steps fall a little short of the instants they stand for.
        period = floor(time * self._rate + 1e-6)
        due, self._last = period != self._last, period
        return due


class StepProfiler:
    """Accumulates the wall-clock time spent in named parts of a loop."""

    def __init__(self) -> None:
        self._started = monotonic()
        self._spent: dict[str, float] = {}

    def restart(self) -> None:
        """Discard all measurements and start again."""
        self._started = monotonic()
        self._spent.clear()

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Add the time spent in the context to ``part``."""
        started = monotonic()
        try:
            yield
        finally:
            self._spent[part] = self._spent.get(part, 0.0) + monotonic() - started

    @property
    def elapsed(self) -> float:
        """Wall-clock time since the start [s]."""
        return monotonic() - self._started

    def summary(self) -> str:
        """Describe each part's fraction of the elapsed time."""
        total = max(self.elapsed, 1e-9)
        parts = ", ".join(f"{part} {spent / total:.1%}" for part, spent in self._spent.items())
        return parts or "no steps"
