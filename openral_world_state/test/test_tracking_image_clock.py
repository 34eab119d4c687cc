"""ROS time that begins anew: after a restart of the simulation, alone or with everything else."""

from dataclasses import replace
from pathlib import Path

import pytest

from openral_core.detectors import Detection
from openral_core.spatial_memory import Presence, RecallQuery, RecallStatus
from openral_core.text import Thesaurus
from openral_testing.synthetic_depth import Block as Counter
from openral_testing.synthetic_depth import Cylinder, Plane, Solid, look_at_pose, render_depth
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

ROOM: dict[str, Solid] = {
    "_counter": Counter((2.0, 4.19, 0.45), (2.6, 0.6, 0.9)),
    "_wall": Plane((0.0, 1.0, 0.0), 4.5),
    "_floor": Plane((0.0, 0.0, 1.0), 0.0),
}
HERE, THERE = 1.6, 2.5
DETECTOR = "sim-groundtruth"


def opened(path: str = "") -> WorldModel:
    world = open_world(None, path, WorldModelSettings(), Thesaurus.load())
    world.vocabularies.set(DETECTOR, ("mug",))
    return world


def see(world: WorldModel, stamp: float, *mugs: float) -> None:
    bodies: dict[str, Solid] = {f"mug at {x}": Cylinder((x, 4.1, 0.95), 0.04, 0.1, hollow=True) for x in mugs}
    shot = render_depth(
        {**bodies, **ROOM}, look_at_pose((2.0, 3.05, 1.35), (2.0, 4.2, 0.9)), size=(320, 240), stamp=stamp
    )
    for earlier in (0.02, 0.01, 0.0):  # three images confirm an object
        view = replace(shot.view, stamp=stamp - earlier)
        world.integrate(view, [Detection(shot.boxes[name], "mug", 0.9) for name in bodies], DETECTOR)


def anew(world: WorldModel, path: str, how: str) -> WorldModel:
    """The same memory after the simulation, or everything, was started again."""
    if how == "the simulation":
        return world
    world.memory.close()
    return opened(path)


@pytest.fixture(params=["the simulation", "everything"])
def how(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("then", [0.0, 1.0, 480.0])
def test_what_was_taken_away_meanwhile_is_gone(tmp_path: Path, how: str, then: float) -> None:
    path = str(tmp_path / "memory.sqlite")
    before = opened(path)
    see(before, 500.0, HERE)
    world = anew(before, path, how)
    for look in range(12):
        see(world, then + 0.5 * look)
    assert world.memory.get("mug_1").presence is Presence.GONE
    assert world.recall(RecallQuery("mug"), then + 6.0).status is RecallStatus.NOT_IN_MEMORY


def test_what_was_moved_meanwhile_is_still_one(tmp_path: Path, how: str) -> None:
    path = str(tmp_path / "memory.sqlite")
    before = opened(path)
    see(before, 500.0, HERE)
    world = anew(before, path, how)
    for look in range(12):
        see(world, 1.0 + 0.5 * look, THERE)
    assert [record.id for record in world.memory] == ["mug_1"]
    assert world.memory.get("mug_1").pose.position[0] == pytest.approx(THERE, abs=0.05)
    assert world.recall(RecallQuery("mug"), 7.0).status is RecallStatus.FOUND


def test_an_image_of_the_other_camera_that_comes_late_is_of_the_same_time() -> None:
    world = opened()
    see(world, 100.0, HERE)
    see(world, 96.0)
    assert world.memory.get("mug_1").last_seen == 100.0
    assert world.memory.get("mug_1").misses == 0


def test_what_was_dated_ahead_fades_when_images_tell_the_time() -> None:
    world = opened()
    see(world, 2e9, HERE)
    for look in range(12):
        see(world, 100.0 + look)
    assert world.memory.get("mug_1").presence is Presence.GONE


@pytest.mark.parametrize(("now", "found"), [(500.5, True), (499.5, True), (520.0, False), (100.0, False)])
def test_what_is_dated_ahead_is_not_young(now: float, found: bool) -> None:
    world = opened()
    see(world, 500.0, HERE)
    answer = world.recall(RecallQuery("mug", max_age=10.0), now)
    assert (answer.status is RecallStatus.FOUND) is found
