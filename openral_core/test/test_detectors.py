"""Detector info: a detector is degraded only while it is active and has given up."""

from dataclasses import replace
from itertools import product

import pytest

from openral_core.detectors import DetectorInfo, Health, LifecycleState, Mode, Vocabulary
from openral_core.names import Name

LOCATOR = DetectorInfo(
    name=Name("locator"),
    mode=Mode.ON_DEMAND,
    engine="sim_groundtruth",
    vocabulary=Vocabulary.OPEN,
    description="finds objects by name",
    labels=(),
    cameras=("head",),
    licence="Apache-2.0",
    commercial_use=True,
    memory_declared=80.0,
    latency=0.1,
)


def test_a_detector_of_unknown_state_is_not_degraded() -> None:
    assert not LOCATOR.degraded


@pytest.mark.parametrize(("state", "health"), product(LifecycleState, Health))
def test_only_an_active_detector_that_has_given_up_is_degraded(state: LifecycleState, health: Health) -> None:
    degraded = (state, health) == (LifecycleState.ACTIVE, Health.GIVEN_UP)
    assert replace(LOCATOR, state=state, health=health).degraded is degraded
