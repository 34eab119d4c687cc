"""The skill server beside action servers of another robot."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(ros_context: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The skill server and a robot, with short timeouts."""
    from foreign_robot import Bench

    from openral_ros import skill_server
    from openral_skills_ros import foreign_action, node

    monkeypatch.setattr(foreign_action, "ACCEPT_TIMEOUT", 1.0)
    monkeypatch.setattr(foreign_action, "SERVER_LOST", 0.5)
    monkeypatch.setattr(foreign_action, "CANCEL_PERIOD", 0.2)
    monkeypatch.setattr(node, "WAIT_FOR_BACKEND", 1.0)
    monkeypatch.setattr(skill_server, "STOP_GRACE", 0.5)
    made = Bench(ros_context, tmp_path)
    yield made
    made.close()
