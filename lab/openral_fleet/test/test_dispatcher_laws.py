"""Laws of the dispatcher under lost, doubled and late messages, kills and restarts of everything."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from openral_fleet.errands import parse_errands
from openral_fleet.events import Ticked
from openral_fleet.records import ErrandState


def _load(name: str) -> ModuleType:
    """Load a module beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WORLD = _load("fleet_world")
GOALS = (
    "bring me the mug",
    "find the spoon",
    "pour water into the glass",
    "put the book on the shelf",
    "bring me two plates",
    "bring me the bowl",
)
FAULTS = ("kill", "kill", "restart", "cut", "join", "kill fleet", "die before sending", "start fleet")
"""Kinds of faults; to cut a robot off is to take its network, not its life."""
LONGEST = 3000.0
ROBOTS = ("r1", "r2", "r3")
fault = st.tuples(st.floats(0.0, 250.0), st.sampled_from(FAULTS), st.sampled_from(ROBOTS))


def world_of(goals: tuple[str, ...], robots: int, seed: int, loss: float, delay: float) -> Any:
    return WORLD.FleetWorld(parse_errands({"errands": list(goals)}), robots, seed, loss, delay)


def put_through(world: Any, faults: list[tuple[float, str, str]]) -> None:
    """Run a world with faults until 300 s, then let everything work again until the end."""
    for at, kind, name in sorted(faults):
        while world.now < at:
            world.step()
        if "fleet" in kind or "die" in kind:
            hit_dispatcher(world, kind)
        else:
            hit_robot(world.robots.get(name, world.robots["r1"]), kind)
    while world.now < 300.0:
        world.step()
    heal(world)
    world.run(LONGEST)


def hit_robot(robot: Any, kind: str) -> None:
    if kind == "kill":
        robot.kill()
    elif kind == "restart":
        robot.restart()
    else:
        robot.reachable = kind == "join"


def hit_dispatcher(world: Any, kind: str) -> None:
    if kind == "start fleet":
        if world.dispatcher is None:
            world.start_dispatcher()
    elif kind == "die before sending":
        world.handle(Ticked(), dies_before_sending=True)
    else:
        world.kill_dispatcher()


def heal(world: Any) -> None:
    world.loss = 0.0
    for robot in world.robots.values():
        robot.reachable = True
        robot.restart()
    if world.dispatcher is None:
        world.start_dispatcher()
    for robot in world.robots.values():
        robot.report()


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow], phases=(Phase.explicit, Phase.generate)
)
@given(
    robots=st.integers(1, 3),
    seed=st.integers(0, 10_000),
    loss=st.sampled_from((0.0, 0.2, 0.5)),
    delay=st.sampled_from((0.0, 3.0, 9.0)),
    journaled=st.booleans(),
    human=st.booleans(),
    faults=st.lists(fault, max_size=8),
)
def test_no_errand_is_with_two_robots_or_done_twice_and_every_one_ends(
    robots: int,
    seed: int,
    loss: float,
    delay: float,
    journaled: bool,
    human: bool,
    faults: list[tuple[float, str, str]],
) -> None:
    world = world_of(GOALS, robots, seed, loss, delay)
    world.human = human
    for robot in world.robots.values():
        robot.journaled = journaled
    put_through(world, faults)
    assert world.violations == []
    counted = {errand: count for errand, count in world.effects.items() if count > 1}
    assert set(counted) <= {"e2"}, "a look may be repeated, an acting step may not"
    assert world.ended, [(each.id, each.state.value, each.reason) for each in world.disk.records]
    done = {each.id for each in world.disk.records if each.state is ErrandState.DONE}
    assert all(world.effects[errand] for errand in done), "what ends done was done"


@pytest.mark.parametrize("robots", [1, 2, 3])
def test_without_faults_every_errand_is_done_once(robots: int) -> None:
    world = world_of(GOALS, robots, 1, 0.0, 0.2)
    world.run(LONGEST)
    assert {each.state for each in world.disk.records} == {ErrandState.DONE}
    assert set(world.effects.values()) == {1}


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.floats(1.0, 60.0))
def test_after_a_stop_no_robot_works_and_nothing_new_begins(seed: int, at: float) -> None:
    world = world_of(GOALS, 2, seed, 0.0, 0.2)
    world.run(at)
    world.stop_everything()
    for _ in range(20):
        world.step()
    assert [robot.mission for robot in world.robots.values()] == [None, None]
    assert world.ended
    acted = len(world.actors)
    for _ in range(100):
        world.step()
    assert len(world.actors) == acted


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_the_same_events_give_the_same_commands(seed: int) -> None:
    first, second = (world_of(GOALS, 2, seed, 0.2, 3.0) for _ in range(2))
    for world in (first, second):
        world.run(400.0)
    assert first.disk == second.disk
    assert first.actors == second.actors
