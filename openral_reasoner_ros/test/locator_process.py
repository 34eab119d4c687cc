"""A locator in a process of its own, to be killed."""

from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.srv import LocateInView
from openral_ros.conversions.detections import detector_info_message
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import LATCHED
from openral_ros.run_node import run
from openral_testing.detector_info import make_locator_info

NAMESPACE = "/openral/perception/other_locator"
INFO = make_locator_info("other-locator")


class OtherLocator(LifecycleNodeBase):
    """Announces itself and serves a look that never finds anything."""

    def __init__(self) -> None:
        super().__init__("detector", namespace=NAMESPACE)
        self.create_service(LocateInView, "locate_in_view", lambda request, response: response)
        self._info = self.create_publisher(DetectorInfoMsg, "info", LATCHED)
        self._info.publish(detector_info_message(INFO))


if __name__ == "__main__":
    run(OtherLocator)
