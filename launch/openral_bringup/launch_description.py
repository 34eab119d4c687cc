"""What the launch file starts, from the words given to `ros2 launch`."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from openral_bringup.domains import domain_of, occupy
from openral_bringup.graph.description import GraphDescription, build_graph
from openral_bringup.graph.errors import InvalidDeployment, Problems
from openral_bringup.graph.launch_arguments import in_launch_spelling, misspelt, options_from_launch
from openral_bringup.graph.preflight import missing_requirements
from openral_bringup.graph.resources import rskill_folders


@dataclass(frozen=True, slots=True)
class Launch:
    """A graph whose names this process holds in its domain; ``lines`` are for the operator."""

    graph: GraphDescription
    max_restarts: int
    variables: Mapping[str, str]
    lines: tuple[str, ...]


def prepare(words: Mapping[str, str], given: Iterable[str]) -> Launch:
    """The graph that the launch arguments describe.

    Args:
        words: Every argument of the launch file.
        given: Names of all arguments that `ros2 launch` was given, also those of no meaning here.

    Raises:
        ImpossibleChoices: Naming everything that stands against it, in the spelling of launch arguments.
    """
    try:
        return _prepared(words, given)
    except InvalidDeployment as error:
        raise InvalidDeployment(in_launch_spelling(error.problems, words)) from None


def _prepared(words: Mapping[str, str], given: Iterable[str]) -> Launch:
    choices, wrong = options_from_launch(words)
    problems = Problems(wrong)
    asked = problems.attempt(lambda: domain_of(words["domain_id"], os.environ), None)
    own = [each.strip() for each in words["rskills"].split(",") if each.strip()]
    folders = problems.attempt(lambda: rskill_folders(own), rskill_folders())
    requirements = partial(missing_requirements, folders=folders)
    graph = build_graph(choices, folders, known_problems=problems.found, requirements=requirements)
    domain = occupy(asked, [node.qualified for node in graph.started])
    lines = misspelt(given)
    lines += [
        f"{node.key} runs with {name}={value}"
        for node in graph.started
        for name, value in node.variables.items()
    ]
    variables = {"ROS_DOMAIN_ID": str(domain)} if words["domain_id"] else {}
    lines += [f"every node runs with {name}={value}" for name, value in variables.items()]
    return Launch(graph, choices.max_restarts, variables, tuple(lines))
