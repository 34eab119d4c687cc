"""Reported failures reach the core with bounded text, from a bounded number of topics."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_msgs.msg import FailureTrigger, KeyValue
from openral_reasoner_ros.graph_monitor import FAILURE_TYPE, MAX_FAILURE_TOPICS, FailureSubscription


class Graph:
    """A scope and a node that know of many failure topics."""

    def __init__(self, topics: int) -> None:
        self.topics = topics
        self.callbacks: list[Callable[[Any], None]] = []

    def resolve_topic_name(self, name: str) -> str:
        return f"/{name}"

    def get_topic_names_and_types(self) -> list[tuple[str, list[str]]]:
        return [(f"/openral/failure/node_{number}", [FAILURE_TYPE]) for number in range(self.topics)]

    def subscription(self, kind: type, topic: str, callback: Callable[[Any], None], qos: object) -> None:
        self.callbacks.append(callback)


def test_what_a_failure_says_is_cut_before_the_core_and_the_recording_see_it() -> None:
    graph, posted = Graph(1), list[Any]()
    failures = FailureSubscription(graph, graph, posted.append)  # type: ignore[arg-type]
    failures.poll()
    long = "x" * 600_000
    evidence = [KeyValue(key=long, string_value=long)]
    graph.callbacks[0](FailureTrigger(source=long, kind=long, message=long, evidence=evidence))
    assert len(posted[0].model_dump_json()) < 500


def test_topics_are_listened_to_up_to_a_bound() -> None:
    graph = Graph(10 * MAX_FAILURE_TOPICS)
    failures = FailureSubscription(graph, graph, lambda event: None)  # type: ignore[arg-type]
    for _ in range(3):
        failures.poll()
    assert len(graph.callbacks) == MAX_FAILURE_TOPICS
