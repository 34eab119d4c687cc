"""The robot of a graph: a simulated one, or a real one described by robot.yaml."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from openral_bringup.graph.nodes import NodeSpec, ParameterValue
from openral_bringup.graph.options import DEFAULT_SIM_ROBOT, DeploymentOptions, Drift, Floor
from openral_bringup.graph.problems import Flag, Problem, Problems
from openral_core.consent.policy import InvalidPolicy, load_policy
from openral_core.documents import InvalidDocument, read_yaml
from openral_core.emergency_stop import write_first_record
from openral_core.errors import quoted
from openral_core.home_map import load_map
from openral_core.policies import PolicyBackend
from openral_core.robot import RobotDescription, driver_topics, load_robot

STOP_FILE = "emergency_stop.json"
"""Name of the file that keeps an emergency stop."""


@dataclass(frozen=True, slots=True)
class RobotBody:
    """The node that serves the robot's skills, the map of its home, and its cameras and frames.

    ``geometry`` holds parameters of `world_state`, ``looks`` of the detectors; ``semantic``: its cameras also
    publish semantic images; ``has_skills``: something moves it.
    """

    node: NodeSpec
    home_map: str = ""
    remaps: Mapping[str, str] = field(default_factory=dict)
    geometry: Mapping[str, ParameterValue] = field(default_factory=dict)
    looks: Mapping[str, ParameterValue] = field(default_factory=dict)
    semantic: bool = False
    has_skills: bool = True


def simulated_body(
    options: DeploymentOptions, folders: list[str], variables: Mapping[str, str], problems: list[Problem]
) -> RobotBody:
    """Return the simulation; ``variables`` are additions to its environment."""
    parameters: dict[str, ParameterValue] = {
        "scene": str(options.scene),
        "robot": sim_robot(options.sim_robot, problems),
        "seed": options.seed,
        "real_time_factor": options.real_time_factor,
        "sensors": options.sensors.value,
        "drift": options.drift.value,
        "floor": Floor.PERCEIVED.value if options.finds_home else options.floor.value,
        "stop_file": f"{options.record}/{STOP_FILE}" if options.record else "",
        "rskill_folders": folders,
        "record": options.record,
    }
    node = NodeSpec("sim", "openral_sim", "sim", options.namespace, 0, parameters, variables=variables)
    if options.floor is Floor.PERCEIVED and not (options.mapper or options.finds_home):
        add_mapper = Flag("floor", "perceived"), ": add ", Flag("mapper"), ", which builds the map; "
        or_own = "with SLAM of your own, leave out ", Flag("floor"), " and add "
        problems.append(Problem(*add_mapper, *or_own, Flag("set", "sim.floor=perceived")))
    if options.drift is not Drift.OFF and not (options.mapper or options.finds_home):
        remedies = ": add ", Flag("mapper"), " or ", Flag("map", "none")
        problems.append(Problem(Flag("drift", "mild"), *remedies, ", since the mapper localises the robot"))
    home_map = given_map(options, problems) or home_map_of(options.scene, problems)
    node = node.with_parameters(policy_parameter(options.policy, home_map, problems))
    return RobotBody(node, "" if options.finds_home else home_map, semantic=True)


def sim_robot(name: str, problems: list[Problem]) -> str:
    """Return a simulated robot by name or absolute path; add to ``problems`` if there is none."""
    if name == DEFAULT_SIM_ROBOT:
        return name
    from openral_sim.robot.catalogue import UnknownSimRobot, robot_file, shipped_robots

    try:
        return name if name in shipped_robots() else str(robot_file(name))
    except UnknownSimRobot as error:
        problems.append(Problem(Flag("robot", name), f": {error.reason}"))
        return DEFAULT_SIM_ROBOT


def sim_robot_notice(options: DeploymentOptions) -> tuple[str, ...]:
    """Return what has to be told of the licence of a simulated robot."""
    if not options.simulated or options.sim_robot == DEFAULT_SIM_ROBOT:
        return ()
    from openral_sim.robot.catalogue import licence_notice

    notice = licence_notice(options.sim_robot)
    return (f"robot {options.sim_robot}: {notice}",) if notice else ()


def given_map(options: DeploymentOptions, problems: list[Problem]) -> str:
    """Return the file of the map that was given, "" if none was; add to ``problems`` if it is missing."""
    file = options.chosen_map
    if file and not Path(file).is_file():
        text = ": no such file; valid: shipped, none, or a map file"
        problems.append(Problem(Flag("map", options.map), text))
        return ""
    return file


def policy_parameter(file: str, home_map: str, problems: list[Problem]) -> dict[str, ParameterValue]:
    """Return the skill server's parameter of a policy; add to ``problems`` what is wrong with its file."""
    try:
        load_policy(file, load_map(Path(home_map)) if file and Path(home_map).is_file() else None)
    except InvalidPolicy as error:
        problems.append(Problem(f"policy {error}"))
    except InvalidDocument:  # a map that world_state reports
        pass
    return {"policy": str(Path(file).resolve()) if file else ""}


