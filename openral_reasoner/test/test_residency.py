"""Evictions and activations, without thrashing."""

from dataclasses import replace
from itertools import chain, combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from openral_reasoner.residency import (
    InsufficientMemory,
    MemoryRequest,
    MinResidencyNotElapsed,
    ResidencyRefused,
    ResidencyRules,
    ResidencyState,
    Resident,
    Transition,
    UnknownResident,
    next_restore_action,
    plan_residency,
)

RULES = ResidencyRules(budget=1000.0, min_residency=5.0)
LARGE = Resident("large", 900.0, load_time=8.0)
STREAM = Resident("stream", 400.0, active=True, streams=True, load_time=2.0)
SMALL = Resident("small", 300.0, active=True, load_time=1.0)


def after(residents: list[Resident], steps: tuple[Transition, ...], now: float) -> list[Resident]:
    for step in steps:
        residents = [
            _moved(resident, step, now) if resident.id == step.peer else resident for resident in residents
        ]
    return residents


def _moved(resident: Resident, step: Transition, now: float) -> Resident:
    return replace(resident, active=step.activate, since=now if step.activate else resident.since)


def held(residents: list[Resident]) -> float:
    return sum(r.memory for r in residents if r.active)


def test_who_streams_goes_before_the_one_that_is_asked_for_comes() -> None:
    steps = plan_residency([LARGE, STREAM, SMALL], MemoryRequest("large", "large"), RULES, now=100.0)
    assert steps == (Transition("stream", False), Transition("small", False), Transition("large", True))


def test_between_equals_the_one_that_streams_goes() -> None:
    peers = [
        Resident("wanted", 400.0),
        Resident("asked", 500.0, active=True),
        Resident("zz", 500.0, active=True, streams=True),
    ]
    steps = plan_residency(peers, MemoryRequest("wanted", "wanted"), RULES, now=0.0)
    assert steps == (Transition("zz", False), Transition("wanted", True))


def test_without_a_budget_nobody_goes() -> None:
    steps = plan_residency([LARGE, STREAM, SMALL], MemoryRequest("large", "large"), ResidencyRules(), now=0.0)
    assert steps == (Transition("large", True),)


def test_memory_for_a_skill_wakes_nobody() -> None:
    steps = plan_residency([LARGE, STREAM, SMALL], MemoryRequest("grasp", memory=500.0), RULES, now=0.0)
    assert steps == (Transition("small", False),)


def test_what_is_resident_needs_nothing() -> None:
    assert plan_residency([STREAM, SMALL], MemoryRequest("small", "small"), RULES, now=0.0) == ()


def test_measured_memory_counts_more_than_declared() -> None:
    liar = replace(SMALL, measured=700.0)
    steps = plan_residency([LARGE, liar], MemoryRequest("large", "large"), RULES, now=0.0)
    assert Transition("small", False) in steps
    with pytest.raises(InsufficientMemory):
        plan_residency([replace(LARGE, measured=1001.0)], MemoryRequest("large", "large"), RULES, now=0.0)


@pytest.mark.parametrize("fixed", [{"pinned": True}, {"in_use": True}])
def test_what_must_stay_stands_in_the_refusal(fixed: dict[str, bool]) -> None:
    with pytest.raises(InsufficientMemory, match=r"large needs 900 MB .* 1000 MB beside 'stream'"):
        plan_residency(
            [LARGE, replace(STREAM, **fixed), SMALL], MemoryRequest("large", "large"), RULES, now=0.0
        )


def test_what_has_just_come_may_stay_a_while() -> None:
    with pytest.raises(MinResidencyNotElapsed) as refused:
        plan_residency(
            [LARGE, replace(STREAM, since=98.0), SMALL], MemoryRequest("large", "large"), RULES, now=100.0
        )
    assert refused.value.until == 103.0
    later = plan_residency(
        [LARGE, replace(STREAM, since=98.0), SMALL], MemoryRequest("x", "large"), RULES, now=103.0
    )
    assert len(later) == 3


def test_a_stranger_is_refused_with_the_names_that_are_known() -> None:
    with pytest.raises(UnknownResident, match="'stream'"):
        plan_residency([STREAM], MemoryRequest("x", "ghost"), RULES, now=0.0)


def residents(size: int = 8) -> st.SearchStrategy[list[Resident]]:
    one = st.builds(
        Resident,
        id=st.just(""),
        declared=st.integers(0, 600).map(float),
        measured=st.one_of(st.just(0.0), st.integers(1, 600).map(float)),
        active=st.booleans(),
        streams=st.booleans(),
        pinned=st.booleans(),
        in_use=st.booleans(),
        load_time=st.integers(0, 20).map(float),
        since=st.floats(0.0, 100.0),
    )
    several = st.lists(one, min_size=1, max_size=size)
    return several.map(lambda found: [replace(item, id=f"p{n}") for n, item in enumerate(found)])


