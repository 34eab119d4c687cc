"""A frozen pydantic model is a node's ROS parameters: default, bounds and description said once.

A node reads them when it is configured. A value that it could not run with is refused when it is set; so is
any value while the node is active, since it would change nothing.
"""

from collections.abc import Container, Iterable, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TypeVar, get_args, get_origin
from weakref import WeakKeyDictionary, ref

from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException
from rclpy.node import Node
from rclpy.parameter import Parameter

from openral_core.errors import OpenRALError


class Parameters(BaseModel):
    """Base of every node's parameter model."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


AnyParameters = TypeVar("AnyParameters", bound=Parameters)
_SCALARS: Mapping[type, Parameter.Type] = {
    bool: Parameter.Type.BOOL,
    int: Parameter.Type.INTEGER,
    float: Parameter.Type.DOUBLE,
    str: Parameter.Type.STRING,
}
_ARRAYS: Mapping[type, Parameter.Type] = {
    bool: Parameter.Type.BOOL_ARRAY,
    int: Parameter.Type.INTEGER_ARRAY,
    float: Parameter.Type.DOUBLE_ARRAY,
    str: Parameter.Type.STRING_ARRAY,
}


class InvalidParameters(OpenRALError):
    """Parameter values the node cannot run with."""

    def __init__(self, node: str, problems: list[str]) -> None:
        super().__init__(f"parameters of {node}: " + "; ".join(problems))


def declare(node: Node, model: type[AnyParameters]) -> AnyParameters:
    """Declare every field of ``model`` on the node and read the values back, checked.

    Declaring again (a second configure) reads the current values.

    Raises:
        InvalidParameters: Naming each parameter, the value found and what would be valid.
    """
    values = {name: _value(node, name, field) for name, field in model.model_fields.items()}
    if node not in _models:
        _models[node] = model
        node.add_on_set_parameters_callback(partial(_judge, ref(node), model))
    try:
        return model.model_validate({name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        raise InvalidParameters(node.get_fully_qualified_name(), _problems(model, error)) from error


_models: "WeakKeyDictionary[Node, type[Parameters]]" = WeakKeyDictionary()


def effect(node: Node, asked: Iterable[Parameter]) -> str:
    """When values that were set will hold, in words; "" when they are none of a model's."""
    model = _models.get(node)
    if model is None or not any(each.name in model.model_fields for each in asked):
        return ""
    return f"takes effect when {node.get_fully_qualified_name()} is configured next"


def _judge(weak: "ref[Node]", model: type[AnyParameters], asked: Iterable[Parameter]) -> SetParametersResult:
    """Whether these values may be set now."""
    node, news = weak(), {each.name: each.value for each in asked if each.name in model.model_fields}
    if node is None or not news:
        return SetParametersResult(successful=True)
    name = node.get_fully_qualified_name()
    if state_of(node) in _READ:
        reason = (
            f"{name} is {state_of(node)} and reads its parameters when it is configured: "
            f"deactivate it, set them, then 'ros2 lifecycle set {name} cleanup' and configure"
        )
        return SetParametersResult(successful=False, reason=reason)
    switches = [each for each, value in news.items() if isinstance(value, bool) and _is_number(model, each)]
    if switches:
        return SetParametersResult(successful=False, reason=f"{', '.join(switches)}: expected a number")
    held = {each: node.get_parameter_or(each, None) for each in model.model_fields}
    values = {each: parameter.value for each, parameter in held.items() if parameter is not None}
    values = {each: value for each, value in {**values, **news}.items() if value is not None}
    try:
        model.model_validate(values)
    except ValidationError as error:
        # Others that are wrong too are set right one after the other.
        if problems := _problems(model, error, news):
            return SetParametersResult(successful=False, reason="; ".join(problems))
    return SetParametersResult(successful=True)


def _is_number(model: type[Parameters], name: str) -> bool:
    return _parameter_type(model.model_fields[name].annotation) is Parameter.Type.DOUBLE


_READ = ("active", "activating", "deactivating")


def state_of(node: Node) -> str:
    """The lifecycle state of a managed node; any other runs from its beginning."""
    machine = getattr(node, "_state_machine", None)
    return str(machine.current_state[1]) if machine is not None else "active"


def _problems(
    model: type[Parameters], error: ValidationError, names: Container[object] | None = None
) -> list[str]:
    """What is wrong, of these names alone when they are given."""
    wrong = [e for e in error.errors() if names is None or not e["loc"] or e["loc"][0] in names]
    return [_problem(model, _where(e["loc"]), e) for e in wrong]


def _value(node: Node, name: str, field: FieldInfo) -> object:
    kind = _parameter_type(field.annotation)
    if not node.has_parameter(name):
        descriptor = _descriptor(field, kind)
        try:
            node.declare_parameter(
                name,
                # rclpy takes an empty list for bytes, and then refuses words: it stays unset.
                kind if field.is_required() or field.default == () else _plain(field.get_default()),
                descriptor,
            )
        except InvalidParameterTypeException as error:
            raise InvalidParameters(node.get_fully_qualified_name(), [f"{name}: {error}"]) from error
    parameter = node.get_parameter_or(name, None)
    return None if parameter is None else parameter.value


def _parameter_type(annotation: object) -> Parameter.Type:
    if get_origin(annotation) in (tuple, list):
        return _ARRAYS[get_args(annotation)[0]]
    if isinstance(annotation, type):
        return next(
            (t for scalar, t in _SCALARS.items() if issubclass(annotation, scalar)),
            Parameter.Type.STRING,
        )
    return Parameter.Type.STRING


def _descriptor(field: FieldInfo, kind: Parameter.Type) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(description=field.description or "", type=kind.value)
    # ROS refuses 200 for 200.0; pydantic takes it, and still refuses words.
    descriptor.dynamic_typing = kind is Parameter.Type.DOUBLE
    low, high = _bound(field, Ge, "ge"), _bound(field, Le, "le")
    if low is None or high is None:
        return descriptor
    if kind is Parameter.Type.DOUBLE:
        descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
    if kind is Parameter.Type.INTEGER:
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high), step=1)]
    return descriptor


def _bound(field: FieldInfo, constraint: type, attribute: str) -> float | None:
    """A closed bound; an open one (gt, lt) has no counterpart in a descriptor and is checked by pydantic."""
    return next((float(getattr(m, attribute)) for m in field.metadata if isinstance(m, constraint)), None)


def _plain(default: object) -> object:
    """The default as ROS holds it."""
    if isinstance(default, Enum):
        return default.value
    if isinstance(default, Path):
        return str(default)
    return list(default) if isinstance(default, tuple) else default


def _problem(model: type[Parameters], where: str, error: ErrorDetails) -> str:
    if error["type"] == "missing":  # pydantic's input would be every other parameter
        return f"{where}: must be set ({model.model_fields[where].description})"
    return f"{where}: {error['msg']}, found {error['input']!r}"


def _where(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location)
