"""Whatever is published, memory lives and answers."""

from typing import Any

import pytest
from oddities import besiege, interrogate

from openral_msgs.srv import RecallObject

pytestmark = [pytest.mark.usefixtures("callback_errors"), pytest.mark.timeout(300)]


def test_memory_answers_after_every_odd_message(make_graph: Any) -> None:
    graph = make_graph()
    graph.activate()
    topics = besiege(graph.node, graph.robot, graph.until)
    assert {"/tf", "/tf_static", "/openral/skills", "/head/camera_info", "/openral/prompt"} <= set(topics)
    graph.look(graph.kitchen(20.0))
    assert graph.recall("bread").status == RecallObject.Response.FOUND


def test_memory_answers_every_odd_request_and_then_a_good_one(make_graph: Any) -> None:
    graph = make_graph()
    graph.activate()
    asked = interrogate(graph.node.services, graph.robot, graph.until)
    assert "/openral/resolve_place" in asked
    graph.look(graph.kitchen(20.0))
    assert graph.recall("bread").status == RecallObject.Response.FOUND
