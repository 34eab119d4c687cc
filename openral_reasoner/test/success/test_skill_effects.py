"""Skills change what is held, where the robot is and which doors are open."""

import pytest

from openral_core.skills import SkillStatus, Verb
from openral_reasoner.success.evidence import Acted, Evidence, Node
from openral_reasoner.success.skill_effects import Course

MUG, TABLE, FRIDGE = Node("mug_1", "mug"), Node("table_1", kind="place"), Node("fridge_1", kind="place")


def course(*acts: tuple[Verb, Node, SkillStatus]) -> Course:
    log = Evidence()
    for act in acts:
        log = log.after(Acted(*act))
    return Course.of(log)


def test_a_grasp_fills_the_hand_and_a_release_empties_it() -> None:
    done = SkillStatus.SUCCEEDED
    assert course((Verb.GRASP, MUG, done)).held == "mug_1"
    after = course((Verb.GRASP, MUG, done), (Verb.PLACE, TABLE, done))
    assert (after.held, after.released[0].held) == ("", "mug_1")


@pytest.mark.parametrize("status", [SkillStatus.LOST_OBJECT, SkillStatus.NOTHING_HELD])
def test_a_failure_may_empty_the_hand(status: SkillStatus) -> None:
    assert course((Verb.GRASP, MUG, SkillStatus.SUCCEEDED), (Verb.PLACE, TABLE, status)).held == ""


def test_a_failed_drive_leaves_the_place_unknown() -> None:
    drive = (Verb.NAVIGATE, TABLE)
    assert course((*drive, SkillStatus.SUCCEEDED), (*drive, SkillStatus.BLOCKED)).at is None


def test_only_a_look_after_opening_inspects_an_open_container() -> None:
    done = SkillStatus.SUCCEEDED
    look = (Verb.LOOK_AT, FRIDGE, done)
    inspected = course(look, (Verb.OPEN, FRIDGE, done), look, (Verb.CLOSE, FRIDGE, done), look).inspected
    assert [each.opened is not None for each in inspected] == [False, True, False]
