"""A skill's parameters, filled from what peers answered; a pose is never taken from the model."""

from collections.abc import Callable, Mapping
from math import isfinite

from openral_core.errors import OpenRALError, listed
from openral_core.geometry import Pose
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import ParamValue, Verb
from openral_reasoner.palettes import SkillEntry
from openral_reasoner.procedures.things import Thing

Extra = str | int | float | bool
_Source = Callable[[Thing], Extra]

_KNOWN: Mapping[str, _Source] = {
    "label": lambda thing: thing.label,
    "inside": lambda thing: thing.containers[0] if thing.containers else "",
    "size_x": lambda thing: thing.size[0],
    "size_y": lambda thing: thing.size[1],
    "size_z": lambda thing: thing.size[2],
}
_PYTHON: Mapping[ParameterType, tuple[type, ...]] = {
    ParameterType.STRING: (str,),
    ParameterType.FLOAT: (float, int),
    ParameterType.INT: (int,),
    ParameterType.BOOL: (bool,),
}


class MissingParameter(OpenRALError):
    """A skill needs something that nobody has told."""

    def __init__(self, skill: str, parameter: str, given: Mapping[str, Extra]) -> None:
        super().__init__(f"{skill} needs {parameter!r}; given are {listed(given)}")


def bind(entry: SkillEntry, thing: Thing, extras: Mapping[str, Extra]) -> dict[str, ParamValue]:
    """Every parameter of the manifest that can be known.

    Raises:
        MissingParameter: If a required one is not known.
    """
    params: dict[str, ParamValue] = {}
    for spec in entry.parameters:
        value = _value(spec, entry.verb, thing, extras)
        if value is not None:
            params[spec.name] = value
        elif spec.required:
            raise MissingParameter(entry.id, spec.name, extras)
    return params


def not_filled_in(entry: SkillEntry) -> tuple[ParameterSpec, ...]:
    """Parameters that nobody but the caller can know."""
    return tuple(spec for spec in entry.parameters if not _filled_in(spec))


def _filled_in(spec: ParameterSpec) -> bool:
    return spec.type is ParameterType.POSE or spec.name in _KNOWN or _is_id(spec)


def _is_id(spec: ParameterSpec) -> bool:
    return spec.type is ParameterType.STRING and (spec.name == "id" or spec.name.endswith("_id"))


def _value(spec: ParameterSpec, verb: Verb, thing: Thing, extras: Mapping[str, Extra]) -> ParamValue | None:
    if spec.type is ParameterType.POSE:
        return _pose(verb, thing)
    if spec.name in _KNOWN:
        return typed(spec, _KNOWN[spec.name](thing))
    if _is_id(spec):
        return thing.id
    return typed(spec, extras.get(spec.name))


def _fits(value: Extra) -> bool:
    """Whether a message can hold it."""
    return not isinstance(value, int | float) or (isfinite(value) and abs(value) < 2**63)


def _pose(verb: Verb, thing: Thing) -> Pose | None:
    return thing.standing if verb is Verb.NAVIGATE else thing.pose


def typed(spec: ParameterSpec, value: Extra | None) -> ParamValue | None:
    """The value as the skill takes it; None when it is of another type."""
    if value is None or isinstance(value, bool) is not (spec.type is ParameterType.BOOL):
        return None
    if not isinstance(value, _PYTHON[spec.type]) or not _fits(value):
        return None
    return float(value) if spec.type is ParameterType.FLOAT else value