@given(residents(), st.floats(100.0, 120.0), st.integers(0, 1500))
def test_fits_after_each_step_and_nobody_that_must_stay_goes(
    peers: list[Resident], now: float, budget: int
) -> None:
    rules = ResidencyRules(budget=float(budget))
    try:
        steps = plan_residency(peers, MemoryRequest("p0", "p0"), rules, now)
    except ResidencyRefused:
        return
    by_id = {peer.id: peer for peer in peers}
    for number, step in enumerate(steps, 1):
        before = after(peers, steps[: number - 1], now)
        then = after(peers, steps[:number], now)
        assert held(then) <= max(rules.room, held(before))
        gone = by_id[step.peer]
        assert step.activate or not (gone.pinned or gone.in_use or now - gone.since < rules.min_residency)
    if steps:
        assert held(after(peers, steps, now)) <= rules.room
        assert after(peers, steps, now)[0].active


@given(residents(), st.integers(1, 1500))
def test_no_other_choice_reloads_less_and_a_refusal_means_that_there_is_none(
    peers: list[Resident], budget: int
) -> None:
    now, rules = 120.0, ResidencyRules(budget=float(budget))
    assume(not peers[0].active)
    may_go = [r for r in peers[1:] if r.active and not r.fixed and now - r.since >= rules.min_residency]
    every = chain.from_iterable(combinations(may_go, n) for n in range(len(may_go) + 1))
    needed = held(peers) + peers[0].memory - budget
    prices = [sum(r.load_time for r in gone) for gone in every if sum(r.memory for r in gone) >= needed]
    try:
        steps = plan_residency(peers, MemoryRequest("p0", "p0"), rules, now)
    except ResidencyRefused:
        assert not prices
        return
    gone = {step.peer for step in steps if not step.activate}
    assert sum(r.load_time for r in peers if r.id in gone) == min(prices)


@given(residents(30), st.integers(1, 9000))
def test_a_large_crowd_is_planned_soundly(peers: list[Resident], budget: int) -> None:
    rules = ResidencyRules(budget=float(budget))
    try:
        steps = plan_residency(peers, MemoryRequest("p0", "p0"), rules, now=200.0)
    except InsufficientMemory:
        may_stay = [r for r in peers[1:] if r.active and r.fixed]
        assert held(may_stay) + peers[0].memory > budget
        return
    if steps:
        assert held(after(peers, steps, 200.0)) <= budget


@given(residents(6), st.lists(st.tuples(st.integers(0, 5), st.floats(0.0, 4.0)), max_size=40))
def test_nobody_is_sent_away_within_its_least_residency(
    peers: list[Resident], wishes: list[tuple[int, float]]
) -> None:
    rules, now = ResidencyRules(budget=800.0, min_residency=5.0), 200.0
    came: dict[str, float] = {}
    for index, wait in wishes:
        now += wait
        wanted = f"p{index % len(peers)}"
        try:
            steps = plan_residency(peers, MemoryRequest(wanted, wanted), rules, now)
        except ResidencyRefused:
            continue
        for step in steps:
            assert step.activate or now - came.get(step.peer, -1e9) >= rules.min_residency
        came |= {step.peer: now for step in steps if step.activate}
        peers = after(peers, steps, now)


RULES_STATE = ResidencyRules(budget=100.0, keep_warm=60.0)
EVICTED = ResidencyState().evicted("stream").activated_on_demand("locator").activated("locator", 5.0, 1.0)


def residents_of_state(stream: bool, locator: bool) -> tuple[Resident, ...]:
    return (
        Resident("stream", declared=80.0, active=stream, streams=True),
        Resident("locator", declared=80.0, active=locator),
    )


def test_a_locator_stays_warm_and_is_then_deactivated() -> None:
    now = residents_of_state(stream=False, locator=True)
    assert next_restore_action(now, EVICTED, RULES_STATE, 10.0) == 65.0
    assert next_restore_action(now, EVICTED, RULES_STATE, 65.0) == Transition("locator", activate=False)


def test_a_use_prolongs_the_warm_time() -> None:
    used = EVICTED.used_at("locator", 30.0)
    assert (
        next_restore_action(residents_of_state(stream=False, locator=True), used, RULES_STATE, 65.0) == 90.0
    )


def test_an_evicted_detector_is_restored_once_there_is_memory() -> None:
    restored = next_restore_action(
        residents_of_state(stream=False, locator=False), EVICTED, RULES_STATE, 70.0
    )
    assert restored == Transition("stream", activate=True)


@pytest.mark.parametrize("idle", [True, False])
def test_memory_reserved_for_a_skill_is_restored_only_after_it(idle: bool) -> None:
    reserved = EVICTED.forget("locator").reserve_for("skill-1").release_if_idle(idle=idle)
    action = next_restore_action(residents_of_state(stream=False, locator=False), reserved, RULES_STATE, 70.0)
    assert action == (Transition("stream", activate=True) if idle else None)


def test_restores_that_happened_already_are_dropped() -> None:
    reconciled = EVICTED.reconciled({"stream"})
    assert (reconciled.evicted_peers, reconciled.on_demand_peers) == ((), ())
