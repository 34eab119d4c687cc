"""Which of several that take one name is the detector of that name."""

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
from openral_core.detectors import DetectorInfo, LifecycleState, Mode, Vocabulary
from openral_core.names import Name
from openral_reasoner_ros.detector_registry import DetectorRegistry, _Detector
from openral_reasoner_ros.liveness import SilenceTimer

PERCEPTION = "/openral/perception"


def speaking(namespace: str, name: str) -> _Detector:
    info = DetectorInfo(
        name=Name(name, ("locator",)),
        mode=Mode.ON_DEMAND,
        engine="sim_groundtruth",
        vocabulary=Vocabulary.OPEN,
        description="d",
        labels=(),
        cameras=("head",),
        licence="Apache-2.0",
        commercial_use=True,
        memory_declared=1.0,
        latency=0.1,
        state=LifecycleState.ACTIVE,
    )
    caller: Any = SimpleNamespace(namespace=namespace, ready=True)
    silence = SilenceTimer(1.0)
    silence.broken()
    return _Detector(namespace, caller, silence, info)


@pytest.mark.parametrize("stranger", ["aaa", "zzz"])
def test_the_one_in_its_own_namespace_is_meant_whoever_takes_its_name(stranger: str) -> None:
    node: Any = SimpleNamespace(
        resolve_topic_name=lambda name: PERCEPTION,
        count_publishers=lambda topic: 1,
        get_service_names_and_types=lambda: [(f"{each}/detector/change_state", []) for each in named],
    )
    detectors = DetectorRegistry(node, node, 1.0)
    own, other = f"{PERCEPTION}/sim_locator", f"{PERCEPTION}/{stranger}"
    named = (own, other)
    for namespace in named:
        detectors._known[namespace] = speaking(namespace, "sim-locator")
    assert [each.namespace for each in detectors.seen()] == [own]
    assert detectors.caller("sim-locator").namespace == own
    assert detectors.lifecycle_nodes() == (("sim-locator", f"{own}/detector"),)
