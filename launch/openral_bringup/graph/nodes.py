"""Specification of a node to start, and parameters set by the user (YAML files, node.parameter=value).

A file may be in ROS's own form: ``/node: {ros__parameters: {name: value}}``, nested, with wildcards.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import cast

import yaml
from pydantic import ValidationError

from openral_bringup.graph.problems import Flag, InvalidDeployment, Problem
from openral_bringup.graph.resources import NotInstalled
from openral_core.documents import read_yaml
from openral_core.environment import node_environment
from openral_core.errors import format_choices, quoted, shortened
from openral_core.parsing import InvalidText, parse_yaml
from openral_ros.node_names import short_name
from openral_ros.parameters import Parameters

ParameterValue = bool | int | float | str | list[str]


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """Arguments of `ros2 run` for one process, and the level at which bring-up activates its node.

    ``level`` is None for a node that bring-up does not manage; ``awake`` is False for one that is configured
    and left inactive. ``remaps`` holds absolute names, ``variables`` additions to its environment, ``own``
    patterns of environment variables that only this node receives, such as the API key of its model.
    ``members`` are the nodes of a component container, which has no node of its own.
    """

    name: str
    package: str
    executable: str
    namespace: str = ""
    level: int | None = None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    awake: bool = True
    remaps: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    log_level: str = "info"
    members: "tuple[NodeSpec, ...]" = ()

    @property
    def qualified(self) -> str:
        """Fully qualified name, ``/openral/perception/sim_groundtruth/detector``."""
        return f"{self.namespace.rstrip('/')}/{self.name}"

    @property
    def key(self) -> str:
        """Short unique name: a detector's slug, else the node's name."""
        return short_name(self.qualified)

    @property
    def run_nodes(self) -> "tuple[NodeSpec, ...]":
        """Nodes of the process."""
        return self.members or (self,)

    @property
    def managed_as(self) -> str:
        """Entry of bring-up's parameter `nodes`."""
        return f"{self.level}:{self.qualified}" + ("" if self.awake else "=inactive")

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the node's process, selected from ``variables``."""
        return {**node_environment(variables, self.own), **self.variables}

    def with_parameters(self, parameters: Mapping[str, ParameterValue]) -> "NodeSpec":
        """Return the node with additional or changed parameters."""
        return replace(self, parameters={**self.parameters, **parameters})


