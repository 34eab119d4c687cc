"""A locator in a process of its own, to be killed."""

from openral_core.detectors import DetectorInfo, LifecycleState, Mode, Vocabulary
from openral_core.names import Name
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.srv import LocateInView
from openral_ros.conversions.detections import detector_info_message
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import LATCHED
from openral_ros.run_node import run

NAMESPACE = "/openral/perception/other_locator"
INFO = DetectorInfo(
    name=Name("other-locator"),
    mode=Mode.ON_DEMAND,
    engine="sim_groundtruth",
    vocabulary=Vocabulary.OPEN,
    description="to be killed",
    labels=(),
    cameras=("head",),
    licence="Apache-2.0",
    commercial_use=True,
    memory_declared=1.0,
    latency=0.1,
    state=LifecycleState.ACTIVE,
)


class OtherLocator(LifecycleNodeBase):
    """Announces itself and serves a look that never finds anything."""

    def __init__(self) -> None:
        super().__init__("detector", namespace=NAMESPACE)
        self.create_service(LocateInView, "locate_in_view", lambda request, response: response)
        self._info = self.create_publisher(DetectorInfoMsg, "info", LATCHED)
        self._info.publish(detector_info_message(INFO))


if __name__ == "__main__":
    run(OtherLocator)
