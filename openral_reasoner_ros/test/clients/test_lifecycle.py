"""Client of lifecycle transitions: a peer that is not registered fails the call."""

from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_reasoner.commands import ChangeState
from openral_reasoner.events import CallFailed
from openral_reasoner_ros.clients.lifecycle import LifecycleClient


def test_a_peer_that_is_not_registered_is_unavailable() -> None:
    posted: list[Any] = []
    client = LifecycleClient(None, None, posted.append, 1.0)  # type: ignore[arg-type]
    client.change(ChangeState(call_id="1", peer="eye", transition="activate"))
    message = "eye is not a lifecycle peer"
    assert posted == [CallFailed(call_id="1", condition="UNAVAILABLE", message=message)]
