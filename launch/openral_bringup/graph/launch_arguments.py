"""Launch arguments, derived from the options of a deployment, and their conversion to options."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from pathlib import Path

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from openral_bringup.graph.errors import Problems
from openral_bringup.graph.options import DEFAULT_SCENE, RENAMED, DeploymentOptions
from openral_bringup.graph.overrides import Overrides, overrides_of
from openral_bringup.graph.resources import scene_path


@dataclass(frozen=True, slots=True)
class Argument:
    """One launch argument; lists are separated by commas."""

    name: str
    default: str
    description: str
    choices: list[str] | None = None


def _argument(name: str, field: FieldInfo) -> Argument:
    """Return the launch argument of an option."""
    kind, default = field.annotation, DEFAULT_SCENE if field.is_required() else field.default
    if isinstance(default, tuple):
        return Argument(name, ",".join(default), f"{field.description}, separated by commas")
    if isinstance(default, bool):
        return Argument(name, str(default).lower(), field.description or "", ["true", "false"])
    choices = [choice.value for choice in kind] if isinstance(kind, type) and issubclass(kind, Enum) else None
    return Argument(name, str(default), field.description or "", choices)


_ARGUMENT_NAMES = {option: name for name, option in RENAMED.items()}
_SPELLED = {
    _ARGUMENT_NAMES.get(option, option): option
    for option in DeploymentOptions.model_fields
    if option != "overrides"
}
"""Launch arguments that are options, with the name of their field."""
ARGUMENTS = (
    *(_argument(name, DeploymentOptions.model_fields[option]) for name, option in _SPELLED.items()),
    Argument("rskills", "", "folders of your own rSkills, separated by commas"),
    Argument("domain_id", "", "ROS_DOMAIN_ID of the graph, or auto for a free one"),
    Argument("params", "", "YAML files of node: {parameter: value}, separated by commas"),
    Argument("set", "", "node.parameter=value, separated by semicolons"),
)


def options_from_launch(arguments: Mapping[str, str]) -> tuple[DeploymentOptions, list[str]]:
    """Return the options that launch arguments describe, and every problem with them.

    An invalid argument is left at its default, so that the rest can be checked too.
    """
    problems = Problems()
    files = [Path(file) for file in _split(arguments.get("params", ""))]
    settings = _split(arguments.get("set", ""), ";")
    nothing: Overrides = {}
    content: dict[str, object] = {
        option: _split(arguments[name]) if _is_list(option) else arguments[name]
        for name, option in _SPELLED.items()
        if name in arguments
    }
    content["overrides"] = problems.attempt(lambda: overrides_of(files, settings), nothing)
    content["scene"] = problems.attempt(lambda: scene_path(arguments["scene"]), Path())
    try:
        return DeploymentOptions.model_validate(content), problems.found
    except ValidationError as error:
        wrong = {
            str(each["loc"][0]): f"--{each['loc'][0]}".replace("_", "-") + f" {each['input']}: {each['msg']}"
            for each in error.errors()
        }
        right = {name: value for name, value in content.items() if name not in wrong}
        return DeploymentOptions.model_validate(right), [*problems.found, *wrong.values()]


def unknown_arguments(given: Iterable[str]) -> list[str]:
    """Return a warning for each argument that the launch file does not have."""
    known = [argument.name for argument in ARGUMENTS]
    lines = []
    for name in sorted(set(given) - set(known)):
        near = get_close_matches(name, known, n=1)
        meant = f"; did you mean {near[0]}:=?" if near else ""
        lines.append(f"{name}:= is not an argument of sim_e2e.launch.py and has no effect{meant}")
    return lines


def _is_list(option: str) -> bool:
    return isinstance(DeploymentOptions.model_fields[option].default, tuple)


def _split(word: str, separator: str = ",") -> tuple[str, ...]:
    return tuple(part.strip() for part in word.split(separator) if part.strip())


OTHER_NAMES = {"camera": "cameras"}
_COMMANDS = re.compile(r"(`[^`]*`)")


def in_launch_spelling(problems: Iterable[str], arguments: Iterable[str]) -> list[str]:
    """Return problems with the flags of `deploy_sim.py` replaced by launch arguments, except in `commands`.

    Args:
        problems: Messages of one line or several.
        arguments: Names of the launch arguments; any other flag stays.
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
