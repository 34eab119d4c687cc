"""Semantic neighbours, through the real node."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.lifecycle import TransitionCallbackReturn

from openral_msgs.srv import RecallObject


def test_a_miss_names_what_is_near_in_meaning_and_outlives_the_model(
    make_graph: Callable[..., Any], toy_model: Path
) -> None:
    graph = make_graph(embeddings=str(toy_model))
    graph.activate()
    graph.look(graph.kitchen(), {"baguette": "zorb", "left": "mug"})
    meanings = graph.node._active_world._embeddings
    graph.until(lambda: len(meanings._index) == 2)
    miss = graph.recall("red gribble")
    assert miss.status == RecallObject.Response.NOT_IN_MEMORY
    assert [near_miss.label for near_miss in miss.near_misses] == ["zorb"]
    meanings._embedder.close()
    assert not graph.recall("satchel").near_misses
    assert "returned no vectors" in meanings.failure
    assert graph.recall("mug").status == RecallObject.Response.FOUND


def test_an_embedding_model_that_is_not_there_refuses_activation(make_graph: Callable[..., Any]) -> None:
    graph = make_graph(embeddings="nowhere")
    graph.node.trigger_configure()
    assert graph.node.trigger_activate() == TransitionCallbackReturn.FAILURE
