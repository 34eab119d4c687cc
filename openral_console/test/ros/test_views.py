"""Messages become JSON, whatever they contain."""

import json

import pytest
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Header, String

from openral_console.ros import views
from openral_console.ros.fold import MAX_PICTURES, Fold
from openral_console.sections import Sections
from openral_msgs.msg import MissionStatus, SceneGraph, SceneNode
from openral_testing.ros.robot import URDF, camera_info, frontier, picture, transforms


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


def test_transforms_are_merged_and_invalid_ones_left_out() -> None:
    sections = Sections()
    fold = Fold(sections)
    fold.apply("/tf_static", transforms())
    bad = transforms()
    bad.transforms[0].transform.translation.x = float("nan")
    bad.transforms[1].transform.translation.x = 0.5
    fold.apply("/tf", bad)
    frames = sections.get("frames")
    assert frames["base_link"][:2] == ["map", 2.0]
    assert frames["arm"] == ["base_link", 0.5, 0.0, 0.6, 0.0, 0.0, 0.0, 1.0]


def test_robot_cameras_and_frontier_have_sections_of_their_own() -> None:
    sections = Sections()
    fold = Fold(sections)
    fold.apply("/robot_description", String(data=URDF))
    fold.apply("/head/camera_info", camera_info())
    fold.apply("/openral/frontier", frontier("table"))
    fold.apply("/openral/consent", frontier("no place"))
    assert [shape["frame"] for shape in sections.get("body")] == ["base_link", "arm"]
    assert sections.get("optics")["head"]["intrinsics"] == [110.0, 110.0, 80.0, 60.0]
    assert sections.get("frontier") == [{"id": "table", "why": "a usual place"}]


@pytest.mark.parametrize(
    "bad",
    [
        CompressedImage(header=Header(frame_id="x" * 201), data=b"\xff\xd8"),
        CompressedImage(header=Header(frame_id="x"), data=b"\xff\xd8" + bytes(300_000)),
        CompressedImage(header=Header(frame_id="x"), data=b"<svg onload=alert(1)>"),
    ],
)
def test_what_is_no_picture_of_an_object_is_left_out(bad: CompressedImage) -> None:
    fold = Fold(Sections())
    fold.apply("openral/world_state/pictures", bad)
    assert not fold.pictures


def test_the_number_of_pictures_is_bounded() -> None:
    fold = Fold(Sections())
    for each in range(MAX_PICTURES + 3):
        fold.apply("openral/world_state/pictures", picture(f"mug_{each}"))
    assert len(fold.pictures) == MAX_PICTURES
    assert "mug_0" not in fold.pictures
