"""The launch arguments, and the choices they spell."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic import ValidationError

from openral_bringup.graph.errors import Problems
from openral_bringup.graph.options import Brain, DeploymentOptions, DetectorSet, LogLevel
from openral_bringup.graph.overrides import Overrides, overrides_of
from openral_bringup.graph.resources import scene_path


@dataclass(frozen=True, slots=True)
class Argument:
    """One launch argument; lists are separated by commas."""

    name: str
    default: str
    description: str
    choices: list[str] | None = None


ARGUMENTS = (
    Argument("scene", "home", "scene file, shipped scene's name, or generated:SEED"),
    Argument("detectors", "embedded", "set of detectors", [each.value for each in DetectorSet]),
    Argument("continuous", "", "continuous detectors instead of the set's, separated by commas"),
    Argument("on_demand", "", "locators instead of the set's, separated by commas; the first is the default"),
    Argument("accept_licence", "", "licences accepted, separated by commas"),
    Argument("rskills", "", "folders of your own rSkills, separated by commas"),
    Argument("weights_dir", "", "where weights of detectors lie; nothing is downloaded"),
    Argument("device", "cpu", "where models of detectors run: cpu, cuda, cuda:1, tensorrt"),
    Argument("locate_anything", "false", "add the locator for complex words", ["true", "false"]),
    Argument("gpu_budget_mb", "0.0", "memory of all detectors and skills together [MB]; 0 = the GPU's"),
    Argument("cameras", "head,wrist", "all camera ids, or id=/topics, the primary first"),
    Argument("brain", "scripted", "what decides the next tool call", [each.value for each in Brain]),
    Argument("model", "", "model of the anthropic or openai brain"),
    Argument("base_url", "", "endpoint of the openai brain"),
    Argument("spatial_memory_path", "", "memory to load and keep"),
    Argument("seed", "0", "draws object poses and detector noise"),
    Argument("real_time_factor", "1.0", "speed cap of the simulation; 0 = none"),
    Argument("handoff_timeout", "0.0", "wait for a human's answer [s]; 0 = end at once"),
    Argument("max_restarts", "5", "restarts of a node that dies, then it is left down"),
    Argument("run", "", "nodes to start here, separated by commas, when the others run on another host"),
    Argument("log_level", "info", "severity from which nodes speak", [each.value for each in LogLevel]),
    Argument("check_fields", "false", "check every message field's type, for development", ["true", "false"]),
    Argument("record", "", "folder for spans and events"),
    Argument("namespace", "", "namespace of the whole graph, as in /robot1"),
    Argument("domain_id", "", "ROS_DOMAIN_ID of the graph, or auto for a free one"),
    Argument("params", "", "YAML files of node: {parameter: value}, separated by commas"),
    Argument("set", "", "node.parameter=value, separated by semicolons"),
)
LISTS = {
    "continuous": "continuous",
    "on_demand": "on_demand",
    "accept_licence": "accepted_licences",
    "cameras": "cameras",
    "run": "run",
}
SETTINGS = ("params", "set")
OF_THE_LAUNCH = ("domain_id", "rskills")
"""What the launch file itself acts on."""


def options_from_launch(words: Mapping[str, str]) -> tuple[DeploymentOptions, list[str]]:
    """Launch arguments as checked choices, and everything that is wrong with them.

    What is wrong is left at its default, so that the rest can be checked too.
    """
    problems = Problems()
    scene = problems.attempt(lambda: scene_path(words["scene"]), Path())
    files = [Path(file) for file in _split(words.get("params", ""))]
    settings = _split(words.get("set", ""), ";")
    content: dict[str, object] = {
        name: word for name, word in words.items() if name not in (*LISTS, *SETTINGS, *OF_THE_LAUNCH, "scene")
    }
    content |= {LISTS[name]: _split(word) for name, word in words.items() if name in LISTS}
    nothing: Overrides = {}
    content["overrides"] = problems.attempt(lambda: overrides_of(files, settings), nothing)
    content["scene"] = scene
    try:
        return DeploymentOptions.model_validate(content), problems.found
    except ValidationError as error:
        wrong = {
            str(each["loc"][0]): f"--{each['loc'][0]}".replace("_", "-") + f" {each['input']}: {each['msg']}"
            for each in error.errors()
        }
        right = {name: value for name, value in content.items() if name not in wrong}
        return DeploymentOptions.model_validate(right), [*problems.found, *wrong.values()]


def misspelt(given: Iterable[str]) -> list[str]:
    """A line for each launch argument that is none of this launch file's."""
    known = [argument.name for argument in ARGUMENTS]
    lines = []
    for name in sorted(set(given) - set(known)):
        near = get_close_matches(name, known, n=1)
        meant = f"; did you mean {near[0]}:=?" if near else ""
        lines.append(f"{name}:= is not an argument of sim_e2e.launch.py and has no effect in it{meant}")
    return lines


def _split(word: str, separator: str = ",") -> tuple[str, ...]:
    return tuple(part.strip() for part in word.split(separator) if part.strip())


OTHER_NAMES = {"camera": "cameras"}
_COMMANDS = re.compile(r"(`[^`]*`)")


def in_launch_spelling(problems: Iterable[str], arguments: Iterable[str]) -> list[str]:
    """Problems as `deploy_sim.py` tells them, with flags as launch arguments; quoted commands stay.

    Args:
        problems: One line or several each.
        arguments: Names of the launch arguments; a flag without one stays.
    """
    flags = {argument.replace("_", "-"): argument for argument in arguments} | OTHER_NAMES
    flag = re.compile(rf"--({'|'.join(sorted(flags, key=len, reverse=True))})(?![\w-])(?: (?=\S))?")
    return [
        "".join(
            part if part.startswith("`") else flag.sub(lambda found: f"{flags[found[1]]}:=", part)
            for part in _COMMANDS.split(problem)
        )
        for problem in problems
    ]
