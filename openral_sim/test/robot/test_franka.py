import mujoco
import pytest

from openral_sim.robot.sim_robot import load_sim_robot

ROBOT = load_sim_robot()


def test_the_planner_and_the_model_share_one_gripper() -> None:
    model, geometry = ROBOT.model, ROBOT.gripper
    assert model.geom("robot/arm_left_pad").size == pytest.approx(geometry.pad_half_size)
    assert model.actuator("robot/gripper").ctrlrange[1] == geometry.finger_travel
    assert (geometry.max_opening, geometry.pad_depth) == (0.080, 0.014)
    assert (geometry.pad_half_width, geometry.finger_half_width) == (0.012, 0.018)


def test_the_tips_end_where_the_geometry_says() -> None:
    model = ROBOT.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    site, pad = data.site("robot/grasp"), data.geom("robot/arm_left_pad")
    approach = site.xmat.reshape(3, 3)[:, 2]
    tip = float(approach @ (pad.xpos - site.xpos)) + float(model.geom("robot/arm_left_pad").size[2])
    assert tip == pytest.approx(ROBOT.gripper.tip_length, abs=0.001)
