"""Goals of several parts, judged by the evidence."""

import pytest

from openral_core.skills import SkillStatus, Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.evidence import Acted, Answered, Evidence, Fact, Listed, Node, Source
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.request.goals import parts_of, phrases
from openral_reasoner.sentences.reader import read_sentence
from openral_reasoner.success.case import Case, GoalVerdict, KnownHome
from openral_reasoner.success.judge import judge, provable

MUG, CUP = Node("mug_1", "mug", within=("counter_1",)), Node("mug_2", "mug", within=("table_1",))
BOWL = Node("bowl_1", "bowl", within=("table_1",))
MILK = Node("milk_1", "milk")
ANA, BOB = Node("ana", "Ana", "agent"), Node("bob", "Bob", "agent")
TABLE = Node("table_1", "table", "place")
COUNTER = Node("counter_1", "counter", "place")
FRIDGE = Node("fridge_1", "fridge", "place")
PLACES = tuple(
    PlaceEntry(id=n.id, label=n.label, kind=NodeKind(n.kind)) for n in (ANA, BOB, TABLE, COUNTER, FRIDGE)
)


def did(verb: Verb, target: Node) -> Acted:
    return Acted(verb, target, SkillStatus.SUCCEEDED)


def brought(what: Node, to: Node) -> tuple[Fact, ...]:
    verb = Verb.HANDOVER if to.kind == "agent" else Verb.PLACE
    return (did(Verb.GRASP, what), did(verb, to))


def has(*nodes: Node) -> Answered:
    return Answered(Source.MEMORY, nodes[0].label, nodes)


def verdict(goal: str, *facts: Fact) -> GoalVerdict:
    request = provable(read_sentence(goal))
    assert request is not None
    return judge(request, Case(Evidence(facts), KnownHome("ana", PLACES)))


def test_every_part_has_to_be_proven_and_what_is_done_is_told() -> None:
    half = verdict("bring me the mug and the milk", *brought(MUG, ANA))
    assert not half.proven
    assert "HANDOVER ana: SUCCEEDED" in half.proofs
    assert "'milk'" in half.missing
    assert "'mug'" not in half.missing
    assert verdict("bring me the mug and the milk", *brought(MUG, ANA), *brought(MILK, ANA)).proven


def test_what_a_later_part_undoes_counts_if_it_was_done_before() -> None:
    goal = "open the fridge, bring me the milk, and close the fridge"
    opened, closed = did(Verb.OPEN, FRIDGE), did(Verb.CLOSE, FRIDGE)
    assert verdict(goal, opened, *brought(MILK, ANA), closed).proven
    assert not verdict(goal, *brought(MILK, ANA), closed).proven
    assert not verdict(goal, opened, *brought(MILK, ANA)).proven
    assert not verdict(goal, closed, *brought(MILK, ANA), opened).proven


def test_what_is_undone_without_being_asked_for_does_not_count() -> None:
    both = (*brought(MUG, TABLE), *brought(BOWL, COUNTER))
    goal = "put the mug on the table and the bowl on the counter"
    assert verdict(goal, *both).proven
    assert not verdict(goal, *both, did(Verb.GRASP, MUG)).proven


def test_several_objects_have_to_be_different() -> None:
    goal = "bring me two mugs"
    assert not verdict(goal, *brought(MUG, ANA), *brought(MUG, ANA)).proven
    one = verdict(goal, *brought(MUG, ANA))
    assert one.missing.startswith("1 of 2 deliveries")
    assert verdict(goal, *brought(MUG, ANA), *brought(CUP, ANA)).proven


def test_everybody_means_every_known_person() -> None:
    goal = "bring everybody a mug"
    assert "bob" in verdict(goal, *brought(MUG, ANA)).missing
    assert not verdict(goal, *brought(MUG, ANA), *brought(MUG, BOB)).proven
    assert verdict(goal, *brought(MUG, ANA), *brought(CUP, BOB)).proven


def test_an_exchange_ends_where_the_other_one_was() -> None:
    known = (has(MUG), has(BOWL))
    goal = "swap the mug and the bowl"
    assert verdict(goal, *known, *brought(MUG, TABLE), *brought(BOWL, COUNTER)).proven
    assert not verdict(goal, *known, *brought(MUG, COUNTER), *brought(BOWL, TABLE)).proven
    assert not verdict(goal, *known, *brought(MUG, TABLE)).proven


def test_the_case_that_was_seen_decides_what_has_to_be_done() -> None:
    goal = "if there is milk, bring me the milk, otherwise bring me the mug"
    seen = Answered(Source.LOOK, "milk", (MILK,))
    assert verdict(goal, seen, *brought(MILK, ANA)).proven
    assert not verdict(goal, seen, *brought(MUG, ANA)).proven
    assert verdict(goal, *brought(MUG, ANA)).proven
    assert not verdict("if there is milk, bring me the mug").proven


def test_an_object_that_is_only_seen_elsewhere_does_not_meet_a_condition_with_a_place() -> None:
    goal = "if the mug is on the counter, bring it to me, otherwise bring me the milk"
    there, elsewhere = Answered(Source.LOOK, "mug", (MUG,)), Answered(Source.LOOK, "mug", (CUP,))
    assert verdict(goal, elsewhere, *brought(MILK, ANA)).proven
    assert not verdict(goal, there, *brought(MILK, ANA)).proven
    assert verdict(goal, elsewhere, there, *brought(MUG, ANA)).proven


@pytest.mark.parametrize(
    "goal", ["bring me the mug and wash it", "bring me the mug or the bowl, then open the fridge", "juggle"]
)
def test_a_goal_with_a_part_that_is_not_understood_has_no_predicate(goal: str) -> None:
    assert provable(read_sentence(goal)) is None


def test_parts_of_a_condition_include_both_cases() -> None:
    request = provable(read_sentence("if there is milk, bring me the milk, otherwise bring Bob the mug"))
    assert request is not None
    assert len(parts_of(request)) == 4
    assert {"milk", "mug", "Bob"} <= set(phrases(request))


LOOKS = tuple(did(Verb.LOOK_AT, place) for place in (TABLE, COUNTER, FRIDGE))


def test_tidying_is_proven_by_a_look_at_every_place_and_a_list_after_the_last_object() -> None:
    put = brought(MILK, FRIDGE)
    assert verdict("tidy up", *LOOKS, *put, Listed("", (MUG,))).proven
    assert not verdict("tidy up", *LOOKS[1:], *put, Listed("")).proven
    assert not verdict("tidy up", *LOOKS, Listed(""), *put).proven
    assert "out of place: mug_1" in verdict("tidy up", *LOOKS, Listed("", (MUG,), ("mug_1",))).missing


def test_a_place_is_clear_if_it_was_looked_at_again_and_nothing_is_there() -> None:
    put, look = brought(MUG, COUNTER), did(Verb.LOOK_AT, TABLE)
    assert verdict("clear the table", *put, look, Listed("table_1")).proven
    assert not verdict("clear the table", *put, Listed("table_1")).proven
    assert not verdict("clear the table", *put, look, Listed("table_1", (BOWL,))).proven
    assert not verdict("clear the table", *put, look, Listed("counter_1")).proven
    elsewhere = verdict("clear the table and put everything in the fridge", *put, look, Listed("table_1"))
    assert "not put at 'fridge': mug_1" in elsewhere.missing
