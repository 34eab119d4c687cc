"""The simulation loop without ROS: goals, real time, rates and profiling."""

from itertools import pairwise
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.geometry import Pose, inverse, yaw_matrix
from openral_core.home_map import Doorway, HomeMap, NoGoZone, Room
from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_core.surroundings import Surroundings
from openral_sim.odometry import DriftName
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.simulation import RateTimer, RealTimePacer, Simulation, StepProfiler
from openral_sim.skills import registry as verbs

HOME = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"
PERIOD = 0.02
DRIVE = ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(1.0, 2.2, 0.0)}, 60.0)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return Simulation.load(HOME, seed=0)


def until_it_ends(simulation: Simulation) -> SkillResult:
    results = (simulation.advance() for _ in range(3000))
    return next(result for result in results if result is not None)


def test_time_advances_by_control_periods(simulation: Simulation) -> None:
    before = simulation.time
    for _ in range(5):
        assert simulation.advance() is None
    assert simulation.time - before == pytest.approx(0.1)


def test_a_goal_is_carried_out_and_leaves_no_feedback_behind(simulation: Simulation) -> None:
    simulation.start(DRIVE)
    assert until_it_ends(simulation).success
    assert simulation.feedback.stage == ""
    assert simulation.control.base_pose[:2] == pytest.approx((1.0, 2.2), abs=0.02)


def test_cancelled_before_its_first_period_it_ends_cancelled(simulation: Simulation) -> None:
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(4.0, 2.2, 0.0)}, 60.0))
    simulation.cancel()
    assert until_it_ends(simulation).status is SkillStatus.CANCELLED


def test_an_abandoned_goal_leaves_the_robot_standing(simulation: Simulation) -> None:
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(4.0, 2.2, 0.0)}, 60.0))
    while np.abs(simulation.control.base_velocity).max() < 0.3:
        assert simulation.advance() is None
    simulation.abandon()
    for _ in range(50):
        assert simulation.advance() is None
    assert np.abs(simulation.control.base_velocity).max() < 0.01


def test_halted_in_full_drive_it_stands_within_a_fifth_of_a_second_and_until_its_release(
    simulation: Simulation,
) -> None:
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(4.0, 2.2, 0.0)}, 60.0))
    while np.abs(simulation.control.base_velocity).max() < 0.3:
        assert simulation.advance() is None
    simulation.halt()
    for _ in range(10):
        assert simulation.advance() is None
    assert simulation.control.speeds.max() < 0.01
    stood = simulation.control.base_pose
    simulation.start(DRIVE)
    for _ in range(100):
        simulation.halt()
        assert simulation.advance() is None
    assert simulation.control.base_pose == pytest.approx(stood, abs=1e-3)
    simulation.release()
    simulation.start(DRIVE)
    assert until_it_ends(simulation).success


def test_a_halted_base_does_not_yield_to_what_pushes_it(simulation: Simulation) -> None:
    simulation.halt()
    stood, data = simulation.control.base_pose, simulation.world.data
    data.body("robot/base_link").xfrc_applied[:2] = 100.0, 50.0  # [N]
    for _ in range(100):
        simulation.advance()
    data.body("robot/base_link").xfrc_applied[:] = 0.0
    assert simulation.control.base_pose == pytest.approx(stood, abs=4e-3)
    assert simulation.control.speeds.max() < 0.01
    simulation.release()


def test_a_halted_arm_does_not_yield_to_what_pushes_it_and_moves_after_the_release(
    simulation: Simulation,
) -> None:
    simulation.halt()
    for _ in range(10):
        simulation.advance()
    stood, data = simulation.control.reach, simulation.world.data
    data.body("robot/arm_link7").xfrc_applied[:3] = 0.0, 60.0, 40.0  # [N]
    for _ in range(100):
        simulation.advance()
        assert simulation.control.speeds.max() < 0.01
    data.body("robot/arm_link7").xfrc_applied[:] = 0.0
    assert simulation.control.reach == pytest.approx(stood, abs=4e-3)
    simulation.release()
    simulation.control.move_reach(stood + 0.1)
    for _ in range(50):
        simulation.advance()
    assert simulation.control.reach == pytest.approx(stood + 0.1, abs=0.02)
    simulation.control.move_reach(stood)


