"""The evidence log keeps what peers answered, under every id an object has had."""

from openral_core.skills import SkillStatus, Verb
from openral_reasoner.success.evidence import (
    CARRIED,
    WORDS_KEPT,
    Acted,
    Answered,
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
    assert Evidence().begun("lemon").names_of(CARRIED) == {"lemon"}
    assert logged(grasp).begun("red mug").carried == ""


def test_the_newest_answer_resolves_a_reference() -> None:
    log = logged(Referred("the table", ("table_1", "table_2")), Referred("table", ("table_2",)))
    assert log.resolved("a table") == {"table_2"}
    assert log.resolved("shelf") is None


def test_a_report_shows_the_newest_facts_or_the_proofs() -> None:
    log = logged(*(Referred(f"place {n}", (f"p{n}",)) for n in range(2 * WORDS_KEPT)))
    assert len(log.words()) == WORDS_KEPT
    assert log.concluded(()).conclusion == log.words()
    assert log.concluded(("GRASP mug_1: SUCCEEDED",)).conclusion == ("GRASP mug_1: SUCCEEDED",)
