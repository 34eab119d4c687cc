"""Messages and recordings for the tests."""

import pytest
from std_msgs.msg import String

from openral_recorder.schemas import ros_schema
from openral_recorder.writer import MessageSchema


@pytest.fixture
def text_schema() -> MessageSchema:
    return ros_schema("std_msgs/msg/String")


@pytest.fixture
def words() -> bytes:
    from rclpy.serialization import serialize_message

    return bytes(serialize_message(String(data="words")))