def test_a_skill_that_breaks_ends_in_words_and_the_next_one_works(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(context: object, params: object) -> None:
        raise ZeroDivisionError("gear")

    with monkeypatch.context() as patch:
        patch.setitem(verbs.SKILLS, Verb.NAVIGATE, break_down)
        simulation.start(DRIVE)
        result = until_it_ends(simulation)
    assert result.status is SkillStatus.SKILL_ERROR
    assert result.message.endswith("ZeroDivisionError: gear")
    assert "Traceback" in caplog.text
    simulation.start(DRIVE)
    assert until_it_ends(simulation).success


@pytest.mark.parametrize("drift", [DriftName.OFF, DriftName.MILD])
def test_a_blocked_way_is_explained_by_what_the_robot_knows(drift: DriftName) -> None:
    cells = np.full((120, 200), OCCUPIED, np.int8)
    cells[2:118, 2:98] = cells[2:118, 100:198] = FREE  # walls and a shut door at x = 4.95
    floor = FloorMap(cells, 0.05)
    kitchen, study = (
        Room(id=name, name=name, polygon=((x, 0.1), (x + 4.8, 0.1), (x + 4.8, 5.9), (x, 5.9)))
        for name, x in (("kitchen", 0.1), ("study", 5.0))
    )
    door = Doorway(id="door", rooms=("kitchen", "study"), at=(4.95, 2.85), width=0.9)
    home = HomeMap(name="flat", rooms=(kitchen, study), doorways=(door,))
    perceived = PerceivedFloor(floor)
    simulation = Simulation.load(
        HOME, 0, perceived=perceived, drift=drift, surroundings=lambda: Surroundings(floor, home)
    )
    perceived.latest = floor.moved(simulation.localisation.T_world_map)
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(7.0, 3.0, 0.0)}, 60.0))
    result = until_it_ends(simulation)
    assert result.status is SkillStatus.NOT_REACHABLE
    found = Obstruction.of(result.evidence)
    assert found == Obstruction(ObstacleKind.SHUT_DOOR, door.at, "door", rooms=("kitchen", "study"))
    assert "the door from the kitchen to the study is shut" in result.message


def test_the_base_keeps_out_of_a_zone_that_was_drawn_into_a_found_home() -> None:
    floor = FloorMap(np.full((120, 200), FREE, np.int8), 0.05)
    room = Room(id="r", name="r", polygon=((0, 0), (10, 0), (10, 6), (0, 6)))
    around = ((5.0, 2.0), (9.0, 2.0), (9.0, 4.0), (5.0, 4.0))
    home = HomeMap(
        name="flat", rooms=(room,), no_go_zones=(NoGoZone(id="cat", name="cat tray", polygon=around),)
    )
    simulation = Simulation.load(
        HOME, 0, perceived=PerceivedFloor(floor), surroundings=lambda: Surroundings(floor, home)
    )
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(7.0, 3.0, 0.0)}, 60.0))
    result = until_it_ends(simulation)
    assert result.status is SkillStatus.NOT_REACHABLE


def test_waits_for_the_wall_clock() -> None:
    pacer = RealTimePacer(1.0)
    pacer.delay(100.0, 5.0)
    assert pacer.delay(100.005, 5.02) == pytest.approx(0.015)


def test_twice_real_time_waits_half_as_long() -> None:
    pacer = RealTimePacer(2.0)
    pacer.delay(100.0, 0.0)
    assert pacer.delay(100.0, 0.02) == pytest.approx(0.01)


def test_a_slow_period_is_made_up_for() -> None:
    pacer = RealTimePacer(1.0)
    pacer.delay(0.0, 0.0)
    assert pacer.delay(0.06, 0.02) == 0.0
    assert pacer.delay(0.061, 0.08) == pytest.approx(0.019)


def test_a_long_halt_is_not_made_up_for() -> None:
    pacer = RealTimePacer(1.0)
    pacer.delay(0.0, 0.0)
    assert pacer.delay(10.0, 0.02) == 0.0
    assert pacer.delay(10.0, 0.04) == pytest.approx(0.02)


@given(now=st.floats(0, 1e6), time=st.floats(0, 1e6))
def test_as_fast_as_it_can_never_waits(now: float, time: float) -> None:
    pacer = RealTimePacer(0.0)
    pacer.delay(0.0, 0.0)
    assert pacer.delay(now, time) == 0.0


