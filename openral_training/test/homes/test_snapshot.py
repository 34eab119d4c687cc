from pathlib import Path

from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import load_scene
from openral_sim.scene.world import SimWorldModel
from openral_training.homes.snapshot import snapshots


def test_there_is_a_snapshot_of_every_place_and_camera() -> None:
    scene = load_scene(Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml")
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    names = [name for name, rgb in snapshots(world, 64, 48) if rgb.std() > 5]
    assert set(world.places) <= set(names)
    assert {"overview", "robot_head", "robot_wrist"} <= set(names)
