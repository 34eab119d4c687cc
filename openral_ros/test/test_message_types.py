from sensor_msgs.msg import Image
from std_msgs.msg import String

from openral_ros.message_types import by_type_name


def test_classes_are_found_by_the_names_of_their_types() -> None:
    assert by_type_name([String, Image]) == {"std_msgs/msg/String": String, "sensor_msgs/msg/Image": Image}
