"""Failures of a skill, each with the status that it reports.

SkillFailed
├── BadRequest              BAD_REQUEST
│   └── OutsideEnvelope     BAD_REQUEST
├── NotPermitted            BAD_REQUEST (openral_core.consent.decisions)
├── ConsentNeeded           INACTIVE (openral_core.consent.decisions)
├── EmergencyStopped        INACTIVE (openral_core.emergency_stop)
├── UnservedVerb            UNSUPPORTED
├── ServerInactive          INACTIVE
├── RobotBusy               BUSY
├── NotReachable            NOT_REACHABLE
├── NotInGripperRange       NOT_IN_GRIPPER_RANGE
├── NothingThere            NOTHING_THERE
├── NothingHeld             NOTHING_HELD
├── LostObject              LOST_OBJECT
├── Blocked                 BLOCKED
└── TookTooLong             TIMEOUT
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from openral_core.errors import OpenRALError, format_choices
from openral_core.skills import ParamValue, SkillStatus, Verb


class SkillFailed(OpenRALError):
    """A skill ended without achieving its goal; ``evidence`` goes into its result."""

    status = SkillStatus.SKILL_ERROR
    evidence: Mapping[str, ParamValue] = MappingProxyType({})


class BadRequest(SkillFailed):
    """The goal's parameters are invalid or cannot be fulfilled now."""

    status = SkillStatus.BAD_REQUEST


class OutsideEnvelope(BadRequest):
    """The goal would take the robot outside its motion envelope."""

    def __init__(self, verb: Verb, violations: Iterable[str]) -> None:
        super().__init__(f"{verb} would leave the motion envelope: {'; '.join(violations)}")


class UnservedVerb(SkillFailed):
    """The robot does not serve a verb."""

    status = SkillStatus.UNSUPPORTED

    def __init__(self, verb: Verb, served: Iterable[Verb]) -> None:
        super().__init__(f"this robot does not serve {verb}; it serves {format_choices(served)}")


class ServerInactive(SkillFailed):
    """A goal was sent while the node is inactive."""

    status = SkillStatus.INACTIVE

    def __init__(self) -> None:
        super().__init__("the skill server is not active; activate its node first")


class RobotBusy(SkillFailed):
    """A goal was sent while another one is running."""

    status = SkillStatus.BUSY

    def __init__(self, verb: Verb) -> None:
        super().__init__(f"the robot is busy with {verb}; cancel that goal or wait until it ends")


class NotReachable(SkillFailed):
    """No base pose or posture reaches the goal."""

    status = SkillStatus.NOT_REACHABLE


class NotInGripperRange(SkillFailed):
    """The object is there, but the gripper does not fit around it."""

    status = SkillStatus.NOT_IN_GRIPPER_RANGE


class NothingThere(SkillFailed):
    """No object is at the expected position."""

    status = SkillStatus.NOTHING_THERE


class NothingHeld(SkillFailed):
    """The hand is empty."""

    status = SkillStatus.NOTHING_HELD

    def __init__(self, verb: Verb) -> None:
        super().__init__(f"{verb} needs an object in the hand, but the hand is empty")


class LostObject(SkillFailed):
    """The held object is no longer in the hand."""

    status = SkillStatus.LOST_OBJECT


class Blocked(SkillFailed):
    """Motion is obstructed."""

    status = SkillStatus.BLOCKED


class TookTooLong(SkillFailed):
    """A step exceeded its limit of simulated time."""

    status = SkillStatus.TIMEOUT

    def __init__(self, step: str, limit: float) -> None:
        super().__init__(f"{step} did not finish within {limit:.1f} s")