def home_map_of(scene: Path, problems: list[Problem]) -> str:
    """Return the path of the map that a scene names; add to ``problems`` if there is none."""
    if scene == Path():  # not found, which is reported already
        return ""
    try:
        content = read_yaml(scene)
    except InvalidDocument as error:
        problems.append(Problem(f"scene {error}"))
        return ""
    home_map = scene.parent / str(content.get("map", ""))
    if not home_map.is_file():
        text = f"scene {scene}: key 'map' must name a map file, found {quoted(content.get('map'))}"
        problems.append(Problem(text))
    return str(home_map.resolve())


def real_body(options: DeploymentOptions, folders: list[str], problems: list[Problem]) -> RobotBody:
    """Return the skill server of a real robot; add to ``problems`` what its robot.yaml lacks."""
    parameters: dict[str, ParameterValue] = {
        "robot": str(options.robot),
        "rskill_folders": folders,
        "record": options.record,
    }
    node = NodeSpec("skill_server", "openral_skills_ros", "skill_server", options.namespace, 0, parameters)
    try:
        robot = load_robot(options.robot)
    except InvalidDocument:  # reported when the options were made
        return RobotBody(node)
    home_map = (options.robot.parent / robot.map).resolve() if robot.map else None
    if chosen_map := given_map(options, problems):
        home_map = Path(chosen_map)
    if home_map is not None and not home_map.is_file():
        problems.append(Problem(f"{options.robot}: key 'map' must name a map file, found {robot.map!r}"))
    policy = options.policy or (str(options.robot.parent / robot.policy) if robot.policy else "")
    node = node.with_parameters(policy_parameter(policy, str(home_map or ""), problems))
    node = node.with_parameters({"stop_file": str(stop_file_of(robot))})
    geometry = frames_of(robot)
    if rectified := [camera for camera, topics in robot.cameras.items() if topics.rectified]:
        geometry["rectified_cameras"] = rectified
    streams = driver_topics(robot)
    drawn_map = "" if options.finds_home else str(home_map or "")
    return RobotBody(node, drawn_map, streams, geometry, looks_of(robot), robot.semantic, bool(robot.skills))


def looks_of(robot: RobotDescription) -> dict[str, ParameterValue]:
    """Return what detectors have to know of a robot's cameras, by the names of their parameters."""
    cameras = robot.cameras.items()
    rates = [f"{name}:={each.look_rate}" for name, each in cameras if each.look_rate is not None]
    shares = [f"{name}:={each.look_share}" for name, each in cameras if each.look_share != 1.0]
    looks: dict[str, ParameterValue] = {
        "compressed": robot.compressed,
        "camera_rates": rates,
        "camera_shares": shares,
    }
    return {name: value for name, value in looks.items() if value}


def frames_of(robot: RobotDescription) -> dict[str, ParameterValue]:
    """Return the frames of a robot by the names of world_state's parameters."""
    frames: dict[str, ParameterValue] = {"map_frame": robot.frames.map, "base_frame": robot.frames.base}
    backends = (each for each in robot.skills.values() if isinstance(each, PolicyBackend))
    tips = [robot.arm.tip] if robot.arm else [each.workspace.tip for each in backends if each.workspace]
    return {**frames, "gripper_frame": tips[0]} if tips else frames


def stop_file_of(robot: RobotDescription) -> Path:
    """Return the file that keeps a robot's emergency stop over restarts of the whole deployment."""
    home = Path(os.environ.get("ROS_HOME") or Path.home() / ".ros")
    name = f"{robot.namespace}/{robot.name}".strip("/").replace("/", ".")
    return home / "openral" / name / STOP_FILE


def write_first_records(nodes: Iterable[NodeSpec]) -> None:
    """Record that robots were never stopped whose stop files have no folder yet; called once per start.

    A skill server that is started again finds its file, or starts stopped.
    """
    for node in nodes:
        if file := node.parameters.get("stop_file"):
            simulated = node.package == "openral_sim"
            write_first_record(Path(str(file)), node.qualified, empty_is_new=simulated)


def robot_content(file: Path, problems: Problems) -> dict[str, object]:
    """Return the options that robot.yaml decides: namespace and cameras."""
    robot = problems.attempt(lambda: load_robot(file), None) if file != Path() else None
    content: dict[str, object] = {"robot": file, "scene": Path()}
    if robot is not None:
        content |= {"namespace": robot.namespace, "cameras": tuple(robot.cameras)}
    return content
