"""The skill server beside action servers of another robot."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(ros_context: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The skill server and a robot, with short timeouts."""
    from foreign_robot import Bench, shorten_timeouts

    shorten_timeouts(monkeypatch.setattr)
    made = Bench(ros_context, tmp_path)
    yield made
    made.close()
