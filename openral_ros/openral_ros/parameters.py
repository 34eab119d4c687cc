"""ROS parameters declared by a frozen pydantic model: defaults, bounds and descriptions in one place.

A node reads them when it is configured. Invalid values are rejected when they are set; so is any value
while the node is active, since it would have no effect.
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
from openral_ros.rclpy_internals import lifecycle_state_label


class Parameters(BaseModel):
    """Base of the parameter models of all nodes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def check_existence(self, changed: Container[str]) -> None:
        """Check that what the ``changed`` values name exists.

        Raises:
            OpenRALError: Saying what does not.
        """


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
    """Parameter values that the model rejects."""

    def __init__(self, node: str, problems: list[str]) -> None:
        super().__init__(f"parameters of {node}: " + "; ".join(problems))


def declare(node: Node, model: type[AnyParameters]) -> AnyParameters:
    """Declare every field of ``model`` on the node, and return the validated values.

    Declaring again (a second configure) reads the current values.

    Raises:
        InvalidParameters: Naming each parameter, its value and the valid values.
    """
    values = {name: _value(node, name, field) for name, field in model.model_fields.items()}
    if node not in _models:
        _models[node] = model
        node.add_on_set_parameters_callback(partial(_check_new_values, ref(node), model))
    try:
        return model.model_validate({name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        raise InvalidParameters(node.get_fully_qualified_name(), _problems(model, error)) from error


_models: "WeakKeyDictionary[Node, type[Parameters]]" = WeakKeyDictionary()


def effect_notice(node: Node, changed: Iterable[Parameter]) -> str:
    """Return when new values take effect, as text; "" if none belongs to the model of the node."""
    model = _models.get(node)
    if model is None or not any(parameter.name in model.model_fields for parameter in changed):
        return ""
    return f"takes effect when {node.get_fully_qualified_name()} is configured again"


def _check_new_values(
    node_ref: "ref[Node]", model: type[AnyParameters], changed: Iterable[Parameter]
) -> SetParametersResult:
    """Reject values that the model rejects, and any value while the node is active."""
    node = node_ref()
    new = {parameter.name: parameter.value for parameter in changed if parameter.name in model.model_fields}
    if node is None or not new:
        return SetParametersResult(successful=True)
    name = node.get_fully_qualified_name()
    state = lifecycle_state_label(node) or "active"
    if state in _STATES_WITH_PARAMETERS_IN_USE:
        reason = (
            f"{name} is {state} and reads its parameters only when it is configured: "
            f"deactivate it, set them, then 'ros2 lifecycle set {name} cleanup' and configure"
        )
        return SetParametersResult(successful=False, reason=reason)
    switches = [field for field, value in new.items() if isinstance(value, bool) and _is_number(model, field)]
    if switches:
        return SetParametersResult(successful=False, reason=f"{', '.join(switches)}: expected a number")
    current = {field: node.get_parameter_or(field, None) for field in model.model_fields}
    values = {field: parameter.value for field, parameter in current.items() if parameter is not None}
    values = {field: value for field, value in {**values, **new}.items() if value is not None}
    try:
        model.model_validate(values).check_existence(new)
    except ValidationError as error:
        # Several invalid values can only be corrected one by one: report the new ones alone.
        if problems := _problems(model, error, new):
            return SetParametersResult(successful=False, reason="; ".join(problems))
    except OpenRALError as error:
        return SetParametersResult(successful=False, reason=str(error))
    return SetParametersResult(successful=True)


def _is_number(model: type[Parameters], name: str) -> bool:
    return parameter_type(model.model_fields[name].annotation) is Parameter.Type.DOUBLE


_STATES_WITH_PARAMETERS_IN_USE = ("active", "activating", "deactivating")


def _problems(
    model: type[Parameters], error: ValidationError, names: Container[object] | None = None
) -> list[str]:
    """List the problems, of these names alone if they are given."""
    details = [e for e in error.errors() if names is None or not e["loc"] or e["loc"][0] in names]
    return [_problem(model, ".".join(map(str, e["loc"])), e) for e in details]


def _value(node: Node, name: str, field: FieldInfo) -> object:
    kind = parameter_type(field.annotation)
    if not node.has_parameter(name):
        descriptor = parameter_descriptor(field, kind)
        try:
            node.declare_parameter(
                name,
                # rclpy takes an empty list for bytes and then rejects strings: leave it unset.
                kind if field.is_required() or field.default == () else _plain(field.get_default()),
                descriptor,
            )
        except InvalidParameterTypeException as error:
            raise InvalidParameters(node.get_fully_qualified_name(), [f"{name}: {error}"]) from error
    parameter = node.get_parameter_or(name, None)
    return None if parameter is None else parameter.value


def parameter_type(annotation: object) -> Parameter.Type:
    """Return the ROS type of a field with this annotation; anything unknown is a string."""
    if get_origin(annotation) in (tuple, list):
        return _ARRAYS[get_args(annotation)[0]]
    if isinstance(annotation, type):
        return next(
            (t for scalar, t in _SCALARS.items() if issubclass(annotation, scalar)),
            Parameter.Type.STRING,
        )
    return Parameter.Type.STRING


def parameter_descriptor(field: FieldInfo, kind: Parameter.Type) -> ParameterDescriptor:
    """Return the descriptor of a field: its description, type and closed bounds."""
    descriptor = ParameterDescriptor(description=field.description or "", type=kind.value)
    # ROS rejects 200 for 200.0; pydantic accepts it, and still rejects strings.
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
    """Return a closed bound; open ones (gt, lt) have no counterpart in a descriptor, pydantic checks them."""
    return next((float(getattr(m, attribute)) for m in field.metadata if isinstance(m, constraint)), None)


def _plain(default: object) -> object:
    """Return a default as a ROS parameter value."""
    if isinstance(default, Enum):
        return default.value
    if isinstance(default, Path):
        return str(default)
    return list(default) if isinstance(default, tuple) else default


def _problem(model: type[Parameters], where: str, error: ErrorDetails) -> str:
    if error["type"] == "missing":  # its input is the whole set of parameters
        return f"{where}: must be set ({model.model_fields[where].description})"
    return f"{where}: {error['msg']}, found {error['input']!r}"
