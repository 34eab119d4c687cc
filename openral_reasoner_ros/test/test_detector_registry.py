"""Tests of the detector registry: one detector per name."""

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
from openral_reasoner_ros.detector_registry import DetectorRegistry, _Detector
from openral_reasoner_ros.liveness import SilenceTimer
from openral_testing.detector_info import make_locator_info

PERCEPTION = "/openral/perception"


def speaking(namespace: str, name: str) -> _Detector:
    info = make_locator_info(name, "locator")
    caller: Any = SimpleNamespace(namespace=namespace, ready=True)
    silence = SilenceTimer(1.0)
    silence.reset()
    return _Detector(namespace, caller, silence, info)


@pytest.mark.parametrize("stranger", ["aaa", "zzz"])
def test_the_one_in_its_own_namespace_is_meant_whoever_takes_its_name(stranger: str) -> None:
    node: Any = SimpleNamespace(
        resolve_topic_name=lambda name: PERCEPTION,
        count_publishers=lambda topic: 1,
        get_service_names_and_types=lambda: [(f"{item}/detector/change_state", []) for item in named],
    )
    detectors = DetectorRegistry(node, node, 1.0)
    own, other = f"{PERCEPTION}/sim_locator", f"{PERCEPTION}/{stranger}"
    named = (own, other)
    for namespace in named:
        detectors._detectors[namespace] = speaking(namespace, "sim-locator")
    assert [state.namespace for state in detectors.states()] == [own]
    assert detectors.caller("sim-locator").namespace == own
    assert detectors.lifecycle_nodes() == (("sim-locator", f"{own}/detector"),)
