"""Launch arguments, derived from the options of a deployment, and the graph that `ros2 launch` starts."""

import os
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from openral_bringup.domains import domain_of, occupy
from openral_bringup.graph.bodies import robot_content, sim_robot_notice, write_first_records
from openral_bringup.graph.composition import component_arguments
from openral_bringup.graph.description import GraphDescription, build_graph
from openral_bringup.graph.detectors import missing_requirements
from openral_bringup.graph.middleware import limit_discovery
from openral_bringup.graph.nodes import NodeSpec, Overrides, overrides_of
from openral_bringup.graph.options import (
    CAMERA_FLAG,
    DEFAULT_SCENE,
    OF_ROBOT,
    OF_SIMULATION,
    RENAMED,
    RENAMED_IN_SIMULATION,
    DeploymentOptions,
    with_default,
)
from openral_bringup.graph.problems import Flag, InvalidDeployment, Problem, Problems
from openral_bringup.graph.resources import require_simulation, robot_path, rskill_folders, scene_path
from openral_core.discovery import VARIABLE

if TYPE_CHECKING:
    from launch import LaunchContext, LaunchDescription
    from launch.actions import LogInfo
    from launch_ros.actions import Node


@dataclass(frozen=True, slots=True)
class Argument:
    """One launch argument; lists are separated by commas."""

    name: str
    default: str
    description: str
    choices: list[str] | None = None


def argument_of(name: str, field: FieldInfo) -> Argument:
    """Return the launch argument of an option."""
    kind, default = field.annotation, DEFAULT_SCENE if field.is_required() else field.default
    if default == Path():
        return Argument(name, "", field.description or "")
    if isinstance(default, tuple):
        return Argument(name, ",".join(default), f"{field.description}, separated by commas")
    if isinstance(default, bool):
        return Argument(name, str(default).lower(), field.description or "", ["true", "false"])
    choices = [choice.value for choice in kind] if isinstance(kind, type) and issubclass(kind, Enum) else None
    return Argument(name, str(default), field.description or "", choices)


def _spelled(*, simulated: bool) -> dict[str, str]:
    """Return the launch arguments that are options, with the name of their field."""
    names = {option: name for name, option in (RENAMED_IN_SIMULATION if simulated else RENAMED).items()}
    left_out = {"overrides", *(OF_ROBOT if simulated else OF_SIMULATION)}
    return {names.get(each, each): each for each in DeploymentOptions.model_fields if each not in left_out}


_COMMON = (
    Argument("rskills", "", "folders of your own rSkills, separated by commas"),
    Argument("domain_id", "", "ROS_DOMAIN_ID of the graph, or auto for a free one"),
    Argument("params", "", "YAML files of node: {parameter: value}, separated by commas"),
    Argument("set", "", "node.parameter=value, separated by semicolons"),
)


def _arguments(*, simulated: bool) -> tuple[Argument, ...]:
    fields = {
        name: with_default(option, DeploymentOptions.model_fields[option], simulated=simulated)
        for name, option in _spelled(simulated=simulated).items()
    }
    return (*(argument_of(name, field) for name, field in fields.items()), *_COMMON)


ARGUMENTS = _arguments(simulated=True)
"""Arguments of `sim_e2e.launch.py`."""
ROBOT_ARGUMENTS = _arguments(simulated=False)
"""Arguments of `robot.launch.py`."""


def options_from_launch(arguments: Mapping[str, str]) -> tuple[DeploymentOptions, list[Problem]]:
    """Return the options that launch arguments describe, and every problem with them.

    An invalid argument is left at its default, so that the rest can be checked too.
    """
    problems, simulated = Problems(), "scene" in arguments
    files = [Path(file) for file in split_list(arguments.get("params", ""))]
    settings = split_list(arguments.get("set", ""), ";")
    nothing: Overrides = {}
    content: dict[str, object] = {
        option: split_list(arguments[name])
        if isinstance(DeploymentOptions.model_fields[option].default, tuple)
        else arguments[name]
        for name, option in _spelled(simulated=simulated).items()
        if name in arguments
    }
    content["overrides"] = problems.attempt(lambda: overrides_of(files, settings), nothing)
    if not simulated:
        file = problems.attempt(lambda: robot_path(arguments["robot"]), Path())
        content |= robot_content(file, problems)
    else:
        require_simulation()
        content["scene"] = problems.attempt(lambda: scene_path(arguments["scene"]), Path())
    try:
        return DeploymentOptions.model_validate(content), problems.collected
    except ValidationError as error:
        names = {option: name for name, option in _spelled(simulated=simulated).items()}
        wrong = {
            option: Problem(Flag(names.get(option, option), str(item["input"])), f": {item['msg']}")
            for item in error.errors()
            if (option := str(item["loc"][0]))
        }
        right = {name: value for name, value in content.items() if name not in wrong}
        return DeploymentOptions.model_validate(right), [*problems.collected, *wrong.values()]


