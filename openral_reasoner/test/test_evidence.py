"""The evidence log keeps what peers answered, under every id an object has had."""

import pytest

from openral_core.skills import SkillStatus, Verb
from openral_reasoner.evidence import (
    CARRIED,
    WORDS_KEPT,
    Acted,
    Answered,
    Course,
    Evidence,
    Node,
    Referred,
    Same,
    Source,
)

MUG = Node("mug_1", "red mug")


def logged(*facts: Acted | Answered | Referred | Same) -> Evidence:
    log = Evidence()
    for fact in facts:
        log = log.after(fact)
    return log


def test_ids_of_one_object_are_joined_over_several_steps() -> None:
    log = logged(Same("a", "b"), Same("c", "d"), Same("b", "c"))
    assert log.ids_of("d") == {"a", "b", "c", "d"}


def test_an_object_is_known_by_its_labels_and_queries() -> None:
    log = logged(Answered(Source.MEMORY, "cup", (MUG,)), Referred("my mug", ("mug_1",)))
    assert log.names_of("mug_1") == {"red mug", "cup", "my mug"}


def test_what_was_held_before_the_first_skill_is_carried() -> None:
    grasp = Acted(Verb.GRASP, MUG, SkillStatus.SUCCEEDED)
    assert Evidence().with_carried("lemon").names_of(CARRIED) == {"lemon"}
    assert logged(grasp).with_carried("red mug").carried == ""


def test_a_goal_that_is_not_verified_has_no_effect() -> None:
    grasp = Acted(Verb.GRASP, MUG, SkillStatus.SUCCEEDED, verified=False)
    assert Course.of(logged(grasp)).held == ""
    assert grasp.words == "GRASP mug_1 ('red mug'): SUCCEEDED, not verified"


def test_the_newest_answer_resolves_a_reference() -> None:
    log = logged(Referred("the table", ("table_1", "table_2")), Referred("table", ("table_2",)))
    assert log.resolved("a table") == {"table_2"}
    assert log.resolved("shelf") is None


def test_a_report_shows_the_newest_facts_or_the_proofs() -> None:
    log = logged(*(Referred(f"place {n}", (f"p{n}",)) for n in range(2 * WORDS_KEPT)))
    assert len(log.words()) == WORDS_KEPT
    assert log.with_conclusion(()).conclusion == log.words()
    assert log.with_conclusion(("GRASP mug_1: SUCCEEDED",)).conclusion == ("GRASP mug_1: SUCCEEDED",)


MUG_SKILL_EFFECTS, TABLE, FRIDGE = (
    Node("mug_1", "mug"),
    Node("table_1", kind="place"),
    Node("fridge_1", kind="place"),
)


def course(*acts: tuple[Verb, Node, SkillStatus]) -> Course:
    log = Evidence()
    for act in acts:
        log = log.after(Acted(*act))
    return Course.of(log)


def test_a_grasp_fills_the_hand_and_a_release_empties_it() -> None:
    done = SkillStatus.SUCCEEDED
    assert course((Verb.GRASP, MUG_SKILL_EFFECTS, done)).held == "mug_1"
    after = course((Verb.GRASP, MUG_SKILL_EFFECTS, done), (Verb.PLACE, TABLE, done))
    assert (after.held, after.released[0].held) == ("", "mug_1")


@pytest.mark.parametrize("status", [SkillStatus.LOST_OBJECT, SkillStatus.NOTHING_HELD])
def test_a_failure_may_empty_the_hand(status: SkillStatus) -> None:
    assert (
        course((Verb.GRASP, MUG_SKILL_EFFECTS, SkillStatus.SUCCEEDED), (Verb.PLACE, TABLE, status)).held == ""
    )


def test_a_failed_drive_leaves_the_place_unknown() -> None:
    drive = (Verb.NAVIGATE, TABLE)
    assert course((*drive, SkillStatus.SUCCEEDED), (*drive, SkillStatus.BLOCKED)).at is None


def test_only_a_look_after_opening_inspects_an_open_container() -> None:
    done = SkillStatus.SUCCEEDED
    look = (Verb.LOOK_AT, FRIDGE, done)
    inspected = course(look, (Verb.OPEN, FRIDGE, done), look, (Verb.CLOSE, FRIDGE, done), look).inspected
    assert [item.opened is not None for item in inspected] == [False, True, False]


def test_a_new_step_a_grasp_and_a_release_are_progress_and_a_step_again_is_none() -> None:
    go = (Verb.NAVIGATE, TABLE, SkillStatus.SUCCEEDED)
    take = (Verb.GRASP, MUG, SkillStatus.NOT_REACHABLE)
    counts = [course(*acts).progress for acts in ((), (go,), (go, go), (go, take), (go, take, go, take))]
    assert counts == [0, 1, 1, 2, 2]
    again = (Verb.GRASP, MUG, SkillStatus.SUCCEEDED)
    assert course(go, take, again).progress == 3
