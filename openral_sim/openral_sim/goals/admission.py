"""Checks a goal against the rSkill it names and against what this robot serves."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from openral_core.errors import listed
from openral_core.geometry import Pose
from openral_core.names import UnknownId
from openral_core.rskills import ParameterSpec, ParameterType, Registry, SkillManifest
from openral_core.skills import ParamValue, SkillGoal, Verb
from openral_sim.skills.failures import BadRequest, UnservedVerb

_TYPES: Mapping[ParameterType, tuple[type[ParamValue], ...]] = {
    ParameterType.STRING: (str,),
    ParameterType.FLOAT: (float, int),
    ParameterType.INT: (int,),
    ParameterType.BOOL: (bool,),
    ParameterType.POSE: (Pose,),
}


@dataclass(frozen=True, slots=True)
class AdmittedGoal:
    """A goal that fits its manifest; ``deadline`` in [s] of wall-clock time."""

    rskill_id: str
    verb: Verb
    params: Mapping[str, ParamValue]
    deadline: float


def admit(goal: SkillGoal, registry: Registry, served: Collection[Verb]) -> AdmittedGoal:
    """The goal as work for the robot.

    Raises:
        BadRequest: If the rSkill is unknown or the parameters or the deadline do not fit it; names each.
        UnservedVerb: If this robot does not serve the rSkill's verb.
    """
    try:
        manifest = registry.skill(goal.rskill_id)
    except UnknownId as error:
        raise BadRequest(str(error)) from error
    if manifest.verb not in served:
        raise UnservedVerb(manifest.verb, served)
    problems = [*_parameter_problems(manifest, goal.params), *_deadline_problems(goal.deadline)]
    if problems:
        raise BadRequest(f"{manifest.id}: " + "; ".join(problems))
    return AdmittedGoal(manifest.id, manifest.verb, goal.params, goal.deadline or manifest.deadline)


def _parameter_problems(manifest: SkillManifest, given: Mapping[str, ParamValue]) -> Iterator[str]:
    specs = {spec.name: spec for spec in manifest.parameters}
    for name, spec in specs.items():
        if name in given:
            yield from _type_problems(spec, given[name])
        elif spec.required:
            yield f"parameter '{name}' ({spec.type}) is missing"
    for extra in sorted(set(given) - set(specs)):
        yield f"unknown parameter '{extra}': valid are {listed(specs)}"


def _type_problems(spec: ParameterSpec, value: ParamValue) -> Iterator[str]:
    # bool is an int in Python, never on the wire.
    fits = isinstance(value, _TYPES[spec.type]) and isinstance(value, bool) is (
        spec.type is ParameterType.BOOL
    )
    if not fits:
        yield f"parameter '{spec.name}' must be a {spec.type}, found {type(value).__name__.lower()} {value!r}"
    elif isinstance(value, float) and not isfinite(value):
        yield f"parameter '{spec.name}' must be finite, found {value!r}"


def _deadline_problems(deadline: float) -> Iterator[str]:
    if not (isfinite(deadline) and deadline >= 0.0):
        yield f"deadline must be a time in [s], or 0 for the manifest's, found {deadline!r}"
