from collections.abc import Callable
from typing import Never

import pytest

from openral_perception_ros.locate.errors import DeadlineExceeded, NotActive, QueueFull
from openral_perception_ros.locate.queue import DetectionRequest, RequestQueue

MakeLook = Callable[..., DetectionRequest]
Outcomes = dict[str, object]


@pytest.fixture
def outcomes() -> Outcomes:
    return {}


@pytest.fixture
def look(outcomes: Outcomes) -> MakeLook:
    def make(name: str, received: float = 0.0, deadline: float = 5.0) -> DetectionRequest:
        return DetectionRequest(
            _no_frame, (name,), received, deadline, lambda outcome: outcomes.update({name: outcome})
        )

    return make


def _no_frame() -> Never:
    raise AssertionError("no frame is taken while waiting")


def served(line: RequestQueue) -> list[str]:
    return [look.terms[0] for look in iter(line.next, None)]


def test_requests_go_before_the_stream_in_order_of_arrival(look: MakeLook) -> None:
    line = RequestQueue(4)
    line.offer(look("stream"))
    for name in ("first", "second"):
        line.join(look(name))
    assert served(line) == ["first", "second", "stream"]


def test_the_stream_keeps_only_its_newest_frame_and_counts_the_others(
    look: MakeLook, outcomes: Outcomes
) -> None:
    line = RequestQueue(1)
    for name in ("old", "older", "new"):
        line.offer(look(name))
    assert served(line) == ["new"]
    assert line.skipped == 2


def test_one_more_than_the_line_holds_is_told_so_at_once(look: MakeLook, outcomes: Outcomes) -> None:
    line = RequestQueue(1)
    line.join(look("waits"))
    line.join(look("refused"))
    assert isinstance(outcomes["refused"], QueueFull)
    assert "waits" not in outcomes


def test_who_waits_past_the_deadline_is_told(look: MakeLook, outcomes: Outcomes) -> None:
    line = RequestQueue(4)
    line.join(look("short", deadline=1.0))
    line.join(look("long", deadline=9.0))
    assert line.next_due == 1.0
    line.expire(1.0)
    assert isinstance(outcomes["short"], DeadlineExceeded)
    assert served(line) == ["long"]


def test_clearing_tells_everyone(look: MakeLook, outcomes: Outcomes) -> None:
    line = RequestQueue(4)
    line.join(look("a"))
    line.offer(look("stream"))
    line.clear(NotActive("x"))
    assert isinstance(outcomes["a"], NotActive)
    assert line.next() is None


def test_a_look_is_answered_once(look: MakeLook, outcomes: Outcomes) -> None:
    one = look("one")
    one.end(NotActive("x"))
    one.end(QueueFull(1))
    assert isinstance(outcomes["one"], NotActive)
