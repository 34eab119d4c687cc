"""Allocation: urgency before cost, cost before order, and bounded overtaking."""

from hypothesis import given
from hypothesis import strategies as st

from openral_core.skills import Verb
from openral_fleet.auction import MAX_OVERTAKEN, MAX_REFUSALS, allocate, refusal
from openral_fleet.errands import Errand
from openral_fleet.records import ErrandRecord
from openral_fleet.robots import RememberedObject, RobotState


def record(name: str, goal: str = "find the mug", **rules: object) -> ErrandRecord:
    return ErrandRecord(errand=Errand.model_validate({"id": name, "goal": goal, **rules}))


def robot(name: str, x: float = 0.0, *objects: RememberedObject) -> RobotState:
    return RobotState(name, "s", frozenset(Verb), position=(x, 0.0), objects=objects)


NEAR, FAR = RememberedObject("mug", 1.0, 0.0), RememberedObject("bowl", 9.0, 0.0)


def test_each_robot_gets_the_errand_that_it_is_nearest_to() -> None:
    ready = [record("bowl", "find the bowl"), record("mug", "find the mug")]
    awards = allocate(ready, [robot("/r1", 0.0, NEAR, FAR), robot("/r2", 10.0, NEAR, FAR)])
    assert {(award.errand, award.robot) for award in awards} == {("mug", "/r1"), ("bowl", "/r2")}


def test_a_higher_priority_goes_first_then_an_earlier_deadline() -> None:
    ready = [record("a"), record("b", deadline=50.0), record("c", deadline=20.0), record("d", priority=1)]
    order = []
    while ready:
        (award,) = allocate(ready, [robot("/r1", 0.0, NEAR)])
        order.append(award.errand)
        ready = [each for each in ready if each.id != award.errand]
    assert order == ["d", "c", "b", "a"]


def test_a_robot_that_failed_or_refused_too_often_is_left_out() -> None:
    assert refusal(record("a").having(failed=("/r1",)), robot("/r1")) == "/r1 could not do it"
    refused = record("a").having(refused=("/r1",) * MAX_REFUSALS)
    assert "refused it" in refusal(refused, robot("/r1"))
    assert allocate([refused], [robot("/r1")]) == []


errands = st.lists(
    st.tuples(
        st.integers(-9, 9), st.sampled_from((0.0, 10.0, 99.0)), st.sampled_from(("mug", "bowl", "cup"))
    ),
    min_size=1,
    max_size=25,
)


@given(errands, st.integers(1, 3))
def test_no_errand_is_overtaken_without_bound(given: list[tuple[int, float, str]], robots: int) -> None:
    """An errand is overtaken by at most `MAX_OVERTAKEN` others, and by those that have been so before it."""
    ready = [
        record(f"e{i}", f"find the {what}", priority=priority, deadline=deadline)
        for i, (priority, deadline, what) in enumerate(given)
    ]
    idle = [robot(f"/r{i}", 3.0 * i, NEAR, FAR) for i in range(robots)]
    overtaken = dict.fromkeys((each.id for each in ready), 0)
    while ready:
        awards = allocate(ready, idle)
        assert len({award.robot for award in awards}) == len(awards)
        for award in awards:
            for name in award.overtaken:
                overtaken[name] += 1
        taken = {award.errand for award in awards}
        assert taken
        ready = [each.having(overtaken=overtaken[each.id]) for each in ready if each.id not in taken]
    assert all(count <= MAX_OVERTAKEN for count in overtaken.values())