@given(walls=st.lists(st.floats(0.0, 0.5), min_size=1, max_size=50))
def test_never_waits_longer_than_one_period_of_simulated_time(walls: list[float]) -> None:
    pacer, now = RealTimePacer(1.0), 0.0
    for i, wall in enumerate(walls):
        now += wall
        delay = pacer.delay(now, 0.02 * i)
        assert 0.0 <= delay <= 0.12 + 1e-9
        now += delay


@pytest.mark.parametrize("rate", [1.0, 5.0, 7.0, 25.0, 30.0, 50.0])
def test_is_due_at_its_rate_over_ten_seconds(rate: float) -> None:
    timer = RateTimer(rate)
    periods = sum(timer.due(i * PERIOD) for i in range(500))
    assert periods == pytest.approx(10 * rate, abs=1)


def test_is_due_evenly_for_a_sum_of_time_steps() -> None:
    timer, time, periods = RateTimer(5.0), 0.0, []
    for i in range(5000):
        time = sum((0.002,) * 10, time)
        if timer.due(time):
            periods.append(i)
    assert {later - earlier for earlier, later in pairwise(periods[1:])} == {10}


@given(rate=st.floats(0.1, 50.0), gaps=st.lists(st.floats(0.0, 5.0), min_size=1))
def test_is_never_due_twice_at_one_instant(rate: float, gaps: list[float]) -> None:
    timer, time = RateTimer(rate), 0.0
    for gap in gaps:
        time += gap
        timer.due(time)
        assert not timer.due(time)


def test_time_inside_a_part_is_counted_towards_it() -> None:
    profiler = StepProfiler()
    with profiler.of("work"):
        end = monotonic() + 0.01
        while monotonic() < end:
            pass
    name, fraction = profiler.summary().rsplit(" ", 1)
    assert name == "work"
    assert 0.0 < float(fraction.rstrip("%")) <= 100.0
    profiler.restart()
    assert profiler.summary() == "no steps"


def test_a_policy_gives_the_base_zones_and_limits_near_people(simulation: Simulation, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    zone = "{id: way, name: way, polygon: [[2.8, 2.0], [3.2, 2.0], [3.2, 2.4], [2.8, 2.4]]}"
    file.write_text(f"keep_out: [{zone}]\nnear_people: {{distance: 10, speed: 0.2}}")
    guarded = Simulation.load(HOME, seed=0, policy=str(file))
    (kept_out,) = guarded.world.keep_out
    guarded.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": Pose.planar(4.0, 2.2, 0.0)}, 60.0))
    fastest, entered = 0.0, False
    while guarded.advance() is None:
        fastest = max(fastest, float(np.linalg.norm(guarded.control.base_velocity[:2])))
        entered |= kept_out.contains(*guarded.control.base_pose[:2])
    assert 0.1 < fastest < 0.25
    assert not entered
    assert simulation.world.keep_out == ()


def test_goals_and_results_are_in_the_map_of_a_robot_that_is_elsewhere_than_it_believes() -> None:
    simulation = Simulation.load(HOME, seed=0, drift=DriftName.MILD)
    simulation.localisation.T_map_odom = T_map_odom = yaw_matrix(0.3, -0.2, -0.05)
    goal = Pose.planar(1.3, 2.0, 0.1)
    simulation.start(ValidatedGoal("navigate", Verb.NAVIGATE, {"goal": goal}, 60.0))
    result = until_it_ends(simulation)
    assert result.success
    told = [result.evidence[name] for name in ("x", "y", "yaw")]
    true = yaw_matrix(*simulation.control.base_pose)
    believed = Pose.from_matrix(simulation.localisation.T_map_world @ true)
    assert told == pytest.approx([*believed.position[:2], believed.yaw], abs=1e-3)
    assert told[:2] == pytest.approx(goal.position[:2], abs=0.1), "what drifted on the way is left"
    meant = inverse(T_map_odom) @ goal.matrix()
    assert true[:2, 3] == pytest.approx(meant[:2, 3], abs=0.1)
    assert np.hypot(*(meant[:2, 3] - goal.position[:2])) > 0.2
