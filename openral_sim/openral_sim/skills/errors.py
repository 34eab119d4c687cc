"""Ways a skill can honestly fail, each with the status it answers.

SkillFailed
├── BadRequest              BAD_REQUEST
│   └── OutsideEnvelope     BAD_REQUEST
├── UnservedVerb            UNSUPPORTED
├── NotReachable            NOT_REACHABLE
├── NotInGripperRange       NOT_IN_GRIPPER_RANGE
├── NothingThere            NOTHING_THERE
├── NothingHeld             NOTHING_HELD
├── LostObject              LOST_OBJECT
├── Blocked                 BLOCKED
└── TookTooLong             TIMEOUT
"""

from collections.abc import Iterable

from openral_core.errors import OpenRALError, format_choices
from openral_core.skills import SkillStatus, Verb


class SkillFailed(OpenRALError):
    """A skill ended without doing what was asked."""

    status = SkillStatus.SKILL_ERROR


class BadRequest(SkillFailed):
    """The goal's parameters do not describe something that can be done now."""

    status = SkillStatus.BAD_REQUEST


class OutsideEnvelope(BadRequest):
    """The goal would take the robot where it may not go."""

    def __init__(self, verb: Verb, broken: Iterable[str]) -> None:
        super().__init__(f"{verb} would leave the motion envelope: {'; '.join(broken)}")


class UnservedVerb(SkillFailed):
    """This robot does not serve a verb."""

    status = SkillStatus.UNSUPPORTED

    def __init__(self, asked: Verb, served: Iterable[Verb]) -> None:
        super().__init__(f"this robot does not serve {asked}; it serves {format_choices(served)}")


class NotReachable(SkillFailed):
    """Nowhere to stand, or no posture, from which it can be done."""

    status = SkillStatus.NOT_REACHABLE


class NotInGripperRange(SkillFailed):
    """The thing is there, but the fingers do not get around it."""

    status = SkillStatus.NOT_IN_GRIPPER_RANGE


class NothingThere(SkillFailed):
    """Nothing stands where the thing should be."""

    status = SkillStatus.NOTHING_THERE


class NothingHeld(SkillFailed):
    """The hand is empty."""

    status = SkillStatus.NOTHING_HELD

    def __init__(self, verb: Verb) -> None:
        super().__init__(f"{verb} needs something in the hand; the hand is empty")


class LostObject(SkillFailed):
    """What was held is no longer in the hand."""

    status = SkillStatus.LOST_OBJECT


class Blocked(SkillFailed):
    """Something stands in the way."""

    status = SkillStatus.BLOCKED


class TookTooLong(SkillFailed):
    """A step did not end within its bound of simulated time."""

    status = SkillStatus.TIMEOUT

    def __init__(self, what: str, bound: float) -> None:
        super().__init__(f"{what} did not end within {bound:.1f} s")
