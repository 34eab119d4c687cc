"""Graph that the launch file starts, from the arguments given to `ros2 launch`."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from openral_bringup.domains import domain_of, occupy
from openral_bringup.graph.description import GraphDescription, build_graph
from openral_bringup.graph.errors import InvalidDeployment, Problems
from openral_bringup.graph.launch_arguments import in_launch_spelling, options_from_launch, unknown_arguments
from openral_bringup.graph.preflight import missing_requirements
from openral_bringup.graph.resources import rskill_folders


@dataclass(frozen=True, slots=True)
class Launch:
    """Graph whose node names this process has claimed in its domain; ``lines`` are for the operator."""

    graph: GraphDescription
    max_restarts: int
    variables: Mapping[str, str]
    lines: tuple[str, ...]


def prepare(arguments: Mapping[str, str], given: Iterable[str]) -> Launch:
    """Build the graph that the launch arguments describe.

    Args:
        arguments: Every argument of the launch file with its value.
        given: Names of all arguments that `ros2 launch` was given, including unknown ones.

    Raises:
        InvalidDeployment: With every problem, in the spelling of launch arguments.
    """
    try:
        return _prepared(arguments, given)
    except InvalidDeployment as error:
        raise InvalidDeployment(in_launch_spelling(error.problems, arguments)) from None


def _prepared(arguments: Mapping[str, str], given: Iterable[str]) -> Launch:
    options, wrong = options_from_launch(arguments)
    problems = Problems(wrong)
    asked = problems.attempt(lambda: domain_of(arguments["domain_id"], os.environ), None)
    own = [folder.strip() for folder in arguments["rskills"].split(",") if folder.strip()]
    folders = problems.attempt(lambda: rskill_folders(own), rskill_folders())
    requirements = partial(missing_requirements, folders=folders)
    graph = build_graph(options, folders, known_problems=problems.found, requirements=requirements)
    domain = occupy(asked, [node.qualified for node in graph.started])
    lines = unknown_arguments(given)
    lines += [
        f"{node.key}: environment {name}={value}"
        for node in graph.started
        for name, value in node.variables.items()
    ]
    variables = {"ROS_DOMAIN_ID": str(domain)} if arguments["domain_id"] else {}
    lines += [f"every node: environment {name}={value}" for name, value in variables.items()]
    return Launch(graph, options.max_restarts, variables, tuple(lines))
