"""Definitions are complete: readers that know no ROS decode with them alone."""

import pytest

from openral_recorder.schemas import NoDefinition, ros_schema


@pytest.mark.parametrize(
    ("message_type", "contained"),
    [
        ("std_msgs/msg/String", set()),
        (
            "openral_msgs/msg/MissionStatus",
            {"std_msgs/Header", "builtin_interfaces/Time", "openral_msgs/Budget"},
        ),
        ("sensor_msgs/msg/CompressedImage", {"std_msgs/Header"}),
        ("openral_msgs/msg/WorldState", {"vision_msgs/Detection3DArray", "geometry_msgs/Quaternion"}),
    ],
)
def test_a_definition_holds_every_type_it_contains(message_type: str, contained: set[str]) -> None:
    schema = ros_schema(message_type)
    named = {line.removeprefix("MSG: ") for line in schema.text.splitlines() if line.startswith("MSG: ")}
    assert contained <= named
    assert schema.name == message_type


@pytest.mark.parametrize(
    "message_type", ["nowhere_msgs/msg/Nothing", "std_msgs/msg/Nothing", "x", "../msg/y"]
)
def test_a_type_without_a_definition_is_named(message_type: str) -> None:
    with pytest.raises(NoDefinition, match="no definition of"):
        ros_schema(message_type)
