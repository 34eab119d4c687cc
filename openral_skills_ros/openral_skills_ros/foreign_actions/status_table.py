"""Status of a skill by how an action of another package ended, and by its error code.

Codes are those of nav2_msgs (Jazzy and later; Humble has none), moveit_msgs 2.6 and control_msgs 5.
"""

from collections.abc import Mapping
from enum import IntEnum

from openral_core.skills import SkillStatus

S = SkillStatus


class GoalEnd(IntEnum):
    """Terminal values of action_msgs/msg/GoalStatus."""

    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


NAV2: Mapping[int, tuple[SkillStatus, str]] = {
    1: (S.INACTIVE, "goal rejected"),
    2: (S.SKILL_ERROR, "goal could not be sent on"),
    100: (S.SKILL_ERROR, "controller failed"),
    101: (S.SKILL_ERROR, "invalid controller"),
    102: (S.SKILL_ERROR, "controller has no transform"),
    103: (S.NOT_REACHABLE, "invalid path"),
    104: (S.BLOCKED, "controller ran out of patience"),
    105: (S.BLOCKED, "no progress along the path"),
    106: (S.BLOCKED, "no valid control"),
    107: (S.TIMEOUT, "controller timed out"),
    200: (S.SKILL_ERROR, "planner failed"),
    201: (S.SKILL_ERROR, "invalid planner"),
    202: (S.SKILL_ERROR, "planner has no transform"),
    203: (S.BLOCKED, "the robot is outside the map"),
    204: (S.NOT_REACHABLE, "goal outside the map"),
    205: (S.BLOCKED, "the robot's own position is occupied in the costmap"),
    206: (S.NOT_REACHABLE, "goal occupied"),
    207: (S.TIMEOUT, "planner timed out"),
    208: (S.NOT_REACHABLE, "no valid path"),
    300: (S.SKILL_ERROR, "planner through poses failed"),
    301: (S.SKILL_ERROR, "invalid planner"),
    302: (S.SKILL_ERROR, "planner has no transform"),
    303: (S.BLOCKED, "the robot is outside the map"),
    304: (S.NOT_REACHABLE, "goal outside the map"),
    305: (S.BLOCKED, "the robot's own position is occupied in the costmap"),
    306: (S.NOT_REACHABLE, "goal occupied"),
    307: (S.TIMEOUT, "planner timed out"),
    308: (S.NOT_REACHABLE, "no valid path"),
    309: (S.SKILL_ERROR, "no poses to pass through were given"),
    400: (S.SKILL_ERROR, "route server failed"),
    401: (S.SKILL_ERROR, "route server has no transform"),
    402: (S.SKILL_ERROR, "no valid route graph"),
    403: (S.SKILL_ERROR, "ambiguous nodes on the route graph"),
    404: (S.TIMEOUT, "route server timed out"),
    405: (S.NOT_REACHABLE, "no valid route"),
    406: (S.SKILL_ERROR, "an operation on the route failed"),
    407: (S.SKILL_ERROR, "invalid use of an edge scorer of the route"),
    500: (S.SKILL_ERROR, "smoother failed"),
    501: (S.SKILL_ERROR, "invalid smoother"),
    502: (S.TIMEOUT, "smoother timed out"),
    503: (S.BLOCKED, "the smoothed path is in collision"),
    504: (S.SKILL_ERROR, "the path could not be smoothed"),
    505: (S.NOT_REACHABLE, "invalid path"),
    600: (S.SKILL_ERROR, "waypoint follower failed"),
    601: (S.SKILL_ERROR, "the task at a waypoint failed"),
    602: (S.SKILL_ERROR, "no valid waypoints"),
    603: (S.NOT_REACHABLE, "a waypoint was missed"),
    700: (S.SKILL_ERROR, "turn failed"),
    701: (S.TIMEOUT, "turn timed out"),
    702: (S.SKILL_ERROR, "turn has no transform"),
    703: (S.BLOCKED, "collision ahead"),
    710: (S.SKILL_ERROR, "backing up failed"),
    711: (S.TIMEOUT, "backing up timed out"),
    712: (S.SKILL_ERROR, "backing up has no transform"),
    713: (S.SKILL_ERROR, "invalid input for backing up"),
    714: (S.BLOCKED, "collision behind"),
    720: (S.SKILL_ERROR, "driving on a heading failed"),
    721: (S.TIMEOUT, "driving on a heading timed out"),
    722: (S.SKILL_ERROR, "driving on a heading has no transform"),
    723: (S.BLOCKED, "collision ahead"),
    724: (S.SKILL_ERROR, "invalid input for driving on a heading"),
    730: (S.SKILL_ERROR, "assisted teleoperation failed"),
    731: (S.TIMEOUT, "assisted teleoperation timed out"),
    732: (S.SKILL_ERROR, "assisted teleoperation has no transform"),
    901: (S.NOT_REACHABLE, "unknown dock"),
    902: (S.SKILL_ERROR, "invalid dock"),
    903: (S.NOT_REACHABLE, "the pose before the dock was not reached"),
    904: (S.NOTHING_THERE, "the dock was not detected"),
    905: (S.BLOCKED, "the dock could not be driven to or left"),
    906: (S.SKILL_ERROR, "docked, but not charging"),
    907: (S.TIMEOUT, "docking timed out"),
    999: (S.SKILL_ERROR, "docking failed"),
    9000: (S.SKILL_ERROR, "navigator failed"),
    9001: (S.SKILL_ERROR, "behaviour tree could not be loaded"),
    9002: (S.SKILL_ERROR, "navigator has no transform"),
    9003: (S.TIMEOUT, "navigator timed out"),
    9100: (S.SKILL_ERROR, "navigator failed"),
    9101: (S.SKILL_ERROR, "behaviour tree could not be loaded"),
    9102: (S.SKILL_ERROR, "navigator has no transform"),
    9103: (S.TIMEOUT, "navigator timed out"),
}
MOVEIT: Mapping[int, tuple[SkillStatus, str]] = {
    0: (S.SKILL_ERROR, "ended without a code"),
    99999: (S.SKILL_ERROR, "failure"),
    -1: (S.NOT_REACHABLE, "planning failed"),
    -2: (S.NOT_REACHABLE, "invalid motion plan"),
    -3: (S.BLOCKED, "the environment changed"),
    -4: (S.BLOCKED, "control failed"),
    -5: (S.SKILL_ERROR, "no sensor data"),
    -6: (S.TIMEOUT, "timed out"),
    -7: (S.CANCELLED, "preempted"),
    -10: (S.BLOCKED, "the arm is in collision"),
    -11: (S.BLOCKED, "the arm violates the path constraints"),
    -12: (S.NOT_REACHABLE, "goal in collision"),
    -13: (S.NOT_REACHABLE, "goal violates the path constraints"),
    -14: (S.NOT_REACHABLE, "goal constraints violated"),
    -15: (S.SKILL_ERROR, "invalid group name"),
    -16: (S.SKILL_ERROR, "invalid goal constraints"),
    -17: (S.SKILL_ERROR, "invalid robot state"),
    -18: (S.SKILL_ERROR, "invalid link name"),
    -19: (S.SKILL_ERROR, "invalid object name"),
    -21: (S.SKILL_ERROR, "no transform"),
    -22: (S.SKILL_ERROR, "no collision checking"),
    -23: (S.SKILL_ERROR, "robot state is stale"),
    -24: (S.SKILL_ERROR, "sensor data is stale"),
    -25: (S.SKILL_ERROR, "communication failed"),
    -26: (S.BLOCKED, "invalid start state"),
    -27: (S.NOT_REACHABLE, "invalid goal state"),
    -28: (S.SKILL_ERROR, "unknown kind of goal"),
    -29: (S.SKILL_ERROR, "crashed"),
    -30: (S.SKILL_ERROR, "aborted"),
    -31: (S.NOT_REACHABLE, "no inverse kinematics"),
}
TRAJECTORY: Mapping[int, tuple[SkillStatus, str]] = {
    -1: (S.SKILL_ERROR, "invalid goal"),
    -2: (S.SKILL_ERROR, "invalid joints"),
    -3: (S.SKILL_ERROR, "old time stamp"),
    -4: (S.BLOCKED, "path tolerance violated"),
    -5: (S.BLOCKED, "goal tolerance violated"),
}
_SUCCESS = {"nav2": 0, "moveit": 1, "trajectory": 0}
CODES: Mapping[str, Mapping[int, tuple[SkillStatus, str]]] = {
    "nav2": NAV2,
    "moveit": MOVEIT,
    "trajectory": TRAJECTORY,
}
"""Tables by family of error codes."""
_WITHOUT_CODE: Mapping[GoalEnd, SkillStatus] = {
    GoalEnd.SUCCEEDED: S.SUCCEEDED,
    GoalEnd.CANCELED: S.CANCELLED,
    GoalEnd.ABORTED: S.BLOCKED,
}


PREEMPTED = "ended without a reason, as if another client has taken over"
"""Meaning of a goal that Nav2 aborts with the code NONE: it has a code for everything that is in the way."""


def status_of(end: GoalEnd, family: str, code: int | None) -> tuple[SkillStatus, str]:
    """Return the status of a skill and what the code means.

    Args:
        family: Key of `CODES`.
        code: Error code of its result; None if the message has none, as in Humble.
    """
    if end is GoalEnd.CANCELED:
        return S.CANCELLED, "cancelled"
    if family == "nav2" and end is GoalEnd.ABORTED and code == _SUCCESS[family]:
        return S.CANCELLED, PREEMPTED
    if code is None or code == _SUCCESS[family]:
        return _WITHOUT_CODE[end], end.name.lower()
    if code in CODES[family]:
        return CODES[family][code]
    # An unknown code of a goal that succeeded is a warning of a newer distribution.
    status = S.SUCCEEDED if end is GoalEnd.SUCCEEDED else S.SKILL_ERROR
    return status, f"unknown error code {code}"
