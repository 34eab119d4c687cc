"""Markers that a person understands: boxes with names and ages, and what the cameras can see."""

import numpy as np
import pytest

pytest.importorskip("rclpy")
from visualization_msgs.msg import Marker, MarkerArray

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Presence, SceneGraph, SceneNode
from openral_ros.conversions.stamps import stamp_of
from openral_world_state.depth_camera import Intrinsics
from openral_world_state.ros.publishers import MAX_MARKED, age_words, frustum_marker, markers

NOW = 1000.0


def seen(node_id: str, age: float, presence: Presence = Presence.PRESENT) -> SceneNode:
    pose = Pose((1.0, 0.0, 0.8))
    return SceneNode(node_id, NodeKind.OBJECT, "mug", pose, last_seen=NOW - age, presence=presence)


def drawn(*nodes: SceneNode) -> MarkerArray:
    return markers(SceneGraph(nodes), stamp_of(NOW), "map")


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (0.0, ""),
        (2.9, ""),
        (12.4, "12 s"),
        (150.0, "2 min"),
        (7200.0, "2 h"),
        (2e5, "2 d"),
        (1e9, ""),
        (-5.0, ""),
    ],
)
def test_an_age_is_told_once_an_object_is_out_of_view(age: float, words: str) -> None:
    assert age_words(age) == words


def test_a_name_stands_above_its_box_with_its_age() -> None:
    _, box, name = drawn(seen("a", 12.0)).markers
    assert (box.type, name.type) == (Marker.CUBE, Marker.TEXT_VIEW_FACING)
    assert name.text == "mug\n12 s ago"
    assert name.pose.position.z > box.pose.position.z
    assert drawn(seen("a", 0.1)).markers[2].text == "mug"
    place = SceneNode("t", NodeKind.PLACE, "table", Pose((0.0, 0.0, 0.4)))
    assert drawn(place).markers[2].text == "table"


def test_what_is_gone_has_no_box_and_stale_is_more_transparent() -> None:
    assert [mark.type for mark in drawn(seen("a", 9.0, Presence.GONE)).markers[1:]] == [
        Marker.TEXT_VIEW_FACING
    ]
    present, stale = drawn(seen("a", 9.0)).markers[1], drawn(seen("a", 9.0, Presence.STALE)).markers[1]
    assert stale.color.a < present.color.a


def test_of_a_large_memory_the_objects_seen_last_are_drawn() -> None:
    nodes = [seen(f"o{number}", 3.0 + number) for number in range(MAX_MARKED + 50)]
    marks = drawn(*reversed(nodes)).markers
    assert len(marks) == 1 + 2 * MAX_MARKED
    assert "mug\n4 s ago" in {mark.text for mark in marks}
    assert f"mug\n{age_words(3.0 + MAX_MARKED + 49)} ago" not in {mark.text for mark in marks}


def test_a_field_of_view_is_a_pyramid_in_the_cameras_frame() -> None:
    K = np.array([[100.0, 0.0, 79.5], [0.0, 100.0, 59.5], [0.0, 0.0, 1.0]])
    mark = frustum_marker("optical", Intrinsics(K, 160, 120), 0, stamp_of(NOW))
    assert mark.header.frame_id == "optical"
    assert len(mark.points) == 16
    corners = {(round(p.x, 3), round(p.y, 3), round(p.z, 3)) for p in mark.points} - {(0.0, 0.0, 0.0)}
    assert corners == {(x, y, 0.6) for x in (-0.477, 0.477) for y in (-0.357, 0.357)}
