"""The graph of a real robot: its skill server, the topics of its drivers, and no simulation."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from openral_bringup.deploy.main import robot_app
from openral_bringup.graph.bodies import robot_content
from openral_bringup.graph.description import build_graph
from openral_bringup.graph.options import DeploymentOptions, Drift, Floor, Sensors
from openral_bringup.graph.problems import InvalidDeployment, Problems
from openral_core.robot import driver_topics, load_robot
from openral_core.rskills import Verb
from openral_sim.odometry import DriftName
from openral_sim.rendering.sensor import SensorName
from openral_sim.robot.urdf import TIP
from openral_sim.ros.parameters import SimParameters, WorldSource
from openral_world_state.ros.parameters import WorldStateParameters

ROOT = Path(__file__).parents[3]
RSKILLS = [ROOT / "rskills"]
ROBOTS = sorted((ROOT / "robots").glob("*.yaml"))


def graph_of(file: Path, **choices: Any) -> Any:
    problems = Problems()
    content = {"detectors": "default", **robot_content(file, problems), **choices}
    return build_graph(DeploymentOptions.model_validate(content), RSKILLS, earlier=problems.collected)


@pytest.mark.parametrize("file", ROBOTS, ids=lambda file: file.stem)
def test_every_example_makes_a_graph_without_the_simulation(file: Path) -> None:
    graph = graph_of(file)
    assert [node.key for node in graph.nodes] == [
        "skill_server",
        "omdet_turbo_indoor",
        "omdet_turbo_locator",
        "world_state",
        "reasoner",
        "bringup",
    ]
    assert not any(node.parameters.get("use_sim_time") for node in graph.nodes)


@pytest.mark.parametrize(
    ("file", "frames"),
    [
        ("mobile_manipulator", ("map", "base_link", "gripper_link")),
        ("photographs", ("map", "camera_link", None)),
        ("shelf_camera", ("map", "camera_link", None)),
        ("tabletop_arm", ("map", "base_link", "tool0")),
    ],
)
def test_memory_and_mapper_use_the_frames_of_the_robot(file: str, frames: tuple[str | None, ...]) -> None:
    graph = graph_of(ROOT / "robots" / f"{file}.yaml", mapper=True)
    told = {node.key: node.parameters for node in graph.nodes}
    names = ("map_frame", "base_frame", "gripper_frame")
    assert tuple(told["world_state"].get(name) for name in names) == frames
    assert tuple(told["mapper"][name] for name in names[:2]) == frames[:2]


def test_memory_follows_the_gripper_of_the_simulated_robots() -> None:
    assert WorldStateParameters().gripper_frame == TIP


def test_the_examples_are_a_robot_that_acts_and_one_that_only_looks() -> None:
    skills = {file.stem: set(load_robot(file).skills) for file in ROBOTS}
    assert skills == {
        "foreign_sim": {Verb.NAVIGATE, Verb.LOOK_AT, Verb.GRASP, Verb.PLACE, Verb.HANDOVER},
        "mobile_manipulator": {Verb.NAVIGATE, Verb.LOOK_AT, Verb.GRASP, Verb.PLACE, Verb.HANDOVER, Verb.POUR},
        "photographs": set(),
        "shelf_camera": set(),
        "tabletop_arm": {Verb.OPEN},
    }


def test_nodes_listen_to_the_topics_of_the_drivers() -> None:
    graph = graph_of(ROOT / "robots" / "shelf_camera.yaml")
    for node in graph.nodes[1:4]:
        assert node.remaps["/shelf/image_raw"] == "/camera/color/image_raw"
        assert node.remaps["/shelf/depth"] == "/camera/aligned_depth_to_color/image_raw"


def test_relative_topics_are_in_the_robots_namespace(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    camera = {"image": "rgb", "info": "/info", "optical_frame": "optical"}
    file.write_text(yaml.safe_dump({"name": "r", "namespace": "/r1", "cameras": {"head": camera}}))
    assert driver_topics(load_robot(file)) == {
        "/r1/head/image_raw": "/r1/rgb",
        "/r1/head/camera_info": "/info",
    }
    assert {node.qualified.split("/")[1] for node in graph_of(file).nodes} == {"r1"}


def test_unaligned_depth_and_rectified_images_are_declared_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    camera = {"image": "/rgb", "info": "/info", "depth": "/d", "depth_info": "/d_info", "optical_frame": "f"}
    other = {"image": "/rect", "info": "/i2", "optical_frame": "g", "rectified": True}
    file.write_text(yaml.safe_dump({"name": "r", "cameras": {"head": camera, "hand": other}}))
    world_state = next(node for node in graph_of(file).nodes if node.name == "world_state")
    assert world_state.remaps["/head/depth/camera_info"] == "/d_info"
    assert world_state.parameters["rectified_cameras"] == ["hand"]


def test_detectors_of_the_simulation_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidDeployment, match="semantic images, which only the simulation publishes"):
        graph_of(ROOT / "robots" / "shelf_camera.yaml", detectors="groundtruth")


def test_a_mistake_in_the_file_and_one_in_a_flag_are_told_together(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump({"name": "r", "camera": {}}))
    with pytest.raises(InvalidDeployment) as refused:
        graph_of(file, run=("arm",))
    told = str(refused.value)
    assert "unknown key 'camera': valid here are 'arm', 'cameras'" in told
    assert "--run arm" in told


def test_a_map_that_does_not_exist_is_told(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    content = yaml.safe_load((ROOT / "robots" / "shelf_camera.yaml").read_text())
    file.write_text(yaml.safe_dump({**content, "map": "home.yaml"}))
    with pytest.raises(InvalidDeployment, match="key 'map' must name a map file"):
        graph_of(file)


def test_detectors_of_compressed_cameras_subscribe_to_the_drivers_compressed_topic(tmp_path: Path) -> None:
    content = yaml.safe_load((ROOT / "robots" / "shelf_camera.yaml").read_text())
    (camera,) = content["cameras"].values()
    content["cameras"] = {"head": {**camera, "transport": "compressed"}}
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(content))
    graph = graph_of(file)
    detectors = [node for node in graph.nodes if node.name == "detector"]
    assert detectors
    for node in detectors:
        assert node.parameters["compressed"] is True
        assert node.remaps["/head/image_raw/compressed"] == f"{camera['image']}/compressed"


def test_detectors_look_at_each_camera_as_often_as_the_file_says(tmp_path: Path) -> None:
    content = yaml.safe_load((ROOT / "robots" / "shelf_camera.yaml").read_text())
    (camera,) = content["cameras"].values()
    content["cameras"] = {
        "head": {**camera, "look_share": 3},
        "hand": {**camera, "look_rate": 2.5},
        "back": camera,
    }
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(content))
    detectors = [node for node in graph_of(file).nodes if node.name == "detector"]
    assert detectors
    for node in detectors:
        assert node.parameters["camera_shares"] == ["head:=3.0"]
        assert node.parameters["camera_rates"] == ["hand:=2.5"]


def test_the_simulation_gets_the_sensors_that_were_chosen_from_those_that_it_has() -> None:
    assert list(map(str, Sensors)) == list(map(str, SensorName))
    options = DeploymentOptions(scene=ROOT / "scenes" / "deploy" / "home.yaml", sensors=Sensors.REALSENSE)
    (sim,) = (node for node in build_graph(options, RSKILLS).nodes if node.key == "sim")
    assert SimParameters.model_validate(sim.parameters).sensors is SensorName.REALSENSE


def test_the_simulation_plans_on_the_floor_that_was_chosen_which_needs_a_mapper_if_perceived() -> None:
    assert list(map(str, Floor)) == list(map(str, WorldSource))
    scene = ROOT / "scenes" / "deploy" / "home.yaml"
    options = DeploymentOptions(scene=scene, floor=Floor.PERCEIVED, mapper=True)
    (sim,) = (node for node in build_graph(options, RSKILLS).nodes if node.key == "sim")
    assert SimParameters.model_validate(sim.parameters).floor is WorldSource.PERCEIVED
    with pytest.raises(InvalidDeployment, match="--floor perceived: add --mapper"):
        build_graph(options.model_copy(update={"mapper": False}), RSKILLS)


def test_an_odometry_that_drifts_is_corrected_by_the_mapper() -> None:
    assert list(map(str, Drift)) == list(map(str, DriftName))
    scene = ROOT / "scenes" / "deploy" / "home.yaml"
    options = DeploymentOptions(scene=scene, drift=Drift.MILD, map="none")
    nodes = {n.key: n for n in build_graph(options, RSKILLS).nodes}
    assert SimParameters.model_validate(nodes["sim"].parameters).drift is DriftName.MILD
    assert nodes["mapper"].parameters["localise"] is True
    still = {n.key: n for n in build_graph(DeploymentOptions(scene=scene, map="none"), RSKILLS).nodes}
    assert still["mapper"].parameters["localise"] is False
    with pytest.raises(InvalidDeployment, match="--drift mild: add --mapper or --map none"):
        build_graph(options.model_copy(update={"map": "shipped"}), RSKILLS)


def test_without_a_map_the_robot_finds_its_home_on_the_floor_that_it_sees() -> None:
    scene = ROOT / "scenes" / "deploy" / "home.yaml"
    nodes = {n.key: n for n in build_graph(DeploymentOptions(scene=scene, map="none"), RSKILLS).nodes}
    assert nodes["mapper"].parameters["furniture"] is True
    world = nodes["world_state"].parameters
    assert (world["map"], world["perceived_home"]) == ("", True)
    assert SimParameters.model_validate(nodes["sim"].parameters).floor is WorldSource.PERCEIVED
    assert "map_path" not in nodes["mapper"].parameters
    kept = DeploymentOptions(scene=scene, map="none", spatial_memory_path="runs/home.sqlite")
    mapper = next(n for n in build_graph(kept, RSKILLS).nodes if n.key == "mapper")
    assert mapper.parameters["map_path"] == "runs/home.floor.npz", "beside memory"
    shipped = {n.key: n for n in build_graph(DeploymentOptions(scene=scene), RSKILLS).nodes}
    assert "mapper" not in shipped
    assert (
        bool(shipped["world_state"].parameters["map"]),
        shipped["world_state"].parameters["perceived_home"],
    ) == (
        True,
        False,
    )


def test_a_map_of_ones_own_is_used_and_one_that_is_not_there_is_told(tmp_path: Path) -> None:
    scene, other = ROOT / "scenes" / "deploy" / "home.yaml", ROOT / "scenes" / "maps" / "flat.yaml"
    nodes = {n.key: n for n in build_graph(DeploymentOptions(scene=scene, map=str(other)), RSKILLS).nodes}
    assert nodes["world_state"].parameters["map"] == str(other)
    missing = DeploymentOptions(scene=scene, map=str(tmp_path / "none.yaml"))
    with pytest.raises(
        InvalidDeployment, match=r"none\.yaml: no such file; valid: shipped, none, or a map file"
    ):
        build_graph(missing, RSKILLS)


def test_the_command_line_has_the_flags_of_the_simulation_but_for_the_simulated_ones() -> None:
    shown = CliRunner().invoke(robot_app, ["--help"], env={"COLUMNS": "200"}).output
    assert all(flag in shown for flag in ("--robot", "--goal", "--detectors", "--brain", "--dry-run"))
    assert not any(
        flag in shown for flag in ("--scene", "--seed", "--real-time-factor", "--sensors", "--camera ")
    )


def test_a_dry_run_prints_the_graph() -> None:
    robot = str(ROOT / "robots" / "mobile_manipulator.yaml")
    done = CliRunner().invoke(robot_app, ["--robot", robot, "--dry-run"], env={"COLUMNS": "400"})
    assert done.exit_code == 0, done.output
    assert "openral_skills_ros" in done.output
