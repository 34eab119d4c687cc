"""The detector node; a locator refuses to be activated while the switch refuse_activate is on."""

import sys

from graph.fault_injection.switches import inherited

from openral_core.errors import OpenRALError
from openral_perception_ros.node import DetectorNode
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run


class Unwilling(OpenRALError):
    """It was told to refuse."""

    def __init__(self) -> None:
        super().__init__("this detector refuses to be activated")


class FaultyDetector(DetectorNode):
    """Its worker can be broken too."""

    worker_module = "graph.fault_injection.faulty_worker"

    def activate(self, scope: ResourceScope) -> None:
        if "locator" in self.get_namespace() and inherited().is_on("refuse_activate"):
            raise Unwilling
        super().activate(scope)


def main() -> None:
    sys.exit(run(FaultyDetector))
