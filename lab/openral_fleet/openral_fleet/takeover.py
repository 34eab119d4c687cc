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


class Verdict(StrEnum):
    """Next step for an errand that was broken off: repeat it, end it as done or dropped, look, or ask."""

    REPEAT = "repeat"
    DONE = "done"
    DROP = "drop"
    LOOK = "look"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and its reason."""

    verdict: Verdict
    reason: str


def judge_broken_off(record: ErrandRecord) -> Judgement:
    """Judge an errand whose robot was lost, by its goal and the skills that its mission reported."""
    errand, traits = record.errand, traits_of(record.errand.goal)
    if errand.repeatable if errand.repeatable is not None else traits.repeatable:
        return Judgement(Verdict.REPEAT, "repeating it does no harm")
    if traits.moved and _was_handed_over(record.calls):
        return Judgement(Verdict.DONE, f"{record.robot} reported HANDOVER SUCCEEDED before it was lost")
    if traits.moved:
        return Judgement(Verdict.LOOK, f"{record.robot} was lost; {_progress(record.calls)}")
    return Judgement(Verdict.ASK, f"{record.robot} was lost; {_progress(record.calls)}")


def goal_of_check(record: ErrandRecord) -> str:
    """Return the goal, which moves nothing, of the robot that looks for the object of an errand."""
    return f"find the {traits_of(record.errand.goal).moved}"


def judge_look(record: ErrandRecord, looker: RobotState) -> Judgement:
    """Judge an errand by what a robot has seen since it was sent to look.

    A single object of the kind that is still where it was has not been moved. Of two objects of a kind, the
    one that was seen may be the other one.
    """
    traits = traits_of(record.errand.goal)
    known = looker.known(traits.moved)
    seen = [each for each in known if each.last_seen > record.checked_from]
    if not seen:
        return Judgement(Verdict.ASK, f"{looker.name} did not find the {traits.moved}")
    if max(record.kinds, len(known)) > 1:
        return Judgement(Verdict.ASK, f"{looker.name} knows {len(known)} x {traits.moved}")
    found = seen[0]
    where = found.places[0] if found.places else "a place without a name"
    if traits.to != ME and found.is_at(traits.to):
        if any(found.is_at(place) for place in record.origin):
            return Judgement(Verdict.ASK, f"the {traits.moved} was at {where} before")
        return Judgement(Verdict.DONE, f"{looker.name} saw the {traits.moved} at {where}")
    if any(found.is_at(place) for place in record.origin):
        return Judgement(Verdict.REPEAT, f"{looker.name} saw the {traits.moved} where it was, at {where}")
    return Judgement(Verdict.ASK, f"{looker.name} saw the {traits.moved} at {where}, where it was not before")


def origin_of(goal: str, robot: RobotState) -> tuple[tuple[str, ...], int]:
    """Return the place of the object that a goal moves, and the number of its kind, as a robot remembers."""
    known = robot.known(traits_of(goal).moved)
    return (known[0].places[:1] if len(known) == 1 else (), len(known))


def question_of(record: ErrandRecord) -> str:
    """Return the question to a person about an errand that may have been done."""
    return f"Errand {record.id}, {record.errand.goal!r}: {record.reason}. Was it done?"


def judge_answer(text: str) -> Verdict | None:
    """Return the verdict of a person; None if the answer is none."""
    said = text.strip().lower().rstrip(".!")
    if said == CHOICES[0] or is_yes(said):
        return Verdict.DONE
    if said == CHOICES[1] or said in _NO:
        return Verdict.REPEAT
    return Verdict.DROP if said == CHOICES[2] else None


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
