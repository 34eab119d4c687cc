"""The residency state knows which detectors are to be restored."""

import pytest

from openral_reasoner.residency.policy import ResidencyRules, Resident, Transition
from openral_reasoner.residency.state import ResidencyState, next_restore_action

RULES = ResidencyRules(budget=100.0, keep_warm=60.0)
EVICTED = ResidencyState().evicted("stream").activated_on_demand("locator").activated("locator", 5.0, 1.0)


def residents(stream: bool, locator: bool) -> tuple[Resident, ...]:
    return (
        Resident("stream", declared=80.0, active=stream, streams=True),
        Resident("locator", declared=80.0, active=locator),
    )


def test_a_locator_stays_warm_and_is_then_deactivated() -> None:
    now = residents(stream=False, locator=True)
    assert next_restore_action(now, EVICTED, RULES, 10.0) == 65.0
    assert next_restore_action(now, EVICTED, RULES, 65.0) == Transition("locator", activate=False)


def test_a_use_prolongs_the_warm_time() -> None:
    used = EVICTED.used_at("locator", 30.0)
    assert next_restore_action(residents(stream=False, locator=True), used, RULES, 65.0) == 90.0


def test_an_evicted_detector_is_restored_once_there_is_memory() -> None:
    restored = next_restore_action(residents(stream=False, locator=False), EVICTED, RULES, 70.0)
    assert restored == Transition("stream", activate=True)


@pytest.mark.parametrize("idle", [True, False])
def test_memory_reserved_for_a_skill_is_restored_only_after_it(idle: bool) -> None:
    reserved = EVICTED.forget("locator").reserve_for("skill-1").release_if_idle(idle=idle)
    action = next_restore_action(residents(stream=False, locator=False), reserved, RULES, 70.0)
    assert action == (Transition("stream", activate=True) if idle else None)


def test_restores_that_happened_already_are_dropped() -> None:
    reconciled = EVICTED.reconciled({"stream"})
    assert (reconciled.evicted_peers, reconciled.on_demand_peers) == ((), ())
