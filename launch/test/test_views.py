"""The shipped views of RViz and Foxglove show topics that the launched graph has, as their types need."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import openral_msgs.msg
from openral_recorder.selection import TopicSelection

LAUNCH = Path(__file__).parents[1]
GRAPH = json.loads((LAUNCH.parent / "tests/goldens/graph_interfaces.json").read_text())["graph"]
TYPES = {topic: kind for node in GRAPH.values() for topic, kind in node["publishes"].items()}
QUALITY = {
    topic.removeprefix("publishes "): offered[0]
    for node in GRAPH.values()
    for topic, offered in node["quality"].items()
}
LAYOUTS = sorted((LAUNCH / "foxglove").glob("*.json"))
DISPLAYED = {
    "MarkerArray": "visualization_msgs/msg/MarkerArray",
    "Image": "sensor_msgs/msg/Image",
    "Odometry": "nav_msgs/msg/Odometry",
    "RobotModel": "std_msgs/msg/String",
}
WITHOUT_TOPIC = {"Grid", "TF", "DepthCloud"}
PANELS = {
    "DiagnosticSummary": "diagnostic_msgs/msg/DiagnosticArray",
    "RosOut": "rcl_interfaces/msg/Log",
}


def displays() -> list[dict[str, Any]]:
    content = yaml.safe_load((LAUNCH / "rviz" / "openral.rviz").read_text())
    return list(content["Visualization Manager"]["Displays"])


def test_every_display_of_rviz_has_a_topic_of_its_type_and_reads_what_is_offered() -> None:
    for display in displays():
        name = display["Class"].removeprefix("rviz_default_plugins/")
        if name in WITHOUT_TOPIC:
            continue
        topic = display["Description Topic" if name == "RobotModel" else "Topic"]
        assert TYPES[topic["Value"]] == DISPLAYED[name]
        reliability, durability = QUALITY[topic["Value"]].split()
        if topic["Reliability Policy"] == "Reliable":
            assert reliability == "reliable"
        assert (topic["Durability Policy"] == "Transient Local") is (durability == "transient_local")


def test_the_depth_cloud_reads_depth_and_colour_of_one_camera() -> None:
    (cloud,) = [each for each in displays() if each["Class"].endswith("DepthCloud")]
    topics = cloud["Depth Map Topic"], cloud["Color Image Topic"]
    assert {TYPES[topic] for topic in topics} == {"sensor_msgs/msg/Image"}
    assert len({topic.split("/")[1] for topic in topics}) == 1


def panels_in(layout: Any) -> Iterator[str]:
    if isinstance(layout, str):
        yield layout
    else:
        yield from panels_in(layout["first"])
        yield from panels_in(layout["second"])


@pytest.mark.parametrize("file", LAYOUTS, ids=lambda file: file.stem)
def test_every_panel_of_foxglove_is_placed_once(file: Path) -> None:
    content = json.loads(file.read_text())
    assert sorted(panels_in(content["layout"])) == sorted(content["configById"])


def topics_of(panel: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (topic, field path) of everything that a panel reads."""
    for topic in panel.get("topics", {}):
        yield topic, ""
    for topic in panel.get("imageMode", {}).values():
        yield topic, ""
    for path in [panel.get("topicPath"), *(each["value"] for each in panel.get("paths", ()))]:
        if path:
            yield path.partition(".")[0], path.partition(".")[2]
    for layer in panel.get("layers", {}).values():
        yield layer["topic"], ""
    if "topicToRender" in panel:
        yield panel["topicToRender"], ""


@pytest.mark.parametrize("file", LAYOUTS, ids=lambda file: file.stem)
def test_every_topic_of_foxglove_is_in_the_graph_and_in_recordings(file: Path) -> None:
    recorded = "recording" in file.stem
    for name, panel in json.loads(file.read_text())["configById"].items():
        for topic, field in topics_of(panel):
            source = topic.removesuffix("/compressed")
            assert (source != topic) is (recorded and topic == panel.get("imageMode", {}).get("imageTopic"))
            kind = TYPES[source]
            assert TopicSelection().accepts(source, kind)
            assert PANELS.get(name.partition("!")[0], kind) == kind
            if field:
                message = getattr(openral_msgs.msg, kind.rpartition("/")[2])
                assert field in message.get_fields_and_field_types()
