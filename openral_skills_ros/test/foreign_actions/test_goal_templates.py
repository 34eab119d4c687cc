"""Goal messages from templates, and fields that a distribution's message may lack."""

from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy")
from geometry_msgs.msg import PointStamped, PoseStamped

from openral_core.geometry import Pose
from openral_core.skill_errors import BadRequest
from openral_skills_ros.foreign_actions.goal_templates import InvalidTemplate, code_of, field_of, fill

HERE = Pose((1.0, 2.0, 3.0))


def test_a_pose_becomes_the_type_of_its_field() -> None:
    message = PoseStamped()
    fill(message, {"pose": "$target", "header": {"frame_id": "odom"}}, {"target": HERE}, "map")
    assert (message.pose.position.z, message.header.frame_id) == (3.0, "odom")
    stamped = PointStamped()
    fill(stamped, {"point": "$target"}, {"target": HERE}, "map")
    assert stamped.point.y == 2.0


def test_a_whole_number_fits_a_float_field() -> None:
    message = PoseStamped()
    fill(message, {"pose": {"position": {"x": 2}}}, {}, "map")
    assert message.pose.position.x == 2.0


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ({"poze": 1}, "field 'poze': there is none; valid are 'header'"),
        ({"pose": {"position": {"x": "far"}}}, "field 'pose.position.x': expected float, found 'far'"),
        ({"header": {"stamp": "$target"}}, "field 'header.stamp': a pose does not fit Time"),
    ],
)
def test_a_template_that_does_not_fit_names_the_field(template: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidTemplate, match=words):
        fill(PoseStamped(), template, {"target": HERE}, "map")


def test_a_missing_parameter_is_the_clients_mistake() -> None:
    with pytest.raises(BadRequest, match="parameter 'speed' is missing"):
        fill(PoseStamped(), {"pose": {"position": {"x": "$speed"}}}, {"target": HERE}, "map")


def test_fields_of_another_distribution_are_absent_not_errors() -> None:
    humble = SimpleNamespace(result=None)
    assert code_of(humble, "error_code") is None
    assert field_of(humble, "error_code.val") is None
    assert code_of(SimpleNamespace(error_code=SimpleNamespace(val=-31)), "error_code.val") == -31
