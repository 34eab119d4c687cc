"""Parameters set by the user (YAML files, node.parameter=value), validated before any node is started."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

import yaml
from pydantic import ValidationError

from openral_bringup.graph.errors import InvalidDeployment
from openral_bringup.graph.node_spec import NodeSpec, ParameterValue
from openral_bringup.lifecycle_manager.node import BringupParameters
from openral_core.documents import read_yaml
from openral_core.errors import format_choices
from openral_perception_ros.parameters import DetectorParameters
from openral_reasoner_ros.parameters import ReasonerParameters
from openral_ros.parameters import Parameters
from openral_sim.ros.parameters import SimParameters
from openral_world_state.ros.parameters import WorldStateParameters

MODELS: Mapping[str, type[Parameters]] = {
    "sim": SimParameters,
    "detector": DetectorParameters,
    "world_state": WorldStateParameters,
    "reasoner": ReasonerParameters,
    "bringup": BringupParameters,
}
OF_EVERY_NODE = "use_sim_time"


def overridden(
    nodes: Sequence[NodeSpec], overrides: Mapping[str, Mapping[str, object]], problems: list[str]
) -> tuple[NodeSpec, ...]:
    """Return the nodes with these parameters on top, addressed by node name or, for detectors, by slug."""
    names = {node.key: node for node in nodes}
    problems += unknown("--set {}.…", overrides, nodes)
    changed = {
        name: node.with_parameters(cast(Mapping[str, ParameterValue], overrides.get(name, {})))
        for name, node in names.items()
    }
    for name in sorted(set(overrides) & set(changed)):
        problems += _wrong(changed[name])
    return tuple(changed.values())


def defaults(node: NodeSpec) -> dict[str, object]:
    """Return the parameters of a node that the deployment does not set, with their defaults."""
    model = MODELS.get(node.name)
    fields = {} if model is None else model.model_fields
    return {name: field.get_default() for name, field in fields.items() if name not in node.parameters}


def unknown(flag: str, keys: Iterable[str], nodes: Sequence[NodeSpec]) -> list[str]:
    """Return a problem for each key that names no node, beginning with ``flag`` formatted with the key."""
    known = {node.key for node in nodes}
    problem = f"no such node; nodes are {format_choices(sorted(known))}"
    return [f"{flag.format(key)}: {problem}" for key in sorted(set(keys) - known)]


def _wrong(node: NodeSpec) -> list[str]:
    given = {name: value for name, value in node.parameters.items() if name != OF_EVERY_NODE}
    try:
        MODELS[node.name].model_validate(given)
    except ValidationError as error:
        return [
            f"--set {node.key}.{'.'.join(map(str, e['loc']))}: {e['msg']}, found {e['input']!r}"
            for e in error.errors()
        ]
    return []


Overrides = dict[str, dict[str, object]]


def overrides_of(files: Iterable[Path], settings: Iterable[str]) -> Overrides:
    """Return parameters from files (``node: {parameter: value}``) and ``node.parameter=value`` settings.

    Raises:
        InvalidDeployment: Naming every setting that is not of that form.
        InvalidDocument: If a file cannot be read.
    """
    result: Overrides = {}
    problems: list[str] = []
    for file in files:
        for node, parameters in read_yaml(file).items():
            if isinstance(parameters, dict):
                result.setdefault(node, {}).update(parameters)
            else:
                problems.append(
                    f"--params {file}: {node!r} must map parameters to values, found {parameters!r}"
                )
    for setting in settings:
        _set(result, setting, problems)
    if problems:
        raise InvalidDeployment(problems)
    return result


def _set(result: Overrides, setting: str, problems: list[str]) -> None:
    path, equals, value = setting.partition("=")
    node, dot, parameter = path.partition(".")
    if not (equals and dot and node and parameter):
        problems.append(f"--set {setting}: expected node.parameter=value, as in sim.seed=3")
        return
    result.setdefault(node, {})[parameter] = yaml.safe_load(value)
