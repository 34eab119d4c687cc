"""Parameters of nodes as a user gives them: YAML files and single settings."""

from collections.abc import Iterable
from pathlib import Path

import yaml

from openral_bringup.graphs.impossible import ImpossibleChoices
from openral_core.documents import read_yaml

Overrides = dict[str, dict[str, object]]


def overrides_of(files: Iterable[Path], settings: Iterable[str]) -> Overrides:
    """Parameters from files (``node: {parameter: value}``) and from ``node.parameter=value`` words.

    Raises:
        ImpossibleChoices: Naming every word that is not of that form.
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
        raise ImpossibleChoices(problems)
    return result


def _set(result: Overrides, setting: str, problems: list[str]) -> None:
    path, equals, value = setting.partition("=")
    node, dot, parameter = path.partition(".")
    if not (equals and dot and node and parameter):
        problems.append(f"--set {setting}: expected node.parameter=value, as in sim.seed=3")
        return
    result.setdefault(node, {})[parameter] = yaml.safe_load(value)
