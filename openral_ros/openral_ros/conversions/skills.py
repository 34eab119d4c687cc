"""Conversions of skill goals and results."""

from collections import Counter
from collections.abc import Iterable, Mapping

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose, frame_name
from openral_core.skill_errors import BadRequest
from openral_core.skills import ParamValue, SkillGoal, SkillResult, SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import KeyValue
from openral_ros.conversions.geometry import MAP, pose_from_message, pose_message


class UnknownParameterType(OpenRALError):
    """A parameter with a type that KeyValue does not define."""

    def __init__(self, message: KeyValue) -> None:
        super().__init__(
            f"parameter {message.key!r} has type {message.type}: "
            "expected 0 string, 1 float, 2 int, 3 bool or 4 pose"
        )


def skill_goal_message(goal: SkillGoal, traceparent: str) -> ExecuteRskill.Goal:
    """Convert a goal; poses are stamped in map."""
    return ExecuteRskill.Goal(
        rskill_id=goal.rskill_id,
        prompt=goal.prompt,
        params=key_values(goal.params),
        deadline=float(goal.deadline),
        traceparent=traceparent,
    )


def skill_goal_from_message(message: ExecuteRskill.Goal) -> SkillGoal:
    """Convert the message of a goal.

    Raises:
        InvalidGeometry: If a pose is not finite.
    """
    return SkillGoal(message.rskill_id, message.prompt, params_of(message.params), message.deadline)


def goal_from_message(message: ExecuteRskill.Goal) -> SkillGoal:
    """Parse the goal of a client.

    Raises:
        BadRequest: If a parameter is duplicated, has an invalid type, or is a pose in a frame other than map.
    """
    counts = Counter(param.key for param in message.params)
    problems = [f"parameter '{name}' is given {count} times" for name, count in counts.items() if count > 1]
    frames = [(p.key, p.pose_value.header.frame_id) for p in message.params if p.type == KeyValue.TYPE_POSE]
    problems += [
        f"parameter '{name}' is in frame '{frame}': poses must be in '{MAP}'"
        for name, frame in frames
        if frame_name(frame) not in ("", MAP)
    ]
    if problems:
        raise BadRequest("; ".join(problems))
    try:
        return skill_goal_from_message(message)
    except OpenRALError as error:
        raise BadRequest(str(error)) from error


def fill_skill_result(message: ExecuteRskill.Result, result: SkillResult) -> ExecuteRskill.Result:
    """Fill the result message of the action."""
    message.success = result.success
    message.status = int(result.status)
    message.message = result.message
    message.evidence = key_values(result.evidence)
    return message


def skill_result_from_message(message: ExecuteRskill.Result) -> SkillResult:
    """Convert the result message of the action."""
    return SkillResult(SkillStatus(message.status), message.message, params_of(message.evidence))


def key_values(params: Mapping[str, ParamValue]) -> list[KeyValue]:
    """Convert typed parameters, in order."""
    return [key_value_message(key, value) for key, value in params.items()]


def params_of(messages: Iterable[KeyValue]) -> dict[str, ParamValue]:
    """Convert messages to typed parameters."""
    return {message.key: param_value_of(message) for message in messages}


def key_value_message(key: str, value: ParamValue) -> KeyValue:
    """Convert one typed parameter."""
    message = KeyValue(key=key)
    match value:
        case bool():
            message.type, message.bool_value = KeyValue.TYPE_BOOL, value
        case int():
            message.type, message.int_value = KeyValue.TYPE_INT, value
        case float():
            message.type, message.float_value = KeyValue.TYPE_FLOAT, value
        case str():
            message.type, message.string_value = KeyValue.TYPE_STRING, value
        case Pose():
            message.type, message.pose_value.pose = (
                KeyValue.TYPE_POSE,
                pose_message(value),
            )
            message.pose_value.header.frame_id = MAP
    return message


def param_value_of(message: KeyValue) -> ParamValue:
    """Convert the message of one parameter; raises `UnknownParameterType`."""
    values: Mapping[int, ParamValue] = {
        KeyValue.TYPE_STRING: message.string_value,
        KeyValue.TYPE_FLOAT: message.float_value,
        KeyValue.TYPE_INT: message.int_value,
        KeyValue.TYPE_BOOL: message.bool_value,
    }
    if message.type in values:
        return values[message.type]
    if message.type == KeyValue.TYPE_POSE:
        return pose_from_message(message.pose_value.pose)
    raise UnknownParameterType(message)
