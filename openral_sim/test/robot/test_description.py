"""A robot's description is checked against itself and against its model; errors name what would be valid."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from openral_core.documents import InvalidDocument, read_yaml
from openral_sim.robot.catalogue import DESCRIPTIONS, UnknownSimRobot, shipped_robots
from openral_sim.robot.sim_robot import load_sim_robot

Changed = Callable[[dict], None]


def test_names_the_robots_that_there_are() -> None:
    with pytest.raises(UnknownSimRobot, match="franka"):
        load_sim_robot("r2d2")


@pytest.mark.parametrize("name", shipped_robots())
def test_every_shipped_robot_is_named_like_its_file(name: str) -> None:
    assert load_sim_robot(name).description.name == name


def described(tmp_path: Path, change: Changed) -> Path:
    """Write the default robot's description with a change."""
    content = dict(read_yaml(DESCRIPTIONS / "franka.yaml"))
    change(content)
    file = tmp_path / "changed.yaml"
    file.write_text(yaml.safe_dump(content))
    return file


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(wheels=4), "unknown key 'wheels': valid here are .*postures"),
        (lambda d: d["servos"].pop("lift"), "servos: needs one for each of .*lift"),
        (lambda d: d["postures"].update(stowed=[0.0, 1.0]), r"needs 8 values \(lift, .*\): stowed has 2"),
        (lambda d: d["arm"].update(speeds=[1.0]), "arm.speeds has 1"),
        (lambda d: d["base"].update(clearance=0.2), "radius 0.27 <= clearance 0.2"),
        (lambda d: d["model"].update(mjcf="a.xml"), "either 'mjcf', a file, or 'builtin'"),
        (lambda d: d["head"].update(joints=["lift", "head_tilt"]), "joints named twice: lift"),
    ],
)
def test_an_invalid_description_is_refused_with_what_would_be_valid(
    tmp_path: Path, change: Changed, message: str
) -> None:
    with pytest.raises(InvalidDocument, match=message):
        load_sim_robot(str(described(tmp_path, change)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["gripper"].update(link="paw"), "no body 'paw'; valid: .*arm_link7"),
        (
            lambda d: d["gripper"].update(joints=["thumb", "arm_right_finger_joint"]),
            "no joint 'thumb'; valid",
        ),
        (lambda d: d["base"].update(link="tracks"), "no body 'tracks'; valid: .*base_link"),
    ],
)
def test_a_description_that_does_not_fit_its_model_is_refused_when_it_is_composed(
    tmp_path: Path, change: Changed, message: str
) -> None:
    robot = load_sim_robot(str(described(tmp_path, change)))
    with pytest.raises(InvalidDocument, match=message):
        _ = robot.model
