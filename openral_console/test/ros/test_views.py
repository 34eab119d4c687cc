"""Messages become JSON, whatever they contain."""

import json

import pytest

from openral_console.ros import views
from openral_msgs.msg import MissionStatus, SceneGraph, SceneNode


def test_a_long_text_is_cut_visibly() -> None:
    assert views.cut("x" * 10, 5) == "xxxxx … (5 more characters)"


def test_a_state_of_a_newer_robot_is_shown_as_unknown() -> None:
    assert views.mission(MissionStatus(state=200))["state"] == "unknown 200"


def test_of_too_many_objects_the_latest_are_kept_and_the_rest_counted() -> None:
    nodes = [SceneNode(id=str(each), kind=SceneNode.KIND_OBJECT) for each in range(views.MAX_NODES + 50)]
    nodes[-1].last_seen.sec = 100
    nodes.append(SceneNode(id="kitchen", kind=SceneNode.KIND_ROOM))
    found = json.loads(json.dumps(views.scene(SceneGraph(nodes=nodes))))
    assert found["left_out"] == 51
    assert [node["id"] for node in found["nodes"][:2]] == ["kitchen", str(views.MAX_NODES + 49)]


def test_numbers_that_json_has_not_become_null() -> None:
    node = SceneNode(id="a")
    node.pose.position.x = float("nan")
    node.size.z = float("inf")
    found = json.loads(json.dumps(views.scene(SceneGraph(nodes=[node])), allow_nan=False))
    assert found["nodes"][0]["position"][0] is None
    assert found["nodes"][0]["size"][2] is None


@pytest.mark.parametrize("text", ["", "no json", "[" * 100_000, "NaN", '{"a": [1e999]}'])
def test_a_palette_that_is_no_json_is_shown_as_text(text: str) -> None:
    assert views.palette(text) == {"text": views.cut(text)}
