"""A real robot's URDF is published if robot.yaml names one."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

from std_msgs.msg import String

from openral_core.documents import InvalidDocument
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_skills_ros.node import publish_urdf

URDF = '<robot name="box"><link name="base_link"/></robot>'


def test_the_urdf_of_robot_yaml_is_published_latched(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "box.urdf").write_text(URDF)
    bench.start({}, urdf="box.urdf")
    heard: list[String] = []
    bench.client.create_subscription(String, "robot_description", heard.append, LATCHED)
    bench.until(lambda: heard)
    assert heard[0].data == URDF


@pytest.mark.parametrize(
    ("text", "said"), [(None, "No such file"), ("<robot>", "no element found"), ("<sdf/>", "found <sdf>")]
)
def test_a_file_that_is_no_urdf_is_told(bench: Any, tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "box.urdf"
    if text is not None:
        file.write_text(text)
    scope = ResourceScope(bench.robot)
    with pytest.raises(InvalidDocument, match=said):
        publish_urdf(scope, file)
    scope.close()
