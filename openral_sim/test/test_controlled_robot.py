"""Units of the robot move independently, stand still when they end, and people take what is offered."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_sim.motion_primitives.context import CONTROL_PERIOD, SkillContext
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.robot.sim_robot import load_sim_robot
from openral_testing.foreign_robot.controlled_robot import (
    ControlledRobot,
    MotionCommand,
    MotionEnd,
    MotionOutcome,
    Unit,
)
from openral_testing.foreign_robot.motions import (
    Drive,
    GoalInCollision,
    GoalToleranceViolated,
    Grip,
    HeadTrajectory,
    Posture,
    Reach,
    TurnBy,
)
from openral_testing.foreign_robot.recipients import CONFIG

STANDS = 0.05
FAR = Pose.planar(8.6, 0.8, 0.0)
INTO_THE_BASE = Pose((2.0, 2.3, 0.25), (1.0, 0.0, 0.0, 0.0)).matrix()


class Driver:
    """Commands motions and steps the world until they end."""

    def __init__(self, context: SkillContext) -> None:
        self.context, self.robot = context, ControlledRobot(context.world, context)

    def begin(self, unit: Unit, motion: Any) -> tuple[MotionCommand, list[MotionEnd]]:
        ends: list[MotionEnd] = []
        command = MotionCommand(unit, motion, ends.append)
        self.robot.begin(command)
        return command, ends

    def step(self, seconds: float) -> None:
        for _ in range(int(seconds / CONTROL_PERIOD)):
            self.robot.advance()

    def until(self, ends: list[MotionEnd], limit: float = 40.0) -> MotionEnd:
        until = self.robot.time + limit
        while not ends:
            assert self.robot.time < until
            self.robot.advance()
        (end,) = ends
        return end

    def do(self, unit: Unit, motion: Any) -> MotionEnd:
        return self.until(self.begin(unit, motion)[1])


@pytest.fixture
def driver(at_home: Callable[[int], SkillContext]) -> Driver:
    return Driver(at_home(0))


def test_base_and_head_move_at_the_same_time(driver: Driver) -> None:
    goal = Pose.planar(1.4, 2.2, 1.57)
    _, driven = driver.begin(Unit.BASE, Drive(goal))
    _, aimed = driver.begin(Unit.HEAD, HeadTrajectory(np.array([0.5]), np.array([[0.8, 0.3]])))
    assert driver.until(aimed).outcome is MotionOutcome.SUCCEEDED
    assert not driven
    assert driver.until(driven).outcome is MotionOutcome.SUCCEEDED
    assert driver.robot.control.base_pose == pytest.approx([1.4, 2.2, 1.57], abs=0.02)
    assert driver.robot.control.head == pytest.approx([0.8, 0.3], abs=0.05)


def test_a_cancelled_drive_stands_when_it_ends(driver: Driver) -> None:
    command, ends = driver.begin(Unit.BASE, Drive(FAR))
    driver.step(2.0)
    assert driver.robot.control.speeds.max() > 0.3
    command.cancelled.set()
    assert driver.until(ends, limit=1.5).outcome is MotionOutcome.CANCELLED
    assert driver.robot.control.speeds.max() < STANDS
    x = driver.robot.control.base_pose[0]
    driver.step(1.0)
    assert driver.robot.control.base_pose[0] == pytest.approx(x, abs=0.02)


def test_the_arm_stops_within_a_tenth_of_a_second(driver: Driver) -> None:
    command, ends = driver.begin(Unit.ARM, Posture(dict(enumerate(load_sim_robot().comfortable))))
    driver.step(0.6)
    command.cancelled.set()
    assert driver.until(ends, limit=0.1).outcome is MotionOutcome.CANCELLED
    driver.step(0.2)
    assert driver.robot.control.speeds.max() < STANDS


def test_a_newer_goal_of_a_unit_preempts_the_older(driver: Driver) -> None:
    _, first = driver.begin(Unit.BASE, Drive(FAR))
    driver.step(1.0)
    assert driver.do(Unit.BASE, TurnBy(0.3)).outcome is MotionOutcome.SUCCEEDED
    assert [end.outcome for end in first] == [MotionOutcome.PREEMPTED]


@pytest.mark.parametrize(
    ("unit", "motion", "error"),
    [
        (Unit.BASE, Drive(Pose.planar(0.3, 1.7, 0.0)), NoBasePath),
        (Unit.ARM, Reach(Pose((9.0, 9.0, 9.0)).matrix()), IkFailed),
        (
            Unit.ARM,
            Reach(Pose((2.25, 2.2, 0.15), (1.0, 0.0, 0.0, 0.0)).matrix()),
            (IkFailed, GoalInCollision),
        ),
        (Unit.HEAD, HeadTrajectory(np.array([0.1]), np.array([[2.5, 0.0]])), GoalToleranceViolated),
    ],
)
def test_what_cannot_be_reached_fails_by_name_and_nothing_moves_on(
    driver: Driver, unit: Unit, motion: Any, error: Any
) -> None:
    end = driver.do(unit, motion)
    assert end.outcome is MotionOutcome.FAILED
    assert isinstance(end.error, error)
    driver.step(0.5)
    assert driver.robot.control.speeds.max() < STANDS


def test_dropping_everything_ends_every_motion(driver: Driver) -> None:
    begun = [driver.begin(Unit.BASE, Drive(FAR)), driver.begin(Unit.ARM, Posture({0: 0.4}))]
    driver.step(0.4)
    driver.robot.abandon()
    assert [ends[0].outcome for _, ends in begun] == [MotionOutcome.FAILED] * 2
    driver.step(1.0)
    assert driver.robot.control.speeds.max() < STANDS


def grasp_mug(driver: Driver) -> str:
    """Drive to the red mug, reach down to it, and close the fingers."""
    mug = driver.context.world.objects["red_mug"].body
    x, y, z = map(float, driver.context.world.T_world(mug)[:3, 3])
    assert driver.do(Unit.BASE, Drive(Pose.planar(x, y - 0.75, 1.57))).outcome is MotionOutcome.SUCCEEDED
    driver.do(Unit.GRIPPER, Grip(0.08))
    for height, straight in ((0.15, False), (0.02, True)):
        T = Pose((x, y, z + height), (1.0, 0.0, 0.0, 0.0)).matrix()
        assert driver.do(Unit.ARM, Reach(T, straight=straight)).outcome is MotionOutcome.SUCCEEDED
    closing = Grip(0.0)
    driver.do(Unit.GRIPPER, closing)
    assert closing.stalled
    return mug


def test_fingers_stall_on_an_object_and_take_it_along_until_they_open(driver: Driver) -> None:
    mug = grasp_mug(driver)
    height = driver.context.world.T_world(mug)[2, 3]
    raised = driver.robot.control.T_map_grasp()
    raised[2, 3] += 0.1
    driver.do(Unit.ARM, Reach(raised, straight=True))
    assert driver.context.world.T_world(mug)[2, 3] == pytest.approx(height + 0.1, abs=0.02)
    driver.do(Unit.GRIPPER, Grip(0.08))
    driver.step(0.5)
    assert driver.context.world.T_world(mug)[2, 3] < height + 0.05


def test_a_person_takes_what_is_held_out_and_the_fingers_feel_the_pull(driver: Driver) -> None:
    mug, context = grasp_mug(driver), driver.context
    raised = driver.robot.control.T_map_grasp()
    raised[2, 3] += 0.15
    driver.do(Unit.ARM, Reach(raised, straight=True))
    driver.step(2 * CONFIG.still_time)
    assert not driver.robot.handovers
    person = context.world.people["requester"]
    # The person stands where the mug is held: driving there is another test's matter.
    shift = raised[:3, 3] + (0.2, 0.0, 0.0) - context.data.site(person.hand_site).xpos
    context.model.body(person.body).pos[:] += shift
    before = driver.robot.control.opening
    driver.step(2 * CONFIG.still_time + 2 * CONFIG.pull_time)
    assert driver.robot.handovers == ("requester has red_mug",)
    assert abs(driver.robot.control.opening - before) > 0.002
    palm = context.data.site(person.hand_site).xpos
    assert np.linalg.norm(context.world.T_world(mug)[:3, 3] - palm) < 0.1
