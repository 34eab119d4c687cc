"""Judgement of errands whose robot was lost."""

import pytest

from openral_fleet.errands import Errand
from openral_fleet.records import ActingCall, Attempt, ErrandRecord, Purpose
from openral_fleet.robots import RememberedObject, RobotState
from openral_fleet.takeover import (
    NextStep,
    goal_of_check,
    has_acted,
    judge_answer,
    judge_broken_off,
    judge_look,
    question_of,
)


def lost(goal: str, *calls: tuple[str, str], **more: object) -> ErrandRecord:
    repeatable = more.pop("repeatable", None)
    errand = Errand.model_validate({"id": "e1", "goal": goal, "repeatable": repeatable})
    attempt = Attempt(robot="/r1", session="s", prompt_id="p", purpose=Purpose.DO)
    made = tuple(ActingCall(verb=verb, status=status) for verb, status in calls)
    return ErrandRecord(errand=errand, past=(attempt,), calls=made).having(**more)


@pytest.mark.parametrize(
    ("record", "verdict"),
    [
        (lost("find the mug"), NextStep.REPEAT),
        (lost("bring me the mug"), NextStep.LOOK),
        (lost("bring me the mug", ("GRASP", "SUCCEEDED"), ("HANDOVER", "pending")), NextStep.LOOK),
        (lost("bring me the mug", ("GRASP", "SUCCEEDED"), ("HANDOVER", "SUCCEEDED")), NextStep.DONE),
        (lost("bring me two mugs", ("GRASP", "SUCCEEDED"), ("HANDOVER", "SUCCEEDED")), NextStep.ASK),
        (lost("pour water into the glass"), NextStep.ASK),
        (lost("flurb the grommet"), NextStep.ASK),
        (lost("flurb the grommet", repeatable=True), NextStep.REPEAT),
        (lost("find the mug", repeatable=False), NextStep.ASK),
    ],
)
def test_what_is_known_of_the_mission_decides(record: ErrandRecord, verdict: NextStep) -> None:
    assert judge_broken_off(record).verdict is verdict


def seen(*objects: tuple[str, str, float]) -> RobotState:
    known = tuple(RememberedObject(label, 0.0, 0.0, (place,), at) for label, place, at in objects)
    return RobotState("/r2", "s", objects=known)


MINE = lost("bring me the mug", origin=("counter_1",), kinds=1, checked_from=10.0)
TABLED = lost("put the mug on the table", origin=("counter_1",), kinds=1, checked_from=10.0)


@pytest.mark.parametrize(
    ("record", "looker", "verdict"),
    [
        (MINE, seen(("mug", "counter_1", 11.0)), NextStep.REPEAT),
        (MINE, seen(("mug", "counter_1", 9.0)), NextStep.ASK),  # remembered, but not seen since
        (MINE, seen(("mug", "sofa", 11.0)), NextStep.ASK),
        (MINE, seen(), NextStep.ASK),
        (MINE, seen(("mug", "counter_1", 11.0), ("mug", "sofa", 5.0)), NextStep.ASK),
        (MINE.having(kinds=2), seen(("mug", "counter_1", 11.0)), NextStep.ASK),
        (TABLED, seen(("mug", "table", 11.0)), NextStep.DONE),
        (TABLED, seen(("mug", "counter_1", 11.0)), NextStep.REPEAT),
        (TABLED.having(origin=("table",)), seen(("mug", "table", 11.0)), NextStep.ASK),
    ],
)
def test_a_look_decides_only_what_it_can_show(
    record: ErrandRecord, looker: RobotState, verdict: NextStep
) -> None:
    assert judge_look(record, looker).verdict is verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("done", NextStep.DONE),
        ("Yes.", NextStep.DONE),
        ("again", NextStep.REPEAT),
        ("no", NextStep.REPEAT),
        ("drop", NextStep.DROP),
        ("perhaps", None),
    ],
)
def test_an_answer_is_taken_only_if_it_is_clear(text: str, verdict: NextStep | None) -> None:
    assert judge_answer(text) is verdict


def test_the_question_names_the_errand_and_what_is_known() -> None:
    record = MINE.having(reason="/r1 was lost")
    assert question_of(record) == "Errand e1, 'bring me the mug': /r1 was lost. Was it done?"
    assert goal_of_check(record) == "find the mug"


def test_a_drive_is_no_acting_step() -> None:
    assert not has_acted((ActingCall(verb="NAVIGATE", status="SUCCEEDED"),))
    assert has_acted((ActingCall(verb="act-grasp-policy", status="pending"),))
