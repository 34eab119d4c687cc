"""Parameters of a skill goal: from the target where it has them, else from the model's call."""

from collections.abc import Callable, Mapping
from math import isfinite

from openral_core.errors import OpenRALError, format_choices
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import ParamValue, Verb
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import SkillEntry

Extra = str | int | float | bool
_Source = Callable[[MissionObject], Extra]

_KNOWN: Mapping[str, _Source] = {
    "label": lambda target: target.label,
    "inside": lambda target: target.containers[0] if target.containers else "",
    "size_x": lambda target: target.size[0],
    "size_y": lambda target: target.size[1],
    "size_z": lambda target: target.size[2],
}
_PYTHON: Mapping[ParameterType, tuple[type, ...]] = {
    ParameterType.STRING: (str,),
    ParameterType.FLOAT: (float, int),
    ParameterType.INT: (int,),
    ParameterType.BOOL: (bool,),
}


class MissingParameter(OpenRALError):
    """A skill requires a parameter that is unknown."""

    def __init__(self, skill: str, parameter: str, arguments: Mapping[str, Extra]) -> None:
        super().__init__(f"{skill} requires parameter {parameter!r}; given: {format_choices(arguments)}")


def bind(entry: SkillEntry, target: MissionObject, extras: Mapping[str, Extra]) -> dict[str, ParamValue]:
    """Fill in every parameter of the manifest that is known.

    Raises:
        MissingParameter: If a required parameter is unknown.
    """
    params: dict[str, ParamValue] = {}
    for spec in entry.parameters:
        value = value_of(spec, entry.verb, target, extras)
        if value is not None:
            params[spec.name] = value
        elif spec.required:
            raise MissingParameter(entry.id, spec.name, extras)
    return params


def not_filled_in(entry: SkillEntry) -> tuple[ParameterSpec, ...]:
    """Return the parameters that only the caller can provide."""
    return tuple(
        spec
        for spec in entry.parameters
        if not (spec.type is ParameterType.POSE or spec.name in _KNOWN or _is_id(spec))
    )


def _is_id(spec: ParameterSpec) -> bool:
    return spec.type is ParameterType.STRING and (spec.name == "id" or spec.name.endswith("_id"))


def value_of(
    spec: ParameterSpec, verb: Verb, target: MissionObject, extras: Mapping[str, Extra]
) -> ParamValue | None:
    """Return the value of a parameter: from the target, else from the model; None if unknown."""
    if spec.type is ParameterType.POSE:
        return target.standing if verb is Verb.NAVIGATE else target.pose
    if spec.name in _KNOWN:
        return typed(spec, _KNOWN[spec.name](target))
    if _is_id(spec):
        return target.id
    return typed(spec, extras.get(spec.name))


def typed(spec: ParameterSpec, value: Extra | None) -> ParamValue | None:
    """Convert a value to the parameter's type; None if it has another type."""
    if value is None or isinstance(value, bool) is not (spec.type is ParameterType.BOOL):
        return None
    if not isinstance(value, _PYTHON[spec.type]):
        return None
    if isinstance(value, int | float) and not (isfinite(value) and abs(value) < 2**63):
        return None  # no message can hold it
    return float(value) if spec.type is ParameterType.FLOAT else value
