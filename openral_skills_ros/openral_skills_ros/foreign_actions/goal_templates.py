"""Goal messages from templates with typed parameters, and fields of results by name."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from geometry_msgs.msg import Point, PointStamped, PoseStamped
from geometry_msgs.msg import Pose as PoseMsg

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import Pose
from openral_core.skill_errors import BadRequest
from openral_core.skills import ParamValue
from openral_ros.conversions.geometry import point_message, pose_message

Message: TypeAlias = Any
"""A message whose type is known only at run time."""


class InvalidTemplate(OpenRALError):
    """A goal template that does not fit its action type."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"goal template, field '{where}': {problem}")


def fill(
    message: Message,
    template: Mapping[str, object],
    params: Mapping[str, ParamValue],
    frame: str,
    where: str = "",
) -> None:
    """Set the fields of a message that a template names; ``$name`` is replaced by that parameter.

    Args:
        template: Field -> value, nested as the message is.
        params: Parameters of the skill's goal; poses are in ``frame``.
        frame: Frame of stamped messages made from a pose.
        where: Path of ``message`` in the goal, for errors.

    Raises:
        InvalidTemplate: If a field does not exist or has another type.
        BadRequest: If a parameter is not given.
    """
    fields = message.get_fields_and_field_types()
    for name, value in template.items():
        path = f"{where}.{name}" if where else name
        if name not in fields:
            raise InvalidTemplate(path, f"there is none; valid are {format_choices(fields)}")
        if isinstance(value, Mapping):
            fill(getattr(message, name), value, params, frame, path)
            continue
        filled = _parameter(value, params)
        if isinstance(filled, Pose):
            filled = _as_message(filled, type(getattr(message, name)), frame, path)
        _set(message, name, filled, path)


def _set(message: Message, name: str, value: object, path: str) -> None:
    current = getattr(message, name)
    if isinstance(current, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(current, bool | int | float | str) and type(value) is not type(current):
        raise InvalidTemplate(path, f"expected {type(current).__name__}, found {value!r}")
    try:
        setattr(message, name, value)
    except (AssertionError, TypeError) as error:
        raise InvalidTemplate(path, str(error)) from error


def _parameter(value: object, params: Mapping[str, ParamValue]) -> object:
    if not (isinstance(value, str) and value.startswith("$")):
        return value
    if value[1:] not in params:
        raise BadRequest(f"parameter '{value[1:]}' is missing: given are {format_choices(params)}")
    return params[value[1:]]


def _as_message(pose: Pose, kind: type, frame: str, path: str) -> object:
    makers: Mapping[type, Callable[[], object]] = {
        PoseMsg: lambda: pose_message(pose),
        Point: lambda: point_message(pose.position),
        PoseStamped: lambda: _stamped(PoseStamped(pose=pose_message(pose)), frame),
        PointStamped: lambda: _stamped(PointStamped(point=point_message(pose.position)), frame),
    }
    if kind not in makers:
        raise InvalidTemplate(path, f"a pose does not fit {kind.__name__}")
    return makers[kind]()


def _stamped(message: Message, frame: str) -> object:
    """Set the frame; the stamp stays zero, the latest transform."""
    message.header.frame_id = frame
    return message


def field_of(message: Message, path: str) -> object:
    """Return a field of a message by its dotted path; None if this distribution's message has none."""
    value = message
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def code_of(message: Message, path: str) -> int | None:
    """Return an error code of a result; None if this distribution's message has none."""
    value = field_of(message, path)
    return int(value) if isinstance(value, int) else None
