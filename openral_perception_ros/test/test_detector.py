import pytest

from openral_core.rskills import Sensor
from openral_perception_ros.detector import CameraSource, InvalidCamera, parse_cameras


@pytest.mark.parametrize(
    ("text", "camera"),
    [
        ("head", CameraSource("head", "/head")),
        ("head:=/robot/head", CameraSource("head", "/robot/head")),
        ("wrist:=arm/wrist/", CameraSource("wrist", "arm/wrist")),
    ],
)
def test_a_camera_is_an_id_and_where_its_topics_are(text: str, camera: CameraSource) -> None:
    assert CameraSource.parse(text) == camera


def test_topics_lie_below_the_base() -> None:
    camera = CameraSource("head", "/robot/head")
    topics = [camera.topic(sensor) for sensor in (Sensor.RGB, Sensor.DEPTH, Sensor.SEMANTIC)]
    assert topics == ["/robot/head/image_raw", "/robot/head/depth", "/robot/head/semantic"]
    assert camera.labels_topic == "/robot/head/labels"


@pytest.mark.parametrize("text", ["", "1head", "head:=", "head camera", "head:=/a b"])
def test_what_is_no_camera_says_what_would_be(text: str) -> None:
    with pytest.raises(InvalidCamera, match="head:=/head"):
        CameraSource.parse(text)


def test_two_cameras_of_one_id_are_refused() -> None:
    with pytest.raises(InvalidCamera, match="duplicate id"):
        parse_cameras(["head", "wrist", "head:=/other"])


def test_an_id_alone_lies_below_its_robot() -> None:
    assert parse_cameras(["head", "wrist:=/arm/wrist"], "/robot1") == (
        CameraSource("head", "/robot1/head"),
        CameraSource("wrist", "/arm/wrist"),
    )
