"""Bring-up decides who moves next: in order, patiently, never undoing what was deliberate."""

from hypothesis import given
from hypothesis import strategies as st

from openral_bringup.lifecycle_manager.sequencer import (
    LifecycleSequencer,
    LifecycleStep,
    OutageTracker,
    TransitionRetryPolicy,
    make_sequencer,
)
from openral_core.detectors import LifecycleState as State

PATIENCE = TransitionRetryPolicy(step_deadline=10.0, retries=2, back_off=1.0)


def run_up(current: LifecycleSequencer, now: float = 0.0) -> LifecycleSequencer:
    """Grant every step until nothing more is asked for."""
    while steps := current.steps(now):
        for name, step in steps:
            current = current.started(name, step).finished(name, success=True, now=now)
    return current


def all_seen(current: LifecycleSequencer, state: State | None = State.UNCONFIGURED) -> LifecycleSequencer:
    for peer in current.peers:
        current = current.observed(peer.name, state)
    return current


def two_levels() -> LifecycleSequencer:
    return make_sequencer((("sim",), ("eye", "memory")), PATIENCE, 0.0)


def test_the_next_level_waits_for_the_one_below() -> None:
    current = all_seen(two_levels())
    assert current.steps(0.0) == (("sim", LifecycleStep.CONFIGURE),)
    current = current.started("sim", LifecycleStep.CONFIGURE).finished("sim", success=True, now=0.0)
    assert current.steps(0.0) == (("sim", LifecycleStep.ACTIVATE),)
    current = current.started("sim", LifecycleStep.ACTIVATE).finished("sim", success=True, now=0.0)
    assert current.steps(0.0) == (("eye", LifecycleStep.CONFIGURE), ("memory", LifecycleStep.CONFIGURE))


def test_a_level_that_never_comes_up_holds_the_next_for_one_deadline_only() -> None:
    current = all_seen(two_levels()).observed("sim", None)
    assert current.steps(5.0) == ()
    assert current.steps(11.0) == (("eye", LifecycleStep.CONFIGURE), ("memory", LifecycleStep.CONFIGURE))


def test_a_refused_step_is_tried_again_with_back_off_and_then_left() -> None:
    current = all_seen(make_sequencer((("eye",),), PATIENCE, 0.0))
    times = []
    for now in range(20):
        for name, step in current.steps(float(now)):
            times.append(now)
            current = current.started(name, step).finished(name, success=False, now=float(now))
    assert times == [0, 1, 3]
    assert current.given_up() == ("eye",)
    assert current.settled()


def test_what_somebody_else_did_while_a_node_was_silent_stays() -> None:
    """An answer that came late is no death: a respawned node is unconfigured."""
    current = run_up(all_seen(two_levels())).observed("eye", None).observed("eye", State.INACTIVE)
    assert current.steps(1.0) == ()
    woken = current.observed("eye", None).observed("eye", None).observed("eye", State.ACTIVE)
    assert woken.steps(2.0) == ()
    died = woken.observed("eye", None).observed("eye", State.UNCONFIGURED)
    assert died.steps(3.0) == (("eye", LifecycleStep.CONFIGURE),)


def test_a_deliberate_deactivation_stays() -> None:
    current = run_up(all_seen(two_levels())).observed("eye", State.INACTIVE)
    assert current.steps(1.0) == ()
    assert current.peer("eye").goal is State.INACTIVE


def test_a_node_that_was_deactivated_comes_back_inactive_after_a_crash() -> None:
    current = run_up(all_seen(two_levels())).observed("eye", State.INACTIVE)
    current = current.observed("eye", None).observed("eye", State.UNCONFIGURED)
    assert run_up(current, 1.0).peer("eye").state is State.INACTIVE


def test_a_crashed_node_is_brought_back_and_counted() -> None:
    current = run_up(all_seen(two_levels())).observed("eye", None)
    assert current.steps(1.0) == ()
    current = run_up(current.observed("eye", State.UNCONFIGURED), 1.0)
    assert current.peer("eye").state is State.ACTIVE
    assert current.peer("eye").restarts == 1


def test_a_crash_unseen_between_two_looks_is_no_deliberate_step() -> None:
    current = run_up(all_seen(two_levels())).observed("eye", State.UNCONFIGURED)
    assert current.steps(1.0) == (("eye", LifecycleStep.CONFIGURE),)


def test_shutdown_goes_in_reverse() -> None:
    current = run_up(all_seen(two_levels())).stopped()
    assert {name for name, _ in current.steps(1.0)} == {"eye", "memory"}
    order = []
    while steps := current.steps(1.0):
        for name, step in steps:
            order.append((name, step))
            current = current.started(name, step).finished(name, success=True, now=1.0)
    assert order[-2:] == [("sim", LifecycleStep.DEACTIVATE), ("sim", LifecycleStep.CLEANUP)]
    assert current.settled()


states = st.sampled_from([None, State.UNCONFIGURED, State.INACTIVE, State.ACTIVE, State.FINALIZED])
events = st.lists(st.tuples(st.sampled_from(["sim", "eye", "memory"]), states, st.booleans()), max_size=60)


@given(events)
def test_whatever_nodes_do_only_one_step_at_a_time_is_asked_of_each(
    happened: list[tuple[str, State, bool]],
) -> None:
    current = two_levels()
    for now, (name, state, success) in enumerate(happened):
        current = current.observed(name, state)
        steps = current.steps(float(now))
        assert len({n for n, _ in steps}) == len(steps)
        for item, step in steps:
            assert current.peer(item).step is None
            current = current.started(item, step)
        current = current.finished(name, success=success, now=float(now))


def test_a_node_that_is_meant_to_sleep_is_configured_and_holds_nobody_up() -> None:
    several = make_sequencer((("eye",), ("mind",)), PATIENCE, 0.0, inactive=("eye",))
    several = run_up(all_seen(several))
    assert several.settled()
    assert [peer.state for peer in several.peers] == [State.INACTIVE, State.ACTIVE]
    woken = several.observed("eye", State.ACTIVE)
    assert woken.settled()
    assert woken.peer("eye").goal is State.ACTIVE


LONGEST_ABSENCE = 10.0


def test_a_short_absence_is_not_worth_a_word() -> None:
    away = OutageTracker().observed("/eye", 0.0, answers=False).observed("/eye", 9.0, answers=False)
    assert away.overdue(9.0, LONGEST_ABSENCE) == ()
    assert away.observed("/eye", 9.5, answers=True).overdue(99.0, LONGEST_ABSENCE) == ()


def test_a_long_absence_counts_from_its_first_look_and_is_told_of_once() -> None:
    away = OutageTracker().observed("/eye", 0.0, answers=False).observed("/eye", 9.0, answers=False)
    assert away.overdue(10.5, LONGEST_ABSENCE) == ("/eye",)
    assert away.mark_reported("/eye").overdue(99.0, LONGEST_ABSENCE) == ()


def test_the_next_absence_is_told_of_again() -> None:
    back = (
        OutageTracker()
        .observed("/eye", 0.0, answers=False)
        .mark_reported("/eye")
        .observed("/eye", 20.0, answers=True)
    )
    again = back.observed("/eye", 30.0, answers=False)
    assert again.overdue(39.0, LONGEST_ABSENCE) == ()
    assert again.overdue(41.0, LONGEST_ABSENCE) == ("/eye",)