def node_arguments(node: NodeSpec, folder: Path) -> list[str]:
    """Return the ROS arguments of one node, and write its parameters to ``folder``/<key>.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{node.key}.yaml"
    file.write_text(yaml.safe_dump({node.qualified: {PARAMETERS: dict(node.parameters)}}))
    names = {"__node": node.name, "__ns": node.namespace or "/", **node.remaps}
    rules = [word for name, other in names.items() for word in ("-r", f"{name}:={other}")]
    return [*rules, "--params-file", str(file)]


MODELS: Mapping[str, str] = {
    "sim": "openral_sim.ros.parameters:SimParameters",
    "skill_server": "openral_skills_ros.parameters:SkillServerParameters",
    "detector": "openral_perception_ros.parameters:DetectorParameters",
    "world_state": "openral_world_state.ros.parameters:WorldStateParameters",
    "mapper": "openral_mapping.ros.parameters:MapperParameters",
    "reasoner": "openral_reasoner_ros.parameters:ReasonerParameters",
    "bringup": "openral_bringup.lifecycle_manager.node:BringupParameters",
}
"""Parameter models by node, imported when one is asked for: that of the simulation needs all of MuJoCo."""


def model_of(name: str) -> type[Parameters] | None:
    """Return the parameter model of a node; None for one beside the graph.

    Raises:
        NotInstalled: If the package of the node is not in this environment.
    """
    if name not in MODELS:
        return None
    module, _, kind = MODELS[name].partition(":")
    package = module.partition(".")[0]
    try:
        model: type[Parameters] = getattr(import_module(module), kind)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise NotInstalled(package) from error
    return model


def overridden(
    nodes: Sequence[NodeSpec], overrides: Mapping[str, Mapping[str, object]], problems: list[Problem]
) -> tuple[NodeSpec, ...]:
    """Return the nodes with these parameters on top, addressed by node name or, for detectors, by slug.

    A key that begins with a slash is a name of ROS: fully qualified, or with wildcards, whose parameters
    count for the nodes that have them. The more a key names one node alone, the later it counts.
    """
    lost = [key for key in overrides if "*" not in key and not _selected(key, nodes)]
    problems += unknown({key: Flag("set", f"{key}.…") for key in lost}, nodes)
    changed = {node.key: node for node in nodes}
    for key in sorted(overrides, key=_precision):
        for name in _selected(key, nodes):
            values = overrides[key]
            if "*" in key:
                values = {each: value for each, value in values.items() if _has(changed[name], each)}
            changed[name] = changed[name].with_parameters(cast(Mapping[str, ParameterValue], values))
    for name in sorted({name for key in overrides for name in _selected(key, nodes)}):
        problems += parameter_problems(changed[name])
    return tuple(changed.values())


def _selected(key: str, nodes: Sequence[NodeSpec]) -> list[str]:
    """Return the keys of the nodes that a key of overrides selects; a wildcard may select none."""
    if not key.startswith("/"):
        return [node.key for node in nodes if node.key == key]
    return [node.key for node in nodes if matches(key, node.qualified) or key == f"/{node.key}"]


def _precision(key: str) -> int:
    return 3 if not key.startswith("/") else 2 - key.count("*") if key.count("*") < 2 else 0


def _has(node: NodeSpec, parameter: str) -> bool:
    model = model_of(node.name)
    return of_client_library(parameter) or (model is not None and parameter in model.model_fields)


def defaults(node: NodeSpec) -> dict[str, object]:
    """Return the parameters of a node that the deployment does not set, with their defaults."""
    model = model_of(node.name)
    fields = {} if model is None else model.model_fields
    return {name: field.get_default() for name, field in fields.items() if name not in node.parameters}


def unknown(flags: Mapping[str, Flag], nodes: Sequence[NodeSpec]) -> list[Problem]:
    """Return a problem for each key that names no node, with the flag that it is from."""
    keys = {node.key for node in nodes}
    text = f": no such node; nodes are {format_choices(sorted(keys))}"
    return [Problem(flags[key], text) for key in sorted(set(flags) - keys)]


def parameter_problems(node: NodeSpec) -> list[Problem]:
    """Return a problem for each parameter that the node does not have or accept."""
    values = {name: value for name, value in node.parameters.items() if not of_client_library(name)}
    model = model_of(node.name)
    try:
        if model is not None:
            model.model_validate(values)
    except ValidationError as error:
        return [
            Problem(
                Flag("set", ".".join(map(str, (node.key, *e["loc"])))),
                f": {e['msg']}, found {quoted(e['input'])}",
            )
            for e in error.errors()
        ]
    return []


Overrides = dict[str, dict[str, object]]


def overrides_of(files: Iterable[Path], settings: Iterable[str]) -> Overrides:
    """Return parameters from files and from ``node.parameter=value`` settings.

    A file is in ROS's own form, or ``node: {parameter: value}``; a setting may name one, too.

    Raises:
        InvalidDeployment: Naming every setting that is not of that form.
        InvalidDocument: If a file cannot be read.
    """
    result: Overrides = {}
    problems: list[Problem] = []
    for file in files:
        _add_file(result, file, problems)
    for setting in settings:
        path, equals, value = setting.partition("=")
        node, dot, parameter = path.partition(".")
        if not equals and setting.endswith((".yaml", ".yml")):
            _add_file(result, Path(setting), problems)
        elif equals and dot and node and parameter:
            try:
                result.setdefault(node, {})[parameter] = parse_yaml(value)
            except InvalidText as error:
                problems.append(Problem(Flag("set", shortened(path, 200)), f": {error}"))
        else:
            expected = ": expected node.parameter=value, as in sim.seed=3"
            problems.append(Problem(Flag("set", shortened(setting, 200)), expected))
    if problems:
        raise InvalidDeployment(problems)
    return result


def _add_file(result: Overrides, file: Path, problems: list[Problem]) -> None:
    """Add the parameters of a file; a later one counts more."""
    content = read_yaml(file)
    sections = list(ros_sections(content))
    if not sections:
        for node, parameters in content.items():
            if isinstance(parameters, dict):
                sections.append((str(node), parameters))
            else:
                text = f": {quoted(node)} must map parameters to values, found {quoted(parameters)}"
                problems.append(Problem(Flag("params", str(file)), text))
    for node, values in sections:
        result.setdefault(node, {}).update(values)


PARAMETERS = "ros__parameters"
OF_CLIENT_LIBRARY = ("use_sim_time", "start_type_description_service", "qos_overrides.")
"""Parameters, or beginnings of them, that rclpy itself declares; `ros2 param dump` writes them too."""


def ros_sections(content: Mapping[str, object], above: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    """Yield (node, parameters) of each section in ROS's form; nested parameters get dotted names.

    A name without a slash stays as it is. Any other is absolute; ``*`` is one part of it, ``**`` any number.
    """
    for name, below in content.items():
        if not isinstance(below, dict):
            continue
        words = str(name)
        path = f"{above.rstrip('/')}/{words.strip('/')}" if above or "/" in words else words
        if PARAMETERS in below:
            yield path, dict(_dotted(below[PARAMETERS] or {}))
        else:
            yield from ros_sections(below, path if path.startswith("/") else f"/{path}")


def _dotted(values: object, above: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(values, dict):
        for name, value in values.items():
            yield from _dotted(value, f"{above}{name}.")
    else:
        yield above.rstrip("."), values


def matches(pattern: str, name: str) -> bool:
    """Return whether an absolute pattern such as ``/**/detector`` is one of a fully qualified name."""
    expression = re.escape(pattern).replace(r"/\*\*", "(?:/[^/]+)*").replace(r"\*", "[^/]*")
    return re.fullmatch(expression, name) is not None


def of_client_library(parameter: str) -> bool:
    """Return whether rclpy declares a parameter, so that the model of a node does not have it."""
    return parameter.startswith(OF_CLIENT_LIBRARY)
