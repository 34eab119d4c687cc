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


def served(queue: RequestQueue) -> list[str]:
    return [look.terms[0] for look in iter(queue.next, None)]


def test_requests_go_before_the_stream_in_order_of_arrival(look: MakeLook) -> None:
    queue = RequestQueue(4)
    queue.set_latest_frame(look("stream"))
    for name in ("first", "second"):
        queue.enqueue(look(name))
    assert served(queue) == ["first", "second", "stream"]


def test_the_stream_keeps_only_its_newest_frame_and_counts_the_others(
    look: MakeLook, outcomes: Outcomes
) -> None:
    queue = RequestQueue(1)
    for name in ("old", "older", "new"):
        queue.set_latest_frame(look(name))
    assert served(queue) == ["new"]
    assert queue.dropped_frames == 2


def test_one_more_than_the_line_holds_is_told_so_at_once(look: MakeLook, outcomes: Outcomes) -> None:
    queue = RequestQueue(1)
    queue.enqueue(look("waits"))
    queue.enqueue(look("refused"))
    assert isinstance(outcomes["refused"], QueueFull)
    assert "waits" not in outcomes


def test_who_waits_past_the_deadline_is_told(look: MakeLook, outcomes: Outcomes) -> None:
    queue = RequestQueue(4)
    queue.enqueue(look("short", deadline=1.0))
    queue.enqueue(look("long", deadline=9.0))
    assert queue.next_deadline == 1.0
    queue.expire(1.0)
    assert isinstance(outcomes["short"], DeadlineExceeded)
    assert served(queue) == ["long"]


def test_clearing_tells_everyone(look: MakeLook, outcomes: Outcomes) -> None:
    queue = RequestQueue(4)
    queue.enqueue(look("a"))
    queue.set_latest_frame(look("stream"))
    queue.clear(NotActive("x"))
    assert isinstance(outcomes["a"], NotActive)
    assert queue.next() is None


def test_a_look_is_answered_once(look: MakeLook, outcomes: Outcomes) -> None:
    one = look("one")
    one.complete(NotActive("x"))
    one.complete(QueueFull(1))
    assert isinstance(outcomes["one"], NotActive)
