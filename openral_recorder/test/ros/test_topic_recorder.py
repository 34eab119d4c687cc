"""Types are looked up safely, and the profile receives from every publisher."""

from types import SimpleNamespace

import pytest
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from openral_recorder.ros.topic_recorder import UnknownType, compatible_qos, message_class
from openral_ros.qos import LATCHED, RELIABLE, SENSOR


def test_a_class_is_found_by_its_type() -> None:
    assert message_class("std_msgs/msg/String").__name__ == "String"


@pytest.mark.parametrize(
    "message_type", ["std_msgs/msg/Nothing", "nowhere/msg/X", "os/msg/path", "", "std_msgs/msg/"]
)
def test_an_unknown_type_is_a_typed_error(message_type: str) -> None:
    with pytest.raises(UnknownType):
        message_class(message_type)


@pytest.mark.parametrize(
    ("offered", "reliability", "durability"),
    [
        ([LATCHED], ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL),
        ([LATCHED, RELIABLE], ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE),
        ([RELIABLE, SENSOR], ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE),
    ],
)
def test_the_profile_is_the_weakest_that_is_offered(
    offered: list[object], reliability: ReliabilityPolicy, durability: DurabilityPolicy
) -> None:
    found = compatible_qos([SimpleNamespace(qos_profile=profile) for profile in offered])
    assert (found.reliability, found.durability) == (reliability, durability)