def default_of(argument: Argument) -> str:
    """Return the default of a launch argument on this machine, where one variable sets the discovery."""
    chosen = os.environ.get(VARIABLE, "") if argument.name == "discovery" else ""
    return chosen or argument.default


def unknown_arguments(names: Iterable[str], arguments: Collection[str]) -> list[str]:
    """Return a warning for each argument that the launch file does not have."""
    lines = []
    for name in sorted(set(names) - set(arguments)):
        near = get_close_matches(name, arguments, n=1)
        hint = f"; did you mean {near[0]}:=?" if near else ""
        lines.append(f"{name}:= is not an argument of this launch file and has no effect{hint}")
    return lines


def split_list(word: str, separator: str = ",") -> tuple[str, ...]:
    """Split a list argument; empty parts are dropped."""
    return tuple(part.strip() for part in word.split(separator) if part.strip())


def launch_spelling(flag: Flag, arguments: Collection[str]) -> str:
    """Return a flag of `deploy_sim.py` as a launch argument, or as it is if there is none."""
    name = CAMERA_FLAG.get(flag.name, flag.name)
    return f"{name}:={flag.value}" if name in arguments else str(flag)


@dataclass(frozen=True, slots=True)
class Launch:
    """Graph whose node names this process has claimed in its domain; ``lines`` are for the operator."""

    graph: GraphDescription
    max_restarts: int
    variables: Mapping[str, str]
    lines: tuple[str, ...]


def prepare(arguments: Mapping[str, str], names: Iterable[str]) -> Launch:
    """Build the graph that the launch arguments describe.

    Args:
        arguments: Every argument of the launch file with its value.
        names: Names of all arguments that `ros2 launch` was given, including unknown ones.

    Raises:
        InvalidDeployment: With every problem, in the spelling of launch arguments.
    """
    try:
        return _prepared(arguments, names)
    except InvalidDeployment as error:
        spell = partial(launch_spelling, arguments=arguments)
        raise InvalidDeployment(error.problems, spell) from None


def _prepared(arguments: Mapping[str, str], names: Iterable[str]) -> Launch:
    options, wrong = options_from_launch(arguments)
    problems = Problems(wrong)
    requested_domain = problems.attempt(lambda: domain_of(arguments["domain_id"], os.environ), None)
    folders = problems.attempt(lambda: rskill_folders(split_list(arguments["rskills"])), rskill_folders())
    requirements = partial(missing_requirements, folders=folders)
    reach = limit_discovery(options.discovery)
    graph = build_graph(options, folders, earlier=problems.collected, requirements=requirements)
    domain = occupy(requested_domain, [node.qualified for node in graph.started])
    write_first_records(graph.started)
    lines = [reach, *unknown_arguments(names, arguments)]
    lines += [
        f"{node.key}: environment {name}={value}"
        for node in graph.started
        for name, value in node.variables.items()
    ]
    lines += sim_robot_notice(options)
    variables = {"ROS_DOMAIN_ID": str(domain)} if arguments["domain_id"] else {}
    lines += [f"every node: environment {name}={value}" for name, value in variables.items()]
    return Launch(graph, options.max_restarts, variables, tuple(lines))


def describe(arguments: Sequence[Argument]) -> "LaunchDescription":
    """Describe the graph that the values of these launch arguments choose, as every launch file does."""
    # Only a launch file needs ROS's launch system; the arguments are known without it.
    from launch import LaunchDescription
    from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
    from launch.substitutions import LaunchConfiguration

    declared = [
        DeclareLaunchArgument(
            a.name, default_value=default_of(a), description=a.description, choices=a.choices
        )
        for a in arguments
    ]

    def nodes(context: "LaunchContext") -> "list[LogInfo | Node]":
        values = {a.name: LaunchConfiguration(a.name).perform(context) for a in arguments}
        launch = prepare(values, context.launch_configurations)
        started = [_node(spec, launch, context.environment) for spec in launch.graph.processes]
        return [*(LogInfo(msg=line) for line in launch.lines), *started]

    return LaunchDescription([*declared, OpaqueFunction(function=nodes)])


def _node(spec: NodeSpec, launch: Launch, environment: Mapping[str, str]) -> "Node":
    from launch_ros.actions import Node

    if spec.members:
        folder = Path(tempfile.mkdtemp(prefix="openral_params_"))
        of_node: dict[str, Any] = {"arguments": component_arguments(spec.members, folder)}
    else:
        of_node = {
            "name": spec.name,
            "namespace": spec.namespace,
            "parameters": [dict(spec.parameters)],
            "remappings": list(spec.remaps.items()),
        }
    return Node(
        package=spec.package,
        executable=spec.executable,
        **of_node,
        env={**spec.environment(environment), **launch.variables},
        ros_arguments=["--log-level", spec.log_level, "--enclave", spec.qualified],
        output="screen",
        respawn=True,
        respawn_delay=1.0,
        respawn_max_retries=launch.max_restarts,
    )
