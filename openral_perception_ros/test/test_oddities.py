"""Whatever is published, a detector lives and finds the mug."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from oddities import besiege, interrogate

from openral_core.detectors import LocateStatus

pytestmark = [pytest.mark.usefixtures("callback_errors"), pytest.mark.timeout(300)]


def test_a_detector_looks_after_every_odd_message_and_request(active: Callable[..., Any]) -> None:
    rig = active()
    rig.show()
    topics = besiege(rig.node, rig.client, rig.wait)
    assert {"/head/image_raw", "/head/semantic", "/head/labels"} <= set(topics)
    door = rig.node._config and [
        service for service in rig.node.services if "change_state" not in service.srv_name
    ]
    interrogate(door, rig.client, rig.wait)
    rig.show()
    assert LocateStatus(rig.locate("mug").status) is LocateStatus.FOUND
