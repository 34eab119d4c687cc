"""An action goal as a core goal; what cannot be one is a bad request in words."""

from collections import Counter
from collections.abc import Iterator

from openral_core.errors import OpenRALError
from openral_core.skills import SkillGoal
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import KeyValue
from openral_ros.conversions.skills import skill_goal_from_message
from openral_sim.ros.topics.frames import MAP
from openral_sim.skills.failures import BadRequest


def requested_goal(message: ExecuteRskill.Goal) -> SkillGoal:
    """The goal a client asked for.

    Raises:
        BadRequest: If a parameter is given twice, has no valid type, or is a pose that is not in map.
    """
    problems = [*_repetitions(message), *_foreign_frames(message)]
    if problems:
        raise BadRequest("; ".join(problems))
    try:
        return skill_goal_from_message(message)
    except OpenRALError as error:
        raise BadRequest(str(error)) from error


def _repetitions(message: ExecuteRskill.Goal) -> Iterator[str]:
    for name, times in Counter(param.key for param in message.params).items():
        if times > 1:
            yield f"parameter '{name}' is given {times} times"


def _foreign_frames(message: ExecuteRskill.Goal) -> Iterator[str]:
    for param in message.params:
        frame = param.pose_value.header.frame_id
        if param.type == KeyValue.TYPE_POSE and frame not in ("", MAP):
            yield f"parameter '{param.key}' is in frame '{frame}': poses must be in '{MAP}'"
