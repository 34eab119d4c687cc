"""Takeover of an errand whose robot was lost: what is known of its mission decides.

An acting step is never repeated on a guess. A second robot looks first, or a person is asked.
"""

from dataclasses import dataclass
from enum import StrEnum

from openral_core.consent.decisions import is_yes
from openral_core.skills import SkillStatus, Verb
from openral_fleet.goal_traits import ONLY_LOOKS, traits_of
from openral_fleet.records import ActingCall, ErrandRecord
from openral_fleet.robots import RobotState

ME = "me"
CHOICES = ("done", "again", "drop")
"""Answers to the question whether an errand was done."""
_NO = frozenset({"no", "not done", "n"})


class NextStep(StrEnum):
    """Next step for an errand that was broken off: repeat it, end it as done or dropped, look, or ask."""

    REPEAT = "repeat"
    DONE = "done"
    DROP = "drop"
    LOOK = "look"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict and its reason."""

    verdict: NextStep
    reason: str


def judge_broken_off(record: ErrandRecord) -> Ruling:
    """Judge an errand whose robot was lost, by its goal and the skills that its mission reported."""
    errand, traits = record.errand, traits_of(record.errand.goal)
    if errand.repeatable if errand.repeatable is not None else traits.repeatable:
        return Ruling(NextStep.REPEAT, "repeating it does no harm")
    if traits.moved and _was_handed_over(record.calls):
        return Ruling(NextStep.DONE, f"{record.robot} reported HANDOVER SUCCEEDED before it was lost")
    if traits.moved:
        return Ruling(NextStep.LOOK, f"{record.robot} was lost; {_progress(record.calls)}")
    return Ruling(NextStep.ASK, f"{record.robot} was lost; {_progress(record.calls)}")


def goal_of_check(record: ErrandRecord) -> str:
    """Return the goal, which moves nothing, of the robot that looks for the object of an errand."""
    return f"find the {traits_of(record.errand.goal).moved}"


def judge_look(record: ErrandRecord, looker: RobotState) -> Ruling:
    """Judge an errand by what a robot has seen since it was sent to look.

    A single object of the kind that is still where it was has not been moved. Of two objects of a kind, the
    one that was seen may be the other one.
    """
    traits = traits_of(record.errand.goal)
    objects = looker.known(traits.moved)
    sightings = [each for each in objects if each.last_seen > record.checked_from]
    if not sightings:
        return Ruling(NextStep.ASK, f"{looker.name} did not find the {traits.moved}")
    if max(record.kinds, len(objects)) > 1:
        return Ruling(NextStep.ASK, f"{looker.name} knows {len(objects)} x {traits.moved}")
    item = sightings[0]
    where = item.places[0] if item.places else "a place without a name"
    if traits.to != ME and item.is_at(traits.to):
        if any(item.is_at(place) for place in record.origin):
            return Ruling(NextStep.ASK, f"the {traits.moved} was at {where} before")
        return Ruling(NextStep.DONE, f"{looker.name} saw the {traits.moved} at {where}")
    if any(item.is_at(place) for place in record.origin):
        return Ruling(NextStep.REPEAT, f"{looker.name} saw the {traits.moved} where it was, at {where}")
    return Ruling(NextStep.ASK, f"{looker.name} saw the {traits.moved} at {where}, where it was not before")


def origin_of(goal: str, robot: RobotState) -> tuple[tuple[str, ...], int]:
    """Return the place of the object that a goal moves, and the number of its kind, as a robot remembers."""
    objects = robot.known(traits_of(goal).moved)
    return (objects[0].places[:1] if len(objects) == 1 else (), len(objects))


def question_of(record: ErrandRecord) -> str:
    """Return the question to a person about an errand that may have been done."""
    return f"Errand {record.id}, {record.errand.goal!r}: {record.reason}. Was it done?"


def judge_answer(text: str) -> NextStep | None:
    """Return the verdict of a person; None if the answer is none."""
    reply = text.strip().lower().rstrip(".!")
    if reply == CHOICES[0] or is_yes(reply):
        return NextStep.DONE
    if reply == CHOICES[1] or reply in _NO:
        return NextStep.REPEAT
    return NextStep.DROP if reply == CHOICES[2] else None


def has_acted(calls: tuple[ActingCall, ...]) -> bool:
    """Return True if a skill was begun that may have changed more than the robot's pose."""
    return any(call.verb not in ONLY_LOOKS for call in calls)


def _was_handed_over(calls: tuple[ActingCall, ...]) -> bool:
    acting = [call for call in calls if call.verb not in ONLY_LOOKS]
    last = acting[-1] if acting else None
    return last is not None and (last.verb, last.status) == (Verb.HANDOVER, SkillStatus.SUCCEEDED.name)


def _progress(calls: tuple[ActingCall, ...]) -> str:
    acting = [f"{call.verb} {call.status}" for call in calls if call.verb not in ONLY_LOOKS]
    return f"it had reported {', '.join(acting)}" if acting else "it had reported no acting step"
